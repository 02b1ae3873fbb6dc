#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <bloomtime/time.hpp>

// Times as logs write them; docs/input.md has the rules.
namespace bloomtime::logs {

struct zoned_time {
  instant at;
  std::int32_t offset = 0;  // seconds east of UTC, as written; 0 if it has none

  friend bool operator==(const zoned_time&, const zoned_time&) = default;
};

// ambiguous_zone: the name of a zone stands for several offsets.
enum class time_problem : std::uint8_t { none, unreadable, impossible, ambiguous_zone };

// What was written: a day is its midnight, a minute its first second.
enum class time_precision : std::uint8_t { moment, minute, day };

struct time_reading {
  zoned_time time;
  time_problem problem = time_problem::none;
  time_precision precision = time_precision::moment;
  bool zoned = false;  // the text has a zone, or is a number

  bool ok() const noexcept { return problem == time_problem::none; }
};

// Reads epoch numbers, RFC 3339, and the timestamps of web servers, mail, `date`, Go and syslog;
// also dates and times without seconds. A timestamp without a zone is in UTC, and one without a
// year is that of the latest year in which it lies at most a day after `newest`.
time_reading read_time(std::string_view text, instant newest = {}) noexcept;

// Caches the last text: neighbouring lines often have the same second.
class time_reader {
 public:
  // `newest` as for read_time(); without it the present.
  explicit time_reader(std::optional<instant> newest = {}) : newest_(newest) {}

  time_reading read(std::string_view text) noexcept;

 private:
  time_reading read_anew(std::string_view text) const noexcept;

  std::optional<instant> newest_;
  std::array<char, 40> text_{};
  std::size_t size_ = 0;
  time_reading last_;
};

}  // namespace bloomtime::logs
