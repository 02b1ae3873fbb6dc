#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <pybind11/pybind11.h>

#include <bloomtime/digest.hpp>

// What Python may pass as an item: str, bytes, int, or an object with the buffer protocol. A str is
// hashed as UTF-8. An int has C++'s integer digest, which differs from that of its digits.
namespace bloomtime::python {

namespace py = pybind11;

// One item while it is hashed. The object must live as long.
class item_view {
 public:
  // Throws TypeError or ValueError; `position` is that in a list of items, for the message.
  explicit item_view(py::handle object, std::ptrdiff_t position = -1) {
    PyObject* const o = object.ptr();
    if (PyUnicode_CheckExact(o) && PyUnicode_IS_COMPACT_ASCII(o)) [[likely]] {
      bytes_ = {static_cast<const char*>(PyUnicode_DATA(o)),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(o))};
    } else {
      read(o, position);
    }
  }
  item_view(const item_view&) = delete;
  item_view& operator=(const item_view&) = delete;
  ~item_view() {
    if (has_buffer_) PyBuffer_Release(&buffer_);
  }

  bloomtime::digest digest(const hash_seed& seed) const noexcept {
    return is_number_ ? digest_of(number_, seed) : digest_of(bytes_, seed);
  }
  // For people: the bytes, or the digits of a number.
  std::string_view text(std::array<char, 24>& scratch) const noexcept;

 private:
  void read(PyObject* object, std::ptrdiff_t position);
  void read_number(PyObject* object, std::ptrdiff_t position);
  void read_buffer(PyObject* object, std::ptrdiff_t position);

  std::string_view bytes_;
  std::uint64_t number_ = 0;
  bool is_number_ = false;
  bool is_negative_ = false;
  bool has_buffer_ = false;
  Py_buffer buffer_;  // only if has_buffer_
};

bloomtime::digest digest_of_item(py::handle item, const hash_seed& seed);

py::int_ digest_object(const bloomtime::digest& d);  // hi * 2**64 + lo

py::object text_object(const std::string& text);  // a str, or bytes if it is not UTF-8
// The item that a text of item_view::text() stands for: an int if its digest is that of the number,
// else text_object().
py::object item_object(const std::string& text, const bloomtime::digest& id, const hash_seed& seed);

}  // namespace bloomtime::python
