#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "api.hpp"

// What a client sent, read from left to right.
namespace bloomtime::redis {

// An error reply: text() begins with ERR or WRONGTYPE.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct wrong_arity {};

[[noreturn]] void fail(const std::string& text);  // "bad capacity" becomes "ERR bad capacity"

inline constexpr std::uint64_t longest_span_ms = 1'000'000'000'000;   // 31 years
inline constexpr std::uint64_t latest_time_ms = 253'402'300'799'999;  // the end of the year 9999
inline constexpr std::uint64_t largest_capacity = std::uint64_t{1} << 36;

std::string_view text_of(const rm::String* s) noexcept;
std::optional<double> probability_in(std::string_view text);  // strictly between 0 and 1
std::optional<std::uint64_t> whole_in(std::string_view text);
std::optional<double> number_in(std::string_view text);                  // finite
bool same_word(std::string_view typed, std::string_view word) noexcept;  // without regard to case

constexpr instant from_ms(std::uint64_t ms) noexcept {
  return instant(static_cast<std::int64_t>(ms) * 1000);
}
constexpr std::chrono::microseconds span_of_ms(std::uint64_t ms) noexcept {
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

// The arguments of a command after its name. Options are whole words, in any case, at most once
// each; a word is an option only where an option may stand.
class arguments {
 public:
  arguments(rm::String** argv, int argc) noexcept
      : all_(argv, static_cast<std::size_t>(argc)), at_(1) {}

  bool more() const noexcept { return at_ < all_.size(); }
  std::size_t left() const noexcept { return all_.size() - at_; }
  std::span<rm::String* const> rest() noexcept;  // all that are left; takes them
  // At least one, in groups of so many.
  std::span<rm::String* const> items(std::size_t group = 1);

  // Each takes the next argument; `what` names it in errors: "ERR bad capacity".
  rm::String* string();  // throws wrong_arity if there is none
  std::string_view text() { return text_of(string()); }
  std::uint64_t whole(const char* what, std::uint64_t least, std::uint64_t most);
  double number(const char* what, double least, double most);
  double probability(const char* what);
  std::uint64_t span_ms(const char* what);  // 600000, 600s, 10m, 1h, 7d
  std::uint64_t time_ms(const char* what);
  std::uint64_t open_time_ms(const char* what, std::uint64_t end);  // or `sign`, for `end`

  // Whether the next argument is this option, which is taken then.
  bool option(std::string_view word);
  [[noreturn]] void unknown();  // the next argument is none of the options
  void end();                   // throws unless there are no more

 private:
  std::span<rm::String* const> all_;
  std::size_t at_;
  std::vector<std::string_view> taken_;  // options
};

}  // namespace bloomtime::redis
