#include "arrow.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "errors.hpp"

namespace bloomtime::python {
namespace {

// https://arrow.apache.org/docs/format/CDataInterface.html
struct arrow_schema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  arrow_schema** children;
  arrow_schema* dictionary;
  void (*release)(arrow_schema*);
  void* private_data;
};

struct arrow_array {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  arrow_array** children;
  arrow_array* dictionary;
  void (*release)(arrow_array*);
  void* private_data;
};

template <class Structure>
const Structure& in_capsule(py::handle capsule, const char* name) {
  void* const pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw py::error_already_set();
  return *static_cast<const Structure*>(pointer);
}

void expect_no_nulls(const arrow_array& a) {
  if (a.null_count == 0 || a.n_buffers == 0 || a.buffers[0] == nullptr) return;
  const auto* const valid = static_cast<const std::uint8_t*>(a.buffers[0]);
  for (std::int64_t i = a.offset; i < a.offset + a.length; ++i) {
    if ((valid[i / 8] >> (i % 8) & 1) == 0) {
      refuse_value("items[{}] is null; drop the nulls first", i - a.offset);
    }
  }
}

constexpr std::string_view number_formats = "cCsSiIlL";  // int8, uint8, int16, ... uint64

}  // namespace

arrow_items read_arrow(const py::object& array) {
  const py::tuple capsules = array.attr("__arrow_c_array__")();
  if (capsules.size() != 2) refuse_type("__arrow_c_array__ must return two capsules");
  const auto& schema = in_capsule<arrow_schema>(capsules[0], "arrow_schema");
  if (schema.dictionary != nullptr) {
    refuse_type("items must not be a dictionary-encoded Arrow array; use .dictionary_decode()");
  }
  const std::string_view format = schema.format;
  const auto& a = in_capsule<arrow_array>(capsules[1], "arrow_array");
  expect_no_nulls(a);
  arrow_items items{capsules, static_cast<std::size_t>(a.length), {}};
  const std::size_t number = format.size() == 1 ? number_formats.find(format) : std::string::npos;
  if (number != std::string::npos) {
    const std::size_t width = std::size_t{1} << number / 2;
    const auto* const first = static_cast<const char*>(a.buffers[1]);
    items.column = number_column{{first + a.offset * static_cast<std::int64_t>(width),
                                  static_cast<std::ptrdiff_t>(width), width},
                                 number % 2 == 0};
  } else if (format == "u" || format == "z" || format == "U" || format == "Z") {
    const bool wide = format == "U" || format == "Z";
    items.column =
        offset_column{static_cast<const char*>(a.buffers[2]),
                      static_cast<const char*>(a.buffers[1]) + a.offset * (wide ? 8 : 4), wide};
  } else {
    refuse_type(
        "items must be integers, strings or bytes; got an Arrow array of the format \"{}\". Cast "
        "it, for example to string",
        format);
  }
  return items;
}

}  // namespace bloomtime::python
