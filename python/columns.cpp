#include "columns.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "arrow.hpp"
#include "errors.hpp"
#include "items.hpp"

namespace bloomtime::python {
namespace {

// Its head, and the beginning of a text, which may lie in the next line.
void prefetch_object(PyObject* object) noexcept {
  const char* const at = reinterpret_cast<const char*>(object);
  __builtin_prefetch(at);
  __builtin_prefetch(at + sizeof(PyASCIIObject));
}

constexpr Py_ssize_t checked_every = 1 << 16;  // items between two checks for an interrupt

// -- integers ------------------------------------------------------------------------------------

template <class Number>
void hash_numbers(const strided& at, std::size_t first, std::span<digest> out,
                  const hash_seed& seed) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Number n;
    std::memcpy(&n, at[first + i], sizeof n);
    out[i] = digest_of(n, seed);
  }
}

// use(Number()) with the type of the elements.
template <class Use>
auto with_number(const number_column& c, Use&& use) {
  switch (c.at.width) {
    case 1: return c.is_signed ? use(std::int8_t()) : use(std::uint8_t());
    case 2: return c.is_signed ? use(std::int16_t()) : use(std::uint16_t());
    case 4: return c.is_signed ? use(std::int32_t()) : use(std::uint32_t());
    default: return c.is_signed ? use(std::int64_t()) : use(std::uint64_t());
  }
}

// -- text ----------------------------------------------------------------------------------------

std::string_view unpadded(const char* text, std::size_t width) noexcept {
  while (width > 0 && text[width - 1] == 0) --width;
  return {text, width};
}

std::size_t points_in(const char* text, std::size_t width) noexcept {
  std::size_t points = width / 4;
  for (; points > 0; --points) {
    char32_t last;
    std::memcpy(&last, text + 4 * (points - 1), 4);
    if (last != 0) break;
  }
  return points;
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    tail(6);
  } else {
    out += static_cast<char>(0xf0 | (c >> 18));
    tail(12);
    tail(6);
  }
  tail(0);
}

std::string_view utf8_of(const char* text, std::size_t width, std::string& scratch) {
  scratch.clear();
  const std::size_t points = points_in(text, width);
  for (std::size_t i = 0; i < points; ++i) {
    char32_t c;
    std::memcpy(&c, text + 4 * i, 4);
    append_utf8(scratch, c);
  }
  return scratch;
}

void expect_utf32(const utf32_column& c, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < c.at.width / 4; ++k) {
      char32_t point;
      std::memcpy(&point, c.at[i] + 4 * k, 4);
      if (point < 0xd800 || (point >= 0xe000 && point < 0x110000)) continue;
      refuse_value(
          "items[{}] has the code point {:#x}, which has no UTF-8. Encode the items first, for "
          "example with np.char.encode(items, \"utf-8\", \"surrogatepass\")",
          i, static_cast<std::uint32_t>(point));
    }
  }
}

// -- results of std::visit -----------------------------------------------------------------------

struct hash_piece {
  std::size_t first;
  std::span<digest> out;
  const hash_seed& seed;

  void operator()(const number_column& c) const noexcept {
    with_number(c, [&]<class N>(N) { hash_numbers<N>(c.at, first, out, seed); });
  }
  void operator()(const bytes_column& c) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = digest_of(unpadded(c.at[first + i], c.at.width), seed);
    }
  }
  void operator()(const utf32_column& c) const noexcept {
    std::string scratch;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = digest_of(utf8_of(c.at[first + i], c.at.width, scratch), seed);
    }
  }
  void operator()(const offset_column& c) const noexcept {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint64_t begin = c.offset(first + i);
      out[i] = digest_of(std::string_view(c.text + begin, c.offset(first + i + 1) - begin), seed);
    }
  }
  void operator()(const object_column&) const noexcept {}  // hashed already
};

struct text_of {
  std::size_t i;
  std::string& scratch;

  std::string_view operator()(const number_column& c) const {
    return with_number(c, [&]<class N>(N n) -> std::string_view {
      std::memcpy(&n, c.at[i], sizeof n);
      scratch.resize(24);
      scratch.resize(static_cast<std::size_t>(
          std::to_chars(scratch.data(), scratch.data() + scratch.size(), n).ptr - scratch.data()));
      return scratch;
    });
  }
  std::string_view operator()(const bytes_column& c) const { return unpadded(c.at[i], c.at.width); }
  std::string_view operator()(const utf32_column& c) const {
    return utf8_of(c.at[i], c.at.width, scratch);
  }
  std::string_view operator()(const offset_column& c) const {
    return {c.text + c.offset(i), c.offset(i + 1) - c.offset(i)};
  }
  std::string_view operator()(const object_column& c) const {
    const std::size_t begin = i == 0 ? 0 : c.ends[i - 1];
    return std::string_view(c.texts).substr(begin, c.ends[i] - begin);
  }
};

}  // namespace

std::uint64_t offset_column::offset(std::size_t i) const noexcept {
  if (wide) {
    std::int64_t o;
    std::memcpy(&o, offsets + 8 * i, 8);
    return static_cast<std::uint64_t>(o);
  }
  std::int32_t o;
  std::memcpy(&o, offsets + 4 * i, 4);
  return static_cast<std::uint64_t>(o);
}

std::span<const digest> item_column::digests(std::size_t first, std::size_t count,
                                             std::vector<digest>& scratch,
                                             const hash_seed& seed) const {
  if (const auto* const objects = std::get_if<object_column>(&from_)) {
    return objects->digests().subspan(first, count);
  }
  if (scratch.size() < count) scratch.resize(count);
  const std::span out(scratch.data(), count);
  std::visit(hash_piece{first, out, seed}, from_);
  return out;
}

std::string_view item_column::text(std::size_t i, std::string& scratch) const {
  return std::visit(text_of{i, scratch}, from_);
}

std::optional<std::span<const std::uint64_t>> item_column::words() const noexcept {
  const auto* const c = std::get_if<number_column>(&from_);
  constexpr std::uintptr_t alignment = alignof(std::uint64_t);
  if (c == nullptr || c->at.width != 8 || (c->at.step != 8 && size_ > 1) ||
      reinterpret_cast<std::uintptr_t>(c->at.first) % alignment != 0) {
    return std::nullopt;
  }
  return std::span(reinterpret_cast<const std::uint64_t*>(c->at.first), size_);
}

// -- reading -------------------------------------------------------------------------------------

// A list is read where it is. The code of an item may change it meanwhile.
item_column item_column::of_objects(const py::object& items, const hash_seed& seed,
                                    bool with_texts) {
  const bool indexed = PyList_CheckExact(items.ptr()) || PyTuple_CheckExact(items.ptr());
  const auto all =
      indexed ? items : py::reinterpret_steal<py::object>(PySequence_Tuple(items.ptr()));
  if (!all) throw py::error_already_set();
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(all.ptr());
  const auto item_at = [&](Py_ssize_t i) { return PySequence_Fast_GET_ITEM(all.ptr(), i); };
  constexpr Py_ssize_t ahead = 16;  // objects on their way into the cache
  object_column column;
  column.memory = detail::buffer::unset(static_cast<std::size_t>(size) * sizeof(digest));
  digest* next = column.digests().data();
  std::array<char, 24> scratch;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Py_ssize_t present = PySequence_Fast_GET_SIZE(all.ptr());
    if (i >= present) refuse_value("items became shorter while they were read");
    if (i + ahead < present) prefetch_object(item_at(i + ahead));
    PyObject* const o = item_at(i);
    const auto held = PyUnicode_CheckExact(o) ? py::object()  // runs no code
                                              : py::reinterpret_borrow<py::object>(o);
    const item_view item(o, i);
    *next++ = item.digest(seed);
    if (with_texts) {
      column.texts += item.text(scratch);
      column.ends.push_back(column.texts.size());
    }
    if (i % checked_every == checked_every - 1 && PyErr_CheckSignals() != 0) {
      throw py::error_already_set();
    }
  }
  return {py::none(), static_cast<std::size_t>(size), std::move(column)};
}

item_column item_column::of_array(py::array array, const hash_seed& seed, bool with_texts) {
  if (array.ndim() != 1) {
    refuse_value("items must have one dimension; got {}. Use .ravel()", array.ndim());
  }
  expect_unmasked("items", array);
  const char kind = array.dtype().kind();
  if (kind == 'O') return of_objects(array, seed, with_texts);
  if (!py::cast<bool>(array.dtype().attr("isnative"))) {
    array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
  }
  const auto size = static_cast<std::size_t>(array.size());
  const strided at{static_cast<const char*>(array.data()), array.strides(0),
                   static_cast<std::size_t>(array.itemsize())};
  switch (kind) {
    case 'i':
    case 'u': return {array, size, number_column{at, kind == 'i'}};
    case 'S': return {array, size, bytes_column{at}};
    case 'U': expect_utf32({at}, size); return {array, size, utf32_column{at}};
    default:
      refuse_type(
          "items must be integers, strings or bytes; got an array of {}. Convert it, for example "
          "with .astype(str)",
          py::cast<std::string>(py::str(array.dtype())));
  }
}

item_column item_column::of_arrow(const py::object& items) {
  arrow_items read = read_arrow(items);
  return {std::move(read.owner), read.size,
          std::visit([](auto& column) -> source { return column; }, read.column)};
}

item_column item_column::read(py::handle items, const hash_seed& seed, bool with_texts) {
  const auto object = py::reinterpret_borrow<py::object>(items);
  const py::module_ numpy = py::module_::import("numpy");  // before the first array
  if (PyUnicode_Check(items.ptr()) || PyBytes_Check(items.ptr()) ||
      PyByteArray_Check(items.ptr())) {
    refuse_type("items must be a list or an array of items; got the single item {}. Use [item]",
                shown(items));
  }
  if (PyList_Check(items.ptr()) || PyTuple_Check(items.ptr())) {
    return of_objects(object, seed, with_texts);
  }
  if (py::isinstance<py::array>(items)) return of_array(object, seed, with_texts);
  if (py::hasattr(items, "__arrow_c_array__")) return of_arrow(object);
  if (py::hasattr(items, "to_numpy")) {  // pandas
    return of_array(items.attr("to_numpy")(), seed, with_texts);
  }
  if (PyObject_CheckBuffer(items.ptr()) != 0) {
    return of_array(numpy.attr("asarray")(items), seed, with_texts);
  }
  if (!py::hasattr(items, "__iter__")) {
    refuse_type("items must be a list or an array of items; got {}", shown(items));
  }
  return of_objects(object, seed, with_texts);
}

}  // namespace bloomtime::python
