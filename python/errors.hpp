#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>
#include <pybind11/pybind11.h>

// How a problem becomes a Python exception. Every message is a sentence that names the problem, the
// value that was given, and the fix.
namespace bloomtime::python {

namespace py = pybind11;

// ValueError for a value of the right type, TypeError for a wrong type.
template <class... Values>
[[noreturn]] void refuse_value(fmt::format_string<Values...> message, Values&&... values) {
  throw py::value_error(fmt::format(message, std::forward<Values>(values)...));
}
template <class... Values>
[[noreturn]] void refuse_type(fmt::format_string<Values...> message, Values&&... values) {
  throw py::type_error(fmt::format(message, std::forward<Values>(values)...));
}

// A short form of a value, for messages: its repr(), cut if it is long.
std::string shown(py::handle value);
std::string type_of(py::handle value);  // "float", "numpy.float64"
bool is_bool(py::handle value);         // Python's or NumPy's, which both act as integers
// A masked array, whose elements may be none.
void expect_unmasked(const char* name, py::handle array);

// bloomtime::error becomes ValueError, OSError or MemoryError; a usage_error becomes ValueError,
// with the options of the command as the arguments of this package.
void translate_errors();
// The same where pybind11 catches nothing: sets Python's error to the exception of this handler.
void set_error() noexcept;

}  // namespace bloomtime::python
