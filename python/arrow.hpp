#pragma once

#include <cstddef>
#include <variant>

#include <pybind11/pybind11.h>

#include "columns.hpp"

namespace bloomtime::python {

// The items of an Arrow array, where they are. `owner` keeps the array.
struct arrow_items {
  py::object owner;
  std::size_t size = 0;
  std::variant<number_column, offset_column> column;
};

// From an object with __arrow_c_array__: integers, strings and bytes, none of them null. The
// structures are those of Arrow's C data interface.
arrow_items read_arrow(const py::object& array);

}  // namespace bloomtime::python
