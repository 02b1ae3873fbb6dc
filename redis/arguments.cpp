#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "text/quantity.hpp"

namespace bloomtime::redis {
namespace {

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string range_text(const char* what, const std::string& least, const std::string& most) {
  return std::string(what) + " must be in the range " + least + " to " + most;
}

std::string short_text(double x) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), x).ptr;
  return {text.data(), end};
}

// The number of milliseconds in a unit, and the length of its name at the end of the text.
struct unit {
  std::uint64_t ms;
  std::size_t length;
};

unit unit_of(std::string_view text) {
  if (text.ends_with("ms")) return {1, 2};
  if (text.ends_with('s')) return {1'000, 1};
  if (text.ends_with('m')) return {60'000, 1};
  if (text.ends_with('h')) return {3'600'000, 1};
  if (text.ends_with('d')) return {86'400'000, 1};
  return {1, 0};
}

}  // namespace

void fail(const std::string& text) { throw failure("ERR " + text); }

std::string_view text_of(const rm::String* s) noexcept {
  std::size_t size = 0;
  const char* const text = rm::StringPtrLen(s, &size);
  return {text, size};
}

std::optional<std::uint64_t> whole_in(std::string_view text) {
  return text::number_in<std::uint64_t>(text);
}

std::optional<double> number_in(std::string_view text) {
  const auto value = text::number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> probability_in(std::string_view text) {
  const auto value = number_in(text);
  return value && *value > 0 && *value < 1 ? value : std::nullopt;
}

bool same_word(std::string_view typed, std::string_view word) noexcept {
  return typed.size() == word.size() && std::equal(typed.begin(), typed.end(), word.begin(),
                                                   [](char a, char b) { return upper(a) == b; });
}

std::span<rm::String* const> arguments::rest() noexcept {
  const auto left = all_.subspan(at_);
  at_ = all_.size();
  return left;
}

std::span<rm::String* const> arguments::items(std::size_t group) {
  if (!more() || left() % group != 0) throw wrong_arity();
  return rest();
}

rm::String* arguments::string() {
  if (!more()) throw wrong_arity();
  return all_[at_++];
}

std::uint64_t arguments::whole(const char* what, std::uint64_t least, std::uint64_t most) {
  const auto value = whole_in(text());
  if (!value) fail(std::string("bad ") + what);
  if (*value < least || *value > most) {
    fail(range_text(what, std::to_string(least), std::to_string(most)));
  }
  return *value;
}

double arguments::number(const char* what, double least, double most) {
  const auto value = number_in(text());
  if (!value) fail(std::string("bad ") + what);
  if (*value < least || *value > most) fail(range_text(what, short_text(least), short_text(most)));
  return *value;
}

double arguments::probability(const char* what) {
  const auto value = number_in(text());
  if (!value) fail(std::string("bad ") + what);
  if (*value <= 0 || *value >= 1) fail(std::string(what) + " must be in the range (0, 1)");
  return *value;
}

std::uint64_t arguments::span_ms(const char* what) {
  const std::string_view typed = text();
  const unit u = unit_of(typed);
  const auto value = whole_in(typed.substr(0, typed.size() - u.length));
  if (!value) fail(std::string("bad ") + what);
  if (*value < 1 || *value > longest_span_ms / u.ms) {
    fail(range_text(what, "1", std::to_string(longest_span_ms)) + " milliseconds");
  }
  return *value * u.ms;
}

std::uint64_t arguments::time_ms(const char* what) { return whole(what, 0, latest_time_ms); }

std::uint64_t arguments::open_time_ms(const char* what, std::uint64_t end) {
  if (more() && text_of(all_[at_]) == (end == 0 ? "-" : "+")) {
    ++at_;
    return end;
  }
  return time_ms(what);
}

bool arguments::option(std::string_view word) {
  if (!more() || !same_word(text_of(all_[at_]), word)) return false;
  if (std::find(taken_.begin(), taken_.end(), word) != taken_.end()) {
    fail(std::string(word) + " may be given only once");
  }
  taken_.push_back(word);
  ++at_;
  return true;
}

void arguments::unknown() {
  fail("unknown argument '" + std::string(text_of(all_[at_]).substr(0, 64)) + "'");
}

void arguments::end() {
  if (more()) unknown();
}

}  // namespace bloomtime::redis
