#include "logs/formats/timed.hpp"

#include <algorithm>

#include "logs/columns.hpp"
#include "logs/take.hpp"
#include "logs/zone_names.hpp"

namespace bloomtime::logs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "10:00:00" at the front
bool clock_at(std::string_view text) {
  return text.size() >= 8 && is_digit(text[0]) && text[2] == ':' && text[5] == ':';
}

bool is_offset(std::string_view text) {
  return text.size() >= 3 && (text[0] == '+' || text[0] == '-') &&
         (all_digits(text.substr(1)) || (text.size() == 6 && text[3] == ':'));
}

// Go's monotonic clock, as in m=+0.000123.
bool is_monotonic(std::string_view text) {
  return text.size() > 3 && (text.starts_with("m=+") || text.starts_with("m=-"));
}

// The size of the word behind the blank at the front, with the blank and without a colon at its
// end, if it fits; 0 if not.
template <class Test>
std::size_t word_size(std::string_view text, Test fits) {
  std::string_view word = text.substr(0, text.find(' ', 1));
  if (word.ends_with(':')) word.remove_suffix(1);
  return !word.empty() && fits(word.substr(1)) ? word.size() : 0;
}

// The size of a zone as in " +0100", " CET" and Go's " +0100 CET m=+0.01" at the front.
std::size_t zone_size(std::string_view text) {
  const auto is_zone = [](std::string_view w) { return is_zone_name(w) || is_offset(w); };
  std::size_t size = word_size(text, is_zone);
  if (size == 0) return 0;
  if (is_offset(text.substr(1, size - 1))) size += word_size(text.substr(size), is_zone);
  return size + word_size(text.substr(size), is_monotonic);
}

// The size of the time at the front; 0 if there is none.
std::size_t time_size(std::string_view text) {
  constexpr std::size_t date = 10;
  if (text.size() < date + 9 || (text[4] != '-' && text[4] != '/') || text[7] != text[4]) return 0;
  if (!is_digit(text[0])) return 0;
  if (text[date] != 'T' && text[date] != 't' && text[date] != ' ') return 0;
  if (!clock_at(text.substr(date + 1))) return 0;
  std::size_t size = std::min(text.find(' ', date + 1), text.size());
  if (text[size - 1] == ':') return size - 1;
  return size + zone_size(text.substr(size));
}

}  // namespace

std::size_t split_timed(std::string_view text, std::span<std::string_view> into) {
  std::string_view time;
  std::string_view rest = text;
  if (text.starts_with('[')) {
    time = take_brackets(rest);
    if (time_size(time.substr(0, time.size())) != time.size() || time.empty()) return 0;
  } else {
    const std::size_t size = time_size(text);
    if (size == 0) return 0;
    time = text.substr(0, size);
    rest = text.substr(std::min(text.find_first_not_of(": ", size), text.size()));
  }
  if (!into.empty()) into[0] = time;
  if (into.size() > 1) into[1] = rest;
  if (into.size() <= first_timed_word) return into.size();
  return first_timed_word + split_words(text, into.subspan(first_timed_word));
}

const std::vector<field>& timed_fields() {
  static const std::vector<field> fields{{"time", field::part::value, 0},
                                         {"message", field::part::value, 1}};
  return fields;
}

}  // namespace bloomtime::logs
