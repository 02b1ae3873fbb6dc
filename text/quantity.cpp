#include "text/quantity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::text {
namespace {

__extension__ using wide = unsigned __int128;

constexpr int far = 100'000;  // an exponent beyond any use; larger ones are cut to it

// digits * 10^exponent, exactly as typed, so that 1% is the double nearest to 0.01 and 2.5k is
// 2500 without rounding. digits has no zeros at either end; none at all means zero.
struct decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads from the front of a text and takes off what it has read.
class scanner {
 public:
  explicit scanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }

  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  bool take_sign() {
    if (take("-")) return true;
    take("+");
    return false;
  }

  std::string_view take_digits() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_digit);
    const auto count = static_cast<std::size_t>(end - rest_.begin());
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }

  std::optional<int> take_exponent() {
    scanner ahead = *this;
    const bool negative = ahead.take_sign();
    const std::string_view digits = ahead.take_digits();
    if (digits.empty()) return std::nullopt;
    *this = ahead;
    int value = 0;
    for (const char c : digits) value = std::min(value * 10 + (c - '0'), far);
    return negative ? -value : value;
  }

  // Digits before the point, in groups of three if commas stand between them.
  std::optional<std::string> take_whole_part() {
    std::string digits(take_digits());
    bool grouped = false;
    while (!digits.empty() && take(",")) {
      const std::string_view group = take_digits();
      if (group.size() != 3 || (!grouped && digits.size() > 3)) return std::nullopt;
      digits += group;
      grouped = true;
    }
    return digits;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

 private:
  std::string_view rest_;
};

void normalise(decimal& number) {
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  const std::size_t kept = number.digits.find_last_not_of('0') + 1;
  number.exponent += static_cast<int>(std::min<std::size_t>(number.digits.size() - kept, far));
  number.digits.resize(kept);
}

std::optional<decimal> take_decimal(scanner& in) {
  decimal number;
  number.negative = in.take_sign();
  if (in.take("10^")) {
    const auto power = in.take_exponent();
    if (!power) return std::nullopt;
    number.digits = "1";
    number.exponent = *power;
    return number;
  }
  auto whole = in.take_whole_part();
  if (!whole) return std::nullopt;
  const std::string_view fraction = in.take(".") ? in.take_digits() : std::string_view();
  number.digits = *whole + std::string(fraction);
  if (number.digits.empty()) return std::nullopt;
  number.exponent = -static_cast<int>(std::min<std::size_t>(fraction.size(), far));
  scanner ahead = in;
  if (ahead.take("e") || ahead.take("E")) {
    if (const auto power = ahead.take_exponent()) {
      number.exponent += *power;
      in = ahead;
    }
  }
  normalise(number);
  return number;
}

struct unit {
  std::string_view suffix;  // lower case
  std::uint64_t factor;
};

using units = std::span<const unit>;

constexpr std::array count_units{unit{"", 1}, unit{"k", 1'000}, unit{"m", 1'000'000},
                                 unit{"g", 1'000'000'000}, unit{"t", 1'000'000'000'000}};

constexpr std::uint64_t one = 1;
constexpr std::array byte_units{unit{"", 1},
                                unit{"b", 1},
                                unit{"k", one << 10},
                                unit{"kib", one << 10},
                                unit{"kb", 1'000},
                                unit{"m", one << 20},
                                unit{"mib", one << 20},
                                unit{"mb", 1'000'000},
                                unit{"g", one << 30},
                                unit{"gib", one << 30},
                                unit{"gb", 1'000'000'000},
                                unit{"t", one << 40},
                                unit{"tib", one << 40},
                                unit{"tb", 1'000'000'000'000}};

constexpr std::array second_units{unit{"", 1}, unit{"s", 1}, unit{"m", 60}, unit{"h", 3'600},
                                  unit{"d", 86'400}};

std::optional<std::uint64_t> factor_of(std::string_view suffix, units known) {
  std::string lower(suffix);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const unit& u) { return u.suffix == lower; });
  return found == known.end() ? std::nullopt : std::optional(found->factor);
}

enum class problem { none, not_a_number, negative, zero, broken, too_large };

struct reading {
  std::uint64_t value = 0;
  problem trouble = problem::none;
};

// number * factor, cut to a whole number; `broken` tells that something was cut.
reading scaled(const decimal& number, std::uint64_t factor) {
  constexpr wide most = std::numeric_limits<std::uint64_t>::max();
  constexpr std::size_t exact_digits = 20;  // below 2^67, which leaves room for any factor
  const std::string_view digits = std::string_view(number.digits).substr(0, exact_digits);
  wide value = 0;
  for (const char c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  value *= factor;
  bool cut = digits.size() < number.digits.size();
  const auto left = static_cast<int>(std::min<std::size_t>(number.digits.size(), far));
  int exponent = number.exponent + left - static_cast<int>(digits.size());
  for (; exponent < 0 && value != 0; ++exponent) {
    cut = cut || value % 10 != 0;
    value /= 10;
  }
  for (; exponent > 0 && value <= most; --exponent) value *= 10;
  if (value > most) return {0, problem::too_large};
  return {static_cast<std::uint64_t>(value), cut ? problem::broken : problem::none};
}

reading read_whole(std::string_view text, units known) {
  scanner in(text);
  const auto number = take_decimal(in);
  if (!number) return {0, problem::not_a_number};
  in.skip_blanks();
  const auto factor = factor_of(in.rest(), known);
  if (!factor) return {0, problem::not_a_number};
  if (number->digits.empty()) return {0, problem::zero};
  if (number->negative) return {0, problem::negative};
  return scaled(*number, *factor);
}

std::optional<double> read_probability(std::string_view text) {
  scanner in(text);
  auto number = take_decimal(in);
  if (!number || number->negative || number->digits.empty()) return std::nullopt;
  in.skip_blanks();
  if (in.take("%")) number->exponent -= 2;
  if (!in.rest().empty()) return std::nullopt;
  return number_in<double>(fmt::format("{}e{}", number->digits, number->exponent));
}

std::string complaint_about_unit(std::string_view text) {
  scanner in(text);
  if (!take_decimal(in)) return "";
  in.skip_blanks();
  if (factor_of(in.rest(), second_units)) return "";
  return fmt::format("; there is no unit {}", shown(in.rest()));
}

[[noreturn]] void refuse_value(std::string_view option, std::string_view rule,
                               std::string_view text) {
  refuse("{} {}, got {}", option, rule, shown(text));
}

}  // namespace

std::uint64_t parse_count(std::string_view option, std::string_view text) {
  const reading found = read_whole(text, count_units);
  switch (found.trouble) {
    case problem::none: return found.value;
    case problem::not_a_number:
      refuse_value(option, "must be a number such as 1M, 2.5k, 10^6 or 1000000", text);
    case problem::broken:
      refuse_value(option, "must be a whole number (for example 1M or 2.5k)", text);
    case problem::too_large:
      refuse_value(option, "can be at most 18446744073709551615 (18.4 * 10^18)", text);
    case problem::negative:
    case problem::zero: break;
  }
  refuse_value(option, "must be at least 1", text);
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  const reading found = read_whole(text, byte_units);
  switch (found.trouble) {
    case problem::none:
    case problem::broken:
      if (found.value != 0) return found.value;
      break;
    case problem::not_a_number:
      refuse_value(option, "must be a size such as 16MiB, 10MB or 512K", text);
    case problem::too_large:
      refuse_value(option, "must be below 2^64 bytes (for example 16MiB)", text);
    case problem::negative:
    case problem::zero: break;
  }
  refuse_value(option, "must be at least one byte (for example 16MiB)", text);
}

std::uint64_t parse_seconds(std::string_view option, std::string_view text) {
  const reading found = read_whole(text, second_units);
  if (found.trouble == problem::none && found.value != 0) return found.value;
  refuse("{} must be a time of whole seconds, at least one, such as 90s, 5m, 24h or 1d, got {}{}",
         option, shown(text), complaint_about_unit(text));
}

std::chrono::microseconds parse_span(std::string_view option, std::string_view text) {
  constexpr std::uint64_t most = std::chrono::microseconds::max().count() / 1'000'000;
  const std::uint64_t seconds = parse_seconds(option, text);
  if (seconds <= most) return std::chrono::seconds(seconds);
  refuse_value(option, fmt::format("can be at most {} seconds (292,000 years)", most), text);
}

double parse_probability(std::string_view option, std::string_view text) {
  const auto value = read_probability(text);
  if (value && *value > 0 && *value < 1) return *value;
  refuse_value(option, "must lie between 0 and 1 (for example 1% or 0.01)", text);
}

}  // namespace bloomtime::text
