#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <pybind11/pybind11.h>

#include <bloomtime/time.hpp>

// Times and durations as Python writes them. A time is epoch seconds, an aware datetime, a
// numpy.datetime64 or a pandas Timestamp, from the year 1 to 9999; a duration is a timedelta,
// seconds, or text such as "10m".
namespace bloomtime::python {

namespace py = pybind11;

void init_times();  // before the other functions

instant now() noexcept;

instant read_time(const char* name, py::handle value);
// now() for None.
instant read_time_or_now(py::handle value);

std::chrono::microseconds read_span(const char* name, py::handle value);

py::object time_object(instant t);  // an aware datetime in UTC
py::object time_object(const std::optional<instant>& t);
py::object span_object(std::chrono::microseconds span);  // a timedelta

// The times of a bulk call: one for all items, or one for each. All of them have been checked.
class time_column {
 public:
  // `value` is a time, None, an array, a Series or a sequence of times.
  static time_column read(py::handle value, std::size_t items);
  explicit time_column(instant one) : all_{one} {}

  bool single() const noexcept { return all_.size() == 1 && !each_; }
  instant front() const noexcept { return all_.front(); }
  instant operator[](std::size_t i) const noexcept { return all_[each_ ? i : 0]; }
  // The times of `count` items; `scratch` has room for as many.
  std::span<const instant> piece(std::size_t first, std::span<instant> scratch) const;

 private:
  explicit time_column(std::vector<instant> each) : all_(std::move(each)), each_(true) {}
  static time_column of_array(const py::object& times, std::size_t items);

  std::vector<instant> all_;
  bool each_ = false;
};

}  // namespace bloomtime::python
