#pragma once

#include <string>

#include <pybind11/pybind11.h>

namespace bloomtime::python {

// Reads logs into a store, as `bloomtime profile` does. `given` are the options; `progress` is None
// or is called with (bytes, total or None, lines). Defined in profile.cpp.
void profile_logs(const pybind11::list& files, const std::string& store,
                  const pybind11::object& progress, pybind11::kwargs given);

}  // namespace bloomtime::python
