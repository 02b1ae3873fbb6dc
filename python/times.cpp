#include "times.hpp"

#include <datetime.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <pybind11/numpy.h>

#include "errors.hpp"
#include "parameters.hpp"
#include "text/quantity.hpp"

namespace bloomtime::python {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t micros_per_second = 1'000'000;
constexpr std::int64_t micros_per_day = 86'400 * micros_per_second;
// The range of datetime.
constexpr std::int64_t first_second = -62'135'596'800;
constexpr std::int64_t end_second = 253'402'300'800;

[[noreturn]] void refuse_range(const char* name, const std::string& given) {
  refuse_value("{} must lie in the years 1 to 9999; got {}", name, given);
}

instant of_micros(const char* name, std::int64_t micros) {
  const bool fits =
      micros >= first_second * micros_per_second && micros < end_second * micros_per_second;
  if (!fits) refuse_range(name, fmt::format("{} microseconds since 1970", micros));
  return instant(micros);
}

instant of_seconds(const char* name, double seconds) {
  if (std::isnan(seconds)) refuse_value("{} must be a number of seconds; got NaN", name);
  const bool fits =
      seconds >= static_cast<double>(first_second) && seconds < static_cast<double>(end_second);
  if (!fits) refuse_range(name, fmt::format("{} seconds since 1970", seconds));
  // Whole seconds first: the product of a large number of seconds is not exact.
  const double whole = std::floor(seconds);
  const auto part = static_cast<std::int64_t>(std::llround((seconds - whole) * 1e6));
  return of_micros(name, static_cast<std::int64_t>(whole) * micros_per_second + part);
}

// Whole seconds: an int or what acts as one.
instant of_index(const char* name, py::handle value) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  int overflow = 0;
  const long long seconds = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || seconds < first_second || seconds >= end_second) {
    refuse_range(name, shown(value) + " seconds since 1970");
  }
  return instant::from_seconds(seconds);
}

// -- datetime ------------------------------------------------------------------------------------

std::int64_t micros_of(PyObject* delta) {
  return PyDateTime_DELTA_GET_DAYS(delta) * micros_per_day +
         PyDateTime_DELTA_GET_SECONDS(delta) * micros_per_second +
         PyDateTime_DELTA_GET_MICROSECONDS(delta);
}

bool is_pandas(py::handle value) {
  return std::string_view(Py_TYPE(value.ptr())->tp_name).ends_with("Timestamp");
}

// Of an aware datetime. A pandas Timestamp without a zone is in UTC, as everywhere in pandas.
std::int64_t utc_offset(const char* name, py::handle value) {
  PyObject* const zone = PyDateTime_DATE_GET_TZINFO(value.ptr());
  if (zone == PyDateTimeAPI->TimeZone_UTC) return 0;
  const py::object offset = zone == Py_None ? py::none() : value.attr("utcoffset")();
  if (!offset.is_none()) return micros_of(offset.ptr());
  if (is_pandas(value)) return 0;
  refuse_value(
      "{} is a datetime without a time zone, so the moment is unknown: {}. Use "
      "datetime.now(timezone.utc), .astimezone() for local time, or .replace(tzinfo=timezone.utc)",
      name, shown(value));
}

instant of_datetime(const char* name, py::handle value) {
  using namespace std::chrono;
  PyObject* const d = value.ptr();
  const year_month_day date{year(PyDateTime_GET_YEAR(d)),
                            month(static_cast<unsigned>(PyDateTime_GET_MONTH(d))),
                            day(static_cast<unsigned>(PyDateTime_GET_DAY(d)))};
  const std::int64_t of_day =
      (PyDateTime_DATE_GET_HOUR(d) * 60 + PyDateTime_DATE_GET_MINUTE(d)) * 60 * micros_per_second +
      PyDateTime_DATE_GET_SECOND(d) * micros_per_second + PyDateTime_DATE_GET_MICROSECOND(d);
  const std::int64_t days = sys_days(date).time_since_epoch().count();
  return of_micros(name, days * micros_per_day + of_day - utc_offset(name, value));
}

bool is_datetime64(py::handle value) {
  return std::string_view(Py_TYPE(value.ptr())->tp_name) == "numpy.datetime64";
}

// -- arrays --------------------------------------------------------------------------------------

// A copy with 8-byte elements of the kind `type`, one after the other.
py::array contiguous(const py::object& array, const char* type) {
  return py::module_::import("numpy").attr("ascontiguousarray")(array, py::arg("dtype") = type);
}

template <class Number, class Convert>
std::vector<instant> each(const py::array& array, const Convert& convert) {
  const auto* const first = static_cast<const Number*>(array.data());
  const auto count = static_cast<std::size_t>(array.size());
  std::vector<instant> times;
  times.reserve(count);
  for (std::size_t i = 0; i < count; ++i) times.push_back(convert(first[i]));
  return times;
}

std::vector<instant> of_datetime64(const py::object& array) {
  const py::object micros = array.attr("astype")("datetime64[us]");
  // Beyond the years of datetime64[us] the conversion would wrap around; that to years does not.
  const py::object years = array.attr("astype")("datetime64[Y]").attr("view")("int64");
  const py::array checked = contiguous(years, "int64");
  const auto* const year = static_cast<const std::int64_t*>(checked.data());
  std::size_t i = 0;
  return each<std::int64_t>(contiguous(micros.attr("view")("int64"), "int64"), [&](std::int64_t m) {
    const std::int64_t y = year[i++];  // from 1970 on
    if (y == std::numeric_limits<std::int64_t>::min()) {
      refuse_value("at[{}] is NaT; drop the rows without a time", i - 1);
    }
    if (y < 1 - 1970 || y > 9999 - 1970) {
      refuse_range("at", fmt::format("{} years since 1970 at position {}", y, i - 1));
    }
    return instant(m);
  });
}

std::vector<instant> of_objects(const py::object& values) {
  const auto all = py::reinterpret_steal<py::tuple>(PySequence_Tuple(values.ptr()));
  if (!all) throw py::error_already_set();
  std::vector<instant> times;
  times.reserve(all.size());
  for (const py::handle value : all) {
    times.push_back(read_time(fmt::format("at[{}]", times.size()).c_str(), value));
  }
  return times;
}

// Integers, floats and what converts to a float, except times and durations of NumPy.
bool is_real(py::handle value) {
  PyObject* const v = value.ptr();
  if (PyFloat_Check(v)) return true;
  if (is_bool(value) || PySequence_Check(v) || type_of(value) == "numpy.timedelta64") return false;
  return PyIndex_Check(v) || (PyNumber_Check(v) && Py_TYPE(v)->tp_as_number->nb_float != nullptr);
}

// Infinite if it is too large.
double double_of(py::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr) return number;
  if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) throw py::error_already_set();
  PyErr_Clear();
  return std::numeric_limits<double>::infinity();
}

bool is_one_time(py::handle value) {
  PyObject* const v = value.ptr();
  return PyFloat_Check(v) || PyLong_Check(v) || PyDateTime_Check(v) || is_datetime64(value) ||
         (PyIndex_Check(v) && !PySequence_Check(v));
}

}  // namespace

void init_times() {
  PyDateTime_IMPORT;
  if (PyDateTimeAPI == nullptr) throw py::error_already_set();
}

instant now() noexcept { return std::chrono::system_clock::now(); }

instant read_time(const char* name, py::handle value) {
  PyObject* const v = value.ptr();
  if (PyFloat_Check(v)) return of_seconds(name, PyFloat_AS_DOUBLE(v));
  if (PyLong_CheckExact(v)) return of_index(name, value);
  if (PyDateTime_Check(v)) return of_datetime(name, value);
  if (is_bool(value)) refuse_type("{} must be a time; got {}", name, shown(value));
  if (is_datetime64(value)) {
    return of_datetime64(value.attr("reshape")(1)).front();
  }
  if (PyIndex_Check(v) && !PySequence_Check(v)) return of_index(name, value);
  if (is_real(value)) return of_seconds(name, double_of(value));
  if (PyObject_HasAttrString(v, "toordinal") != 0 && PyObject_HasAttrString(v, "hour") == 0) {
    refuse_type("{} must be a moment; got the date {}. Use a datetime with a time zone", name,
                shown(value));
  }
  refuse_type(
      "{} must be seconds since 1970, a datetime with a time zone, a numpy.datetime64 or a pandas "
      "Timestamp; got {}",
      name, shown(value));
}

instant read_time_or_now(py::handle value) {
  return value.is_none() ? now() : read_time("at", value);
}

microseconds read_span(const char* name, py::handle value) {
  PyObject* const v = value.ptr();
  if (PyUnicode_Check(v)) return text::parse_span(name, read_text(name, value));
  const bool is_delta = PyDelta_Check(v);
  if (!is_delta && !is_real(value)) {
    refuse_type("{} must be a timedelta, seconds, or text such as \"10m\"; got {}", name,
                shown(value));
  }
  constexpr int most_days = 100'000'000;
  const double days = is_delta ? PyDateTime_DELTA_GET_DAYS(v) : double_of(value) / 86'400;
  if (!(days >= 0 && days < most_days)) {
    refuse_value("{} must be from 0 to {} days; got {}", name, most_days, shown(value));
  }
  return microseconds(is_delta ? micros_of(v) : std::llround(double_of(value) * 1e6));
}

py::object time_object(instant t) {
  using namespace std::chrono;
  const std::int64_t micros =
      std::clamp(t.micros, first_second * micros_per_second, end_second * micros_per_second - 1);
  const sys_time<microseconds> time{microseconds(micros)};
  const auto midnight = floor<days>(time);
  const year_month_day date(midnight);
  const hh_mm_ss of_day(time - midnight);
  PyObject* const made = PyDateTimeAPI->DateTime_FromDateAndTime(
      static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
      static_cast<int>(static_cast<unsigned>(date.day())), static_cast<int>(of_day.hours().count()),
      static_cast<int>(of_day.minutes().count()), static_cast<int>(of_day.seconds().count()),
      static_cast<int>(of_day.subseconds().count()), PyDateTimeAPI->TimeZone_UTC,
      PyDateTimeAPI->DateTimeType);
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

py::object time_object(const std::optional<instant>& t) { return t ? time_object(*t) : py::none(); }

py::object span_object(microseconds span) {
  constexpr std::int64_t most_days = 999'999'999;
  const std::int64_t days = span.count() / micros_per_day;
  const std::int64_t rest = span.count() % micros_per_day;
  PyObject* const made = PyDelta_FromDSU(static_cast<int>(std::clamp(days, -most_days, most_days)),
                                         static_cast<int>(rest / micros_per_second),
                                         static_cast<int>(rest % micros_per_second));
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

// -- a column ------------------------------------------------------------------------------------

time_column time_column::of_array(const py::object& times, std::size_t items) {
  const py::array array = times;
  expect_unmasked("at", array);
  if (array.ndim() != 1) {
    refuse_value("at must have one dimension; got {}", array.ndim());
  }
  if (static_cast<std::size_t>(array.size()) != items) {
    refuse_value("at must have one time for each of the {} items; got {}", items, array.size());
  }
  std::size_t i = 0;
  const auto seconds_at = [&](auto seconds) {
    const auto s = static_cast<double>(seconds);
    const bool fits = s >= static_cast<double>(first_second) && s < static_cast<double>(end_second);
    const std::size_t at = i++;
    return of_seconds(fits ? "at" : fmt::format("at[{}]", at).c_str(), s);
  };
  switch (array.dtype().kind()) {
    case 'M': return time_column(of_datetime64(array));
    case 'f': return time_column(each<double>(contiguous(array, "float64"), seconds_at));
    case 'i': return time_column(each<std::int64_t>(contiguous(array, "int64"), seconds_at));
    case 'u': return time_column(each<std::uint64_t>(contiguous(array, "uint64"), seconds_at));
    case 'O': return time_column(of_objects(array));
    default:
      refuse_type("at must be an array of times or of seconds; got an array of {}",
                  py::cast<std::string>(py::str(array.dtype())));
  }
}

time_column time_column::read(py::handle value, std::size_t items) {
  if (value.is_none()) return time_column(now());
  if (is_one_time(value)) return time_column(read_time("at", value));
  if (PyUnicode_Check(value.ptr())) return time_column(read_time("at", value));
  const py::module_ numpy = py::module_::import("numpy");
  if (py::hasattr(value, "to_numpy")) {  // pandas; a column with a zone has the attribute tz
    const bool zoned = py::hasattr(value, "dtype") && py::hasattr(value.attr("dtype"), "tz");
    return of_array(zoned ? value.attr("to_numpy")("datetime64[ns]") : value.attr("to_numpy")(),
                    items);
  }
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
    const py::array array = numpy.attr("asanyarray")(value);
    return array.ndim() == 0 ? time_column(read_time("at", value)) : of_array(array, items);
  }
  std::vector<instant> times = of_objects(py::reinterpret_borrow<py::object>(value));
  if (times.size() != items) {
    refuse_value("at must have one time for each of the {} items; got {}", items, times.size());
  }
  return time_column(std::move(times));
}

std::span<const instant> time_column::piece(std::size_t first, std::span<instant> scratch) const {
  if (each_) return std::span(all_).subspan(first, scratch.size());
  std::fill(scratch.begin(), scratch.end(), all_.front());
  return scratch;
}

}  // namespace bloomtime::python
