#pragma once

#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::python {

namespace py = pybind11;

// bloomtime._answers.HotItems: the rows of a list of hot items.
py::object hot_rows(const std::vector<hot_item>& items, const hash_seed& seed,
                    const std::optional<instant>& at);

}  // namespace bloomtime::python
