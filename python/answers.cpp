#include "answers.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace bloomtime::python {
namespace {

template <class Number>
py::dtype record_type(bool bounds) {
  const py::dtype number = py::dtype::of<Number>();
  if (!bounds) return number;
  py::list fields;
  for (const char* name : {"value", "lower", "upper"}) fields.append(py::make_tuple(name, number));
  return py::dtype::from_args(fields);
}

}  // namespace

template <class Number>
bounded_array<Number>::bounded_array(std::size_t size, bool bounds)
    : bounds_(bounds),
      object_(record_type<Number>(bounds), static_cast<py::ssize_t>(size)),
      first_(static_cast<Number*>(object_.mutable_data())) {}

template class bounded_array<double>;
template class bounded_array<std::uint64_t>;

py::object answer_class(const char* name) {
  return py::module_::import("bloomtime._answers").attr(name);
}

// The classes live as long as the interpreter. The GIL guards the pointers.
py::object estimate_object(const estimate& e) {
  static PyObject* made = nullptr;
  if (made == nullptr) made = answer_class("Estimate").release().ptr();
  return py::reinterpret_borrow<py::object>(made)(e.value, e.lower, e.upper);
}

py::object count_object(const counted& c) {
  static PyObject* made = nullptr;
  if (made == nullptr) made = answer_class("Count").release().ptr();
  return py::reinterpret_borrow<py::object>(made)(c.value, c.lower, c.upper, c.saturated);
}

py::str outcome_object(outcome o) {
  static PyObject* names[7] = {};
  PyObject*& name = names[static_cast<std::size_t>(o)];
  if (name == nullptr) name = PyUnicode_InternFromString(std::string(name_of(o)).c_str());
  return py::reinterpret_borrow<py::str>(name);
}

py::dict facts_object(const std::vector<fact>& facts) {
  py::dict all;
  for (const fact& f : facts) {
    all[py::str(f.name)] = std::visit([](const auto& v) { return py::cast(v); }, f.value);
  }
  return all;
}

py::dict losses_object(const losses& lost) {
  py::dict all;
  all["dropped_late"] = lost.dropped_late;
  all["future"] = lost.future;
  all["full"] = lost.full;
  all["saturated"] = lost.saturated;
  all["refused"] = lost.refused;
  all["forgot_early"] = lost.forgot_early;
  return all;
}

std::size_t count_recorded(std::span<const outcome> outcomes) noexcept {
  return static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [](outcome o) {
    return o == outcome::added || o == outcome::late || o == outcome::saturated;
  }));
}

}  // namespace bloomtime::python
