#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <pybind11/pybind11.h>

#include "errors.hpp"

// Methods that take one item. pybind11's dispatch of a call with named arguments takes longer than
// the filter, so these are methods of CPython's vectorcall protocol, which read their arguments
// themselves.
namespace bloomtime::python {

namespace py = pybind11;

struct argument {
  const char* name;
  py::object usual = {};  // null: the argument must be given
};

// The arguments of a method, by position or by name.
class signature {
 public:
  signature(const char* method, std::span<const argument> all);

  // Throws TypeError unless the arguments of this call fit. `into` has one place for each.
  void read(PyObject* const* given, Py_ssize_t count, PyObject* names,
            std::span<py::handle> into) const {
    const auto positional = static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = i < positional ? py::handle(given[i]) : usual_[i];
    }
    if (names == nullptr && positional >= needed_ && positional <= into.size()) return;
    read_names(given, positional, names, into);
  }

  // What help() shows: "add($self, item, at=None)".
  std::string text() const;

 private:
  void read_names(PyObject* const* given, std::size_t positional, PyObject* names,
                  std::span<py::handle> into) const;
  std::size_t position_of(PyObject* name) const;

  const char* method_;
  std::vector<PyObject*> names_;  // interned; these live as long as the interpreter
  std::vector<py::handle> usual_;
  std::size_t needed_ = 0;
};

// The C++ object in an instance of its class, or of a class derived from that.
template <class Self>
Self& self_of(PyObject* object) {
  static const auto* const kind = py::detail::get_type_info(typeid(Self));
  auto* const instance = reinterpret_cast<py::detail::instance*>(object);
  void* const found = instance->get_value_and_holder(kind).value_ptr();
  if (found == nullptr) refuse_type("__init__() of this {} was not called", type_of(object));
  return *static_cast<Self*>(found);
}

// Call(self, argument...) as a method. Handles are of this call only; `at` is None if it was not
// given.
template <auto Call>
class method;

template <class Answer, class Self, class... Given, Answer (*Call)(Self&, Given...)>
class method<Call> {
 public:
  static void add(py::handle type, const char* name, const argument (&takes)[sizeof...(Given)],
                  const char* about) {
    takes_ = new signature(name, takes);  // lives as long as the type
    const auto* const doc = new std::string(takes_->text() + "\n--\n\n" + about);
    definition_ = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call)),
                   METH_FASTCALL | METH_KEYWORDS, doc->c_str()};
    auto* const of = reinterpret_cast<PyTypeObject*>(type.ptr());
    type.attr(name) = py::reinterpret_steal<py::object>(PyDescr_NewMethod(of, &definition_));
  }

 private:
  static_assert((std::is_same_v<Given, py::handle> && ...));

  static PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count,
                        PyObject* names) noexcept {
    try {
      std::array<py::handle, sizeof...(Given)> all;
      takes_->read(given, count, names, all);
      return std::apply([&](auto... one) { return object_of(Call(self_of<Self>(self), one...)); },
                        all);
    } catch (...) {
      set_error();
      return nullptr;
    }
  }

  static PyObject* object_of(Answer answer) {
    if constexpr (std::is_same_v<Answer, bool>) {
      return py::bool_(answer).release().ptr();
    } else {
      return answer.release().ptr();
    }
  }

  static inline const signature* takes_ = nullptr;
  static inline PyMethodDef definition_ = {};
};

}  // namespace bloomtime::python
