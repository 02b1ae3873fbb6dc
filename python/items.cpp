#include "items.hpp"

#include <charconv>
#include <cstring>

#include "errors.hpp"
#include "text/quantity.hpp"

namespace bloomtime::python {
namespace {

std::string name_of(std::ptrdiff_t position) {
  return position < 0 ? "item" : fmt::format("items[{}]", position);
}

// Scalars of NumPy have buffers as well, and so would floats be items.
[[noreturn]] void refuse_kind(PyObject* object, std::ptrdiff_t position) {
  refuse_type(
      "{} must be a str, bytes or an int; got {} of type {}. Convert it, for example with "
      "str()",
      name_of(position), shown(object), type_of(object));
}

template <class Number>
std::string_view digits_of(Number n, std::array<char, 24>& scratch) {
  const auto end = std::to_chars(scratch.data(), scratch.data() + scratch.size(), n).ptr;
  return {scratch.data(), static_cast<std::size_t>(end - scratch.data())};
}

}  // namespace

void item_view::read(PyObject* object, std::ptrdiff_t position) {
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* const utf8 = PyUnicode_AsUTF8AndSize(object, &size);
    if (utf8 == nullptr) {
      PyErr_Clear();
      refuse_value(
          "{} is a str with lone surrogates, which have no UTF-8: {}. Encode it first, for example "
          "with .encode(\"utf-8\", \"surrogateescape\")",
          name_of(position), shown(object));
    }
    bytes_ = {utf8, static_cast<std::size_t>(size)};
  } else if (PyBytes_Check(object)) {
    bytes_ = {PyBytes_AS_STRING(object), static_cast<std::size_t>(PyBytes_GET_SIZE(object))};
  } else if (is_bool(object)) {
    refuse_kind(object, position);
  } else if (PyLong_Check(object) || (PyIndex_Check(object) && !PySequence_Check(object))) {
    read_number(object, position);
  } else if (PyObject_CheckBuffer(object) && PySequence_Check(object)) {
    read_buffer(object, position);
  } else {
    refuse_kind(object, position);
  }
}

void item_view::read_number(PyObject* object, std::ptrdiff_t position) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  is_number_ = true;
  is_negative_ = overflow == 0 && value < 0;
  number_ = static_cast<std::uint64_t>(value);
  if (overflow == 0) return;
  number_ = overflow > 0 ? PyLong_AsUnsignedLongLong(index.ptr()) : 0;
  if (overflow < 0 || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_value("{} must be an int from -2**63 to 2**64 - 1; got {}. Use str() for larger ones",
                 name_of(position), shown(object));
  }
}

void item_view::read_buffer(PyObject* object, std::ptrdiff_t position) {
  if (PyObject_GetBuffer(object, &buffer_, PyBUF_ND | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    refuse_value("{} must be a contiguous buffer; got {}. Use bytes() for a copy",
                 name_of(position), shown(object));
  }
  // The bytes of an array of objects are addresses.
  const bool has_objects = buffer_.format != nullptr && std::strchr(buffer_.format, 'O') != nullptr;
  if (buffer_.ndim != 1 || has_objects) {
    PyBuffer_Release(&buffer_);
    refuse_kind(object, position);
  }
  has_buffer_ = true;
  bytes_ = {static_cast<const char*>(buffer_.buf), static_cast<std::size_t>(buffer_.len)};
}

std::string_view item_view::text(std::array<char, 24>& scratch) const noexcept {
  if (!is_number_) return bytes_;
  return is_negative_ ? digits_of(static_cast<std::int64_t>(number_), scratch)
                      : digits_of(number_, scratch);
}

bloomtime::digest digest_of_item(py::handle item, const hash_seed& seed) {
  return item_view(item).digest(seed);
}

py::int_ digest_object(const bloomtime::digest& d) {
  return (py::int_(d.hi) << py::int_(64)) | py::int_(d.lo);
}

py::object text_object(const std::string& text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  if (PyObject* const str = PyUnicode_DecodeUTF8(text.data(), size, nullptr)) {
    return py::reinterpret_steal<py::object>(str);
  }
  PyErr_Clear();
  return py::bytes(text);
}

py::object item_object(const std::string& text, const bloomtime::digest& id,
                       const hash_seed& seed) {
  const auto is_number = [&](auto n) { return n && digest_of(*n, seed) == id; };
  if (const auto n = text::number_in<std::uint64_t>(text); is_number(n)) return py::int_(*n);
  if (const auto n = text::number_in<std::int64_t>(text); is_number(n)) return py::int_(*n);
  return text_object(text);
}

}  // namespace bloomtime::python
