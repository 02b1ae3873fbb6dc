#pragma once

#include <pybind11/pybind11.h>

// Each adds the classes of one family to the module.
namespace bloomtime::python {

void add_bloom(pybind11::module_& m);
void add_heat(pybind11::module_& m);
void add_hot_list(pybind11::module_& m);
void add_history(pybind11::module_& m);
void add_recency(pybind11::module_& m);
void add_tally(pybind11::module_& m);
void add_stores(pybind11::module_& m);

}  // namespace bloomtime::python
