#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <bloomtime/estimate.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/counted.hpp>

// Answers of the library as Python objects. The classes are those of bloomtime/_answers.py.
namespace bloomtime::python {

namespace py = pybind11;

py::object answer_class(const char* name);  // of bloomtime._answers

py::object estimate_object(const estimate& e);
py::object count_object(const counted& c);
py::str outcome_object(outcome o);
py::dict facts_object(const std::vector<fact>& facts);
py::dict losses_object(const losses& lost);

// The result of a bulk call, filled in by it without the GIL.
template <class T>
struct result_array {
  explicit result_array(std::size_t size)
      : object(static_cast<py::ssize_t>(size)), all(object.mutable_data(), size) {}

  std::span<T> piece(std::size_t first, std::size_t count) const {
    return all.subspan(first, count);
  }

  py::array_t<T> object;
  std::span<T> all;
};

// How many were counted as requested.
std::size_t count_recorded(std::span<const outcome> outcomes) noexcept;

// Records (value, lower, upper), or the values alone: the result of a bulk call that fills it in
// piece by piece, without the GIL.
template <class Number>
class bounded_array {
 public:
  bounded_array(std::size_t size, bool bounds);

  template <class Answer>
  void fill(std::size_t first, std::span<const Answer> answers) const noexcept {
    Number* out = first_ + first * (bounds_ ? 3 : 1);
    for (const Answer& a : answers) {
      *out++ = a.value;
      if (!bounds_) continue;
      *out++ = a.lower;
      *out++ = a.upper;
    }
  }
  const py::array& object() const noexcept { return object_; }

 private:
  bool bounds_;
  py::array object_;
  Number* first_;
};

extern template class bounded_array<double>;
extern template class bounded_array<std::uint64_t>;

}  // namespace bloomtime::python
