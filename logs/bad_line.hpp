#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bloomtime::logs {

// Why a line is not an event.
enum class bad_line {
  other_format,
  no_item,
  no_time,
  unreadable_time,
  impossible_time,
  too_long,
  empty,
  far_ahead,  // known only when later lines contradict it; see time_gate
  no_operation,
  no_amount,
  ambiguous_zone,
};

inline constexpr std::size_t bad_line_reasons = 11;

std::string_view described(bad_line reason);  // "without the item"

struct line_counts {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;
  std::uint64_t headers = 0;
  std::uint64_t excluded = 0;  // by --where
  std::array<std::uint64_t, bad_line_reasons> bad{};

  std::uint64_t bad_lines() const;
  // "12 of 10,000 lines rejected: 7 without the item, 5 too long"
  std::string summary(std::string_view became = "rejected") const;
};

// Finds the first stretch of 100 lines of which most are bad.
class stretch_watch {
 public:
  void next(bool bad);
  std::uint64_t begin() const { return begin_; }  // its first line; 0 if there is none

 private:
  std::uint64_t line_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t begin_ = 0;
};

// The file of --rejects. It receives bad lines byte for byte.
class rejects_file {
 public:
  explicit rejects_file(const std::string& path);
  rejects_file(const rejects_file&) = delete;
  rejects_file& operator=(const rejects_file&) = delete;
  ~rejects_file();

  void add(std::string_view bytes, bool begins_line);
  void close();

 private:
  void flush();
  [[noreturn]] void fail(int reason) const;

  std::string path_;
  int descriptor_ = -1;
  std::string waiting_;
  bool line_open_ = false;  // the last line had no line end
};

// Throws if writing the rejects would overwrite an input.
void expect_other_file(const std::string& rejects, const std::string& input);

}  // namespace bloomtime::logs
