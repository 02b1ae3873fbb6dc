#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/digest.hpp>

// The items of a bulk call.
namespace bloomtime::python {

namespace py = pybind11;

// Elements of the same width at equal distances.
struct strided {
  const char* first = nullptr;
  std::ptrdiff_t step = 0;
  std::size_t width = 0;

  const char* operator[](std::size_t i) const noexcept {
    return first + static_cast<std::ptrdiff_t>(i) * step;
  }
};

struct number_column {
  strided at;
  bool is_signed = false;
};

struct bytes_column {  // padded with zeros, which are no part of an item
  strided at;
};

struct utf32_column {  // the same in code points of 4 bytes
  strided at;
};

struct offset_column {  // the layout of Arrow; offsets have 4 or 8 bytes
  const char* text = nullptr;
  const char* offsets = nullptr;
  bool wide = false;

  std::uint64_t offset(std::size_t i) const noexcept;
};

struct object_column {    // hashed while they were read
  detail::buffer memory;  // of the digests
  std::span<digest> digests() noexcept {
    return {reinterpret_cast<digest*>(memory.data()), memory.size() / sizeof(digest)};
  }
  std::span<const digest> digests() const noexcept {
    return {reinterpret_cast<const digest*>(memory.data()), memory.size() / sizeof(digest)};
  }
  std::string texts;  // one after the other, if they were wanted
  std::vector<std::size_t> ends;
};

// Arrays are read where they are, others were hashed by read(). All items have been checked, so
// that a bulk call changes nothing if one of them is wrong.
class item_column {
 public:
  // Reads an array of integers, fixed-width bytes or strings, or objects; a Series; an object with
  // __arrow_c_array__; or any iterable of items.
  static item_column read(py::handle items, const hash_seed& seed, bool with_texts = false);

  std::size_t size() const noexcept { return size_; }

  // These need no GIL. `scratch` keeps the digests of items that were not hashed yet.
  std::span<const digest> digests(std::size_t first, std::size_t count,
                                  std::vector<digest>& scratch, const hash_seed& seed) const;
  // `scratch` keeps what has to be converted. Only if texts were wanted.
  std::string_view text(std::size_t i, std::string& scratch) const;
  // Integers of 64 bits, one after the other, for calls that hash themselves.
  std::optional<std::span<const std::uint64_t>> words() const noexcept;

 private:
  using source =
      std::variant<number_column, bytes_column, utf32_column, offset_column, object_column>;

  item_column(py::object owner, std::size_t size, source from)
      : owner_(std::move(owner)), size_(size), from_(std::move(from)) {}

  static item_column of_array(py::array array, const hash_seed& seed, bool with_texts);
  static item_column of_objects(const py::object& items, const hash_seed& seed, bool with_texts);
  static item_column of_arrow(const py::object& items);

  py::object owner_;  // of the memory
  std::size_t size_ = 0;
  source from_;
};

}  // namespace bloomtime::python
