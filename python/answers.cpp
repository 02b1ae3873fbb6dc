#include "answers.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace bloomtime::python {
namespace {

template <class Answer, class Number>
py::object columns_object(const std::vector<Answer>& all, bool bounds) {
  const py::dtype number = py::dtype::of<Number>();
  if (!bounds) {
    py::array_t<Number> values(static_cast<py::ssize_t>(all.size()));
    std::transform(all.begin(), all.end(), values.mutable_data(),
                   [](const Answer& a) { return a.value; });
    return values;
  }
  py::list fields;
  for (const char* name : {"value", "lower", "upper"}) fields.append(py::make_tuple(name, number));
  const py::dtype record = py::dtype::from_args(fields);
  py::array records(record, static_cast<py::ssize_t>(all.size()));
  auto* out = static_cast<Number*>(records.mutable_data());
  for (const Answer& a : all) {
    *out++ = a.value;
    *out++ = a.lower;
    *out++ = a.upper;
  }
  return records;
}

}  // namespace

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

py::object estimates_object(const std::vector<estimate>& all, bool bounds) {
  return columns_object<estimate, double>(all, bounds);
}

py::object counts_object(const std::vector<counted>& all, bool bounds) {
  return columns_object<counted, std::uint64_t>(all, bounds);
}

}  // namespace bloomtime::python
