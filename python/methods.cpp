#include "methods.hpp"

#include <algorithm>

namespace bloomtime::python {
namespace {

std::string text_of(PyObject* name) { return py::cast<std::string>(py::handle(name)); }

}  // namespace

signature::signature(const char* method, std::span<const argument> all) : method_(method) {
  for (const argument& a : all) {
    names_.push_back(PyUnicode_InternFromString(a.name));
    usual_.push_back(py::object(a.usual).release());
    if (!a.usual) ++needed_;
  }
}

std::string signature::text() const {
  std::string all = std::string(method_) + "($self";
  for (std::size_t i = 0; i < names_.size(); ++i) {
    all += ", " + text_of(names_[i]);
    if (usual_[i]) all += "=" + shown(usual_[i]);
  }
  return all + ")";
}

// Names in calls are interned as a rule.
std::size_t signature::position_of(PyObject* name) const {
  const auto same = [name](PyObject* known) { return known == name; };
  const auto equal = [name](PyObject* known) { return PyUnicode_Compare(known, name) == 0; };
  auto found = std::find_if(names_.begin(), names_.end(), same);
  if (found == names_.end()) found = std::find_if(names_.begin(), names_.end(), equal);
  return static_cast<std::size_t>(found - names_.begin());
}

void signature::read_names(PyObject* const* given, std::size_t positional, PyObject* names,
                           std::span<py::handle> into) const {
  if (positional > into.size()) {
    refuse_type("{}() takes at most {} argument{}; got {}", method_, into.size(),
                into.size() == 1 ? "" : "s", positional);
  }
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names, i);
    const std::size_t at = position_of(name);
    if (at == into.size()) {
      std::vector<std::string> known(names_.size());
      std::transform(names_.begin(), names_.end(), known.begin(), text_of);
      refuse_type("{}() has no argument {}; it has {}", method_, shown(name),
                  fmt::join(known, ", "));
    }
    if (at < positional) {
      refuse_type("{}() got {} twice: by position and by name", method_, text_of(name));
    }
    into[at] = given[positional + static_cast<std::size_t>(i)];
  }
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (!into[i]) refuse_type("{}() needs {}", method_, text_of(names_[i]));
  }
}

}  // namespace bloomtime::python
