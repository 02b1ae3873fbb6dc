#include "parameters.hpp"

#include <cmath>
#include <limits>

#include "errors.hpp"
#include "text/quantity.hpp"
#include "text/suggest.hpp"
#include "times.hpp"

namespace bloomtime::python {

std::uint64_t read_whole(const char* name, py::handle value) {
  PyObject* const v = value.ptr();
  if (is_bool(value) || PyIndex_Check(v) == 0) {
    refuse_type("{} must be a whole number; got {}", name, shown(value));
  }
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(v));
  if (!index) throw py::error_already_set();
  const std::uint64_t n = PyLong_AsUnsignedLongLong(index.ptr());
  if (PyErr_Occurred() == nullptr) return n;
  PyErr_Clear();
  refuse_value("{} must be a whole number from 0 to 2**64 - 1; got {}", name, shown(value));
}

std::string read_text(const char* name, py::handle str) {
  Py_ssize_t size = 0;
  if (const char* const utf8 = PyUnicode_AsUTF8AndSize(str.ptr(), &size)) {
    return {utf8, static_cast<std::size_t>(size)};
  }
  PyErr_Clear();
  refuse_value("{} must be a str without lone surrogates; got {}", name, shown(str));
}

bool parameters::gives(const char* name) const {
  return left_.contains(name) && !left_[name].is_none();
}

// None if it was not given.
py::object parameters::take(const char* name) {
  note(name);
  if (!left_.contains(name)) return py::none();
  py::object value = left_[name];
  PyDict_DelItemString(left_.ptr(), name);
  return value;
}

void parameters::read(const char* name, std::uint64_t& into) {
  if (const py::object value = take(name); !value.is_none()) into = read_whole(name, value);
}

void parameters::read(const char* name, unsigned& into) {
  std::uint64_t wide = into;
  read(name, wide);
  if (wide > std::numeric_limits<unsigned>::max()) {
    refuse_value("{} must be less than 2**32; got {}", name, wide);
  }
  into = static_cast<unsigned>(wide);
}

void parameters::read(const char* name, double& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  if (is_bool(value) || PyNumber_Check(value.ptr()) == 0 || PyUnicode_Check(value.ptr())) {
    refuse_type("{} must be a number; got {}", name, shown(value));
  }
  into = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (std::isnan(into)) refuse_value("{} must be a number; got NaN", name);
}

void parameters::read(const char* name, bool& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  if (!PyBool_Check(value.ptr())) {
    refuse_type("{} must be True or False; got {}", name, shown(value));
  }
  into = value.ptr() == Py_True;
}

void parameters::read(const char* name, std::string& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  if (!PyUnicode_Check(value.ptr())) refuse_type("{} must be a str; got {}", name, shown(value));
  into = read_text(name, value);
}

void parameters::read(const char* name, std::chrono::microseconds& into) {
  if (const py::object value = take(name); !value.is_none()) into = read_span(name, value);
}

void parameters::read(const char* name, instant& into) {
  if (const py::object value = take(name); !value.is_none()) into = read_time(name, value);
}

void parameters::read(const char* name, hash_seed& into) {
  std::uint64_t seed = 0;
  read(name, seed);
  into = seed;
}

void parameters::read(const char* name, std::vector<double>& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  if (PySequence_Check(value.ptr()) == 0 || PyUnicode_Check(value.ptr())) {
    refuse_type("{} must be a list of numbers; got {}", name, shown(value));
  }
  for (const py::handle one : value) {
    into.push_back(PyFloat_AsDouble(one.ptr()));
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  }
}

void parameters::read(const char* name, std::vector<std::string>& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  if (PySequence_Check(value.ptr()) == 0 || PyUnicode_Check(value.ptr())) {
    refuse_type("{} must be a list of str; got {}", name, shown(value));
  }
  for (const py::handle one : value) {
    if (!PyUnicode_Check(one.ptr())) {
      refuse_type("{} must be a list of str; got {}", name, shown(value));
    }
    into.push_back(read_text(name, one));
  }
}

void parameters::read_bytes(const char* name, std::optional<std::uint64_t>& into) {
  const py::object value = take(name);
  if (value.is_none()) return;
  into = PyUnicode_Check(value.ptr()) ? text::parse_bytes(name, read_text(name, value))
                                      : read_whole(name, value);
}

void parameters::end() const {
  for (const auto& [key, value] : left_) {
    const std::string name = read_text("the name of a parameter", key);
    refuse_type("{} has no parameter {}; it has {}.{}", of_, name, fmt::join(known_, ", "),
                text::suggestion(name, known_));
  }
}

void parameters::refuse_word(const char* name, const std::string& word, const std::string& all) {
  refuse_value("{} must be one of {}; got \"{}\"", name, all, word);
}

}  // namespace bloomtime::python
