#include "text/number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace bloomtime::text {
namespace {

constexpr double clumsy_in_percent = 1e-5;
constexpr int clumsy_magnitude = -4;

bool in_percent(double p) { return p >= clumsy_in_percent || p == 0; }

// 1.00e-6 for 1.00e-06.
std::string scientific(double x, int digits) {
  std::string text = fmt::format("{:.{}e}", x, digits - 1);
  const auto sign = text.find('e') + 1;
  if (text[sign + 1] == '0') text.erase(sign + 1, 1);
  return text;
}

std::string probability_digits(double p) {
  return p == 0 || !in_percent(p) ? short_text(p) : short_text(100 * p);
}

// In percent, with one decimal more than the plan is shown with.
std::string digits_like(double p, double plan) {
  const std::string shown = probability_digits(plan);
  const auto point = shown.find('.');
  const std::size_t decimals = point == std::string::npos ? 0 : shown.size() - point - 1;
  return fmt::format("{:.{}f}", 100 * p, decimals + 1);
}

}  // namespace

std::string count_text(std::uint64_t n) {
  std::string text = fmt::format("{}", n);
  for (std::size_t left = text.size(); left > 3; left -= 3) text.insert(left - 3, 1, ',');
  return text;
}

std::string short_text(double x, int digits) {
  if (std::isnan(x)) return "–";
  if (std::isinf(x)) return x > 0 ? "∞" : "-∞";
  if (x == 0) return "0";
  // Rounding can add a digit (9.996 is 10.0), so the magnitude is taken from the rounded number.
  const std::string rounded = fmt::format("{:.{}e}", x, digits - 1);
  const int magnitude = std::stoi(rounded.substr(rounded.find('e') + 1));
  if (magnitude < clumsy_magnitude) return scientific(x, digits);
  const int decimals = std::max(0, digits - 1 - magnitude);
  if (decimals == 0 && std::abs(x) < 1e18) {
    const auto whole = static_cast<std::uint64_t>(std::llround(std::abs(x)));
    return fmt::format("{}{}", x < 0 ? "-" : "", count_text(whole));
  }
  return fmt::format("{:.{}f}", x, decimals);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 would be rounded to "1,000".
  while (amount >= 999.5 && unit + 1 < units.size()) {
    amount /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", short_text(amount), units[unit]);
}

std::string probability_text(double p) {
  return probability_digits(p) + (in_percent(p) && p != 0 ? " %" : "");
}

std::string probability_text(double p, double plan) {
  return in_percent(plan) ? digits_like(p, plan) + " %" : probability_text(p);
}

std::string probability_text(double low, double high, double plan) {
  if (!in_percent(plan)) return probability_digits(low) + " – " + probability_digits(high);
  return fmt::format("{} – {} %", digits_like(low, plan), digits_like(high, plan));
}

std::string brief_probability_text(double p) {
  return in_percent(p) ? fmt::format("{:g} %", 100 * p) : scientific(p, 1);
}

std::string nanoseconds_text(double ns) {
  return ns < 10'000 ? short_text(ns, 2) + " ns" : short_text(ns / 1000, 2) + " us";
}

}  // namespace bloomtime::text
