#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <bloomtime/time.hpp>

// Times as logs write them; docs/input.md has the rules.
namespace bloomtime::cli {

struct zoned_time {
  instant at;
  std::int32_t offset = 0;  // seconds east of UTC, as written; 0 where nothing is

  friend bool operator==(const zoned_time&, const zoned_time&) = default;
};

enum class time_problem { none, unreadable, impossible };

struct time_reading {
  zoned_time time;
  time_problem problem = time_problem::none;

  bool ok() const noexcept { return problem == time_problem::none; }
};

// Epoch numbers, RFC 3339, and the form of web server logs, told apart by their shape.
time_reading read_time(std::string_view text) noexcept;

// Remembers the last text: neighbouring lines often share their second.
class time_reader {
 public:
  time_reading read(std::string_view text) noexcept;

 private:
  std::array<char, 40> text_{};
  std::size_t size_ = 0;
  time_reading last_;
};

}  // namespace bloomtime::cli
