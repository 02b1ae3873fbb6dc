#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace bloomtime::text {
namespace {

constexpr char32_t invalid = 0xffffffff;

struct character {
  char32_t code;  // `invalid` for a byte that starts no UTF-8 sequence
  std::size_t bytes;
};

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {invalid, 1};
  char32_t code = lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {invalid, 1};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[length] || surrogate || code > 0x10ffff) return {invalid, 1};
  return {code, length};
}

template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const character c = first_character(text);
    visit(c.code, text.substr(0, c.bytes));
    text.remove_prefix(c.bytes);
  }
}

// The text with replacement(code, bytes) for each character.
template <class Replacement>
std::string replaced(std::string_view text, Replacement replacement) {
  std::string out;
  for_each_character(
      text, [&](char32_t code, std::string_view bytes) { out += replacement(code, bytes); });
  return out;
}

struct code_range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool within(const std::array<code_range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](code_range r) { return r.first <= code && code <= r.last; });
}

// Marks that combine with what stands before them, and joiners (Unicode categories Mn, Me, Cf),
// as far as they are likely in a log.
constexpr std::array no_columns{
    code_range{0x0300, 0x036f},   code_range{0x0483, 0x0489}, code_range{0x0591, 0x05bd},
    code_range{0x0610, 0x061a},   code_range{0x064b, 0x065f}, code_range{0x0e34, 0x0e3a},
    code_range{0x0e47, 0x0e4e},   code_range{0x1ab0, 0x1aff}, code_range{0x1dc0, 0x1dff},
    code_range{0x20d0, 0x20f0},   code_range{0xfe00, 0xfe0f}, code_range{0xfe20, 0xfe2f},
    code_range{0xe0100, 0xe01ef},
};

// East Asian Wide and Fullwidth, and emoji shown as pictures (Unicode UAX #11).
constexpr std::array two_columns{
    code_range{0x1100, 0x115f},   code_range{0x231a, 0x231b},   code_range{0x23e9, 0x23ec},
    code_range{0x2705, 0x2705},   code_range{0x274c, 0x274c},   code_range{0x2e80, 0x303e},
    code_range{0x3041, 0xa4cf},   code_range{0xa960, 0xa97f},   code_range{0xac00, 0xd7a3},
    code_range{0xf900, 0xfaff},   code_range{0xfe30, 0xfe6f},   code_range{0xff00, 0xff60},
    code_range{0xffe0, 0xffe6},   code_range{0x1f300, 0x1f64f}, code_range{0x1f680, 0x1f6ff},
    code_range{0x1f900, 0x1f9ff}, code_range{0x20000, 0x3fffd},
};

// Controls (C0, DEL, C1), marks that change the direction of the text, separators of lines, and
// characters that cannot be seen (Unicode categories Cc, Zl, Zp and most of Cf; fillers).
constexpr std::array unseen{
    code_range{0x0000, 0x001f},   code_range{0x007f, 0x009f},   code_range{0x00ad, 0x00ad},
    code_range{0x034f, 0x034f},   code_range{0x061c, 0x061c},   code_range{0x115f, 0x1160},
    code_range{0x17b4, 0x17b5},   code_range{0x180b, 0x180f},   code_range{0x200b, 0x200f},
    code_range{0x2028, 0x202e},   code_range{0x2060, 0x206f},   code_range{0x3164, 0x3164},
    code_range{0xfeff, 0xfeff},   code_range{0xffa0, 0xffa0},   code_range{0xfff0, 0xfffb},
    code_range{0x1bca0, 0x1bca3}, code_range{0x1d173, 0x1d17a}, code_range{0xe0000, 0xe00ff},
};

bool is_unseen(char32_t code) { return within(unseen, code); }

std::string escaped(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::size_t columns_of(char32_t code, std::string_view bytes) {
  if (code == invalid || is_unseen(code)) return escaped(bytes).size();
  if (within(no_columns, code)) return 0;
  return within(two_columns, code) ? 2 : 1;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 21> spellings{{
    {"▸", ">"}, {"✓", "ok"}, {"✗", "!!"}, {"–", "-"}, {"…", "..."}, {"∞", "inf"}, {"█", "#"},
    {"░", "."}, {"·", "."},  {"±", "+-"}, {"↑", "^"}, {"↓", "v"},   {"→", ">"},   {"▁", "_"},
    {"▂", ","}, {"▃", "-"},  {"▄", "="},  {"▅", "+"}, {"▆", "*"},   {"▇", "%"},   {"⏎", "Enter"},
}};

std::string in_ascii(std::string_view bytes) {
  for (const auto& [sign, spelling] : spellings) {
    if (bytes == sign) return std::string(spelling);
  }
  return escaped(bytes);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for_each_character(
      text, [&](char32_t code, std::string_view bytes) { columns += columns_of(code, bytes); });
  return columns;
}

std::string printable(std::string_view text) {
  return replaced(text, [](char32_t code, std::string_view bytes) {
    return code == invalid || is_unseen(code) ? escaped(bytes) : std::string(bytes);
  });
}

std::string in_tsv(std::string_view text) {
  return replaced(text, [](char32_t code, std::string_view bytes) -> std::string {
    switch (code) {
      case '\t': return "\\t";
      case '\n': return "\\n";
      case '\r': return "\\r";
      case '\\': return "\\\\";
      default: break;
    }
    // A byte that is no UTF-8 stays, unless a terminal of 8 bits would obey it.
    const auto byte = static_cast<unsigned char>(bytes.front());
    const bool control = code == invalid ? byte < 0xa0 : is_unseen(code);
    return control ? escaped(bytes) : std::string(bytes);
  });
}

std::string in_json(std::string_view json) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x7f; };
  if (std::all_of(json.begin(), json.end(), plain)) return std::string(json);
  return replaced(json, [](char32_t code, std::string_view bytes) {
    constexpr char32_t plane = 0x10000;  // what lies above it takes two escapes
    if (code < 0x7f || code == invalid || !is_unseen(code)) return std::string(bytes);
    if (code < plane) return fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    const auto above = static_cast<unsigned>(code - plane);
    return fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
  });
}

std::string ascii_only(std::string_view text) {
  return replaced(text, [](char32_t code, std::string_view bytes) {
    return code >= 0x20 && code < 0x7f ? std::string(bytes) : in_ascii(bytes);
  });
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  std::string kept;
  std::size_t used = 1;  // for the sign that something is missing
  bool full = false;
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    used += columns_of(code, bytes);
    full = full || used > columns;
    if (!full) kept += bytes;
  });
  return kept + "…";
}

std::string shown(std::string_view typed) {
  constexpr std::size_t most = 40;
  constexpr std::string_view plain =
      "0123456789.,%^+-_/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (typed.empty()) return "nothing";
  const std::string text =
      typed.size() > most ? printable(typed.substr(0, most)) + "..." : printable(typed);
  return text.find_first_not_of(plain) == std::string::npos ? text : "'" + text + "'";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t columns = display_width(word);
    if (used != 0 && used + 1 + columns > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used != 0) {
      lines.back() += ' ';
      ++used;
    }
    lines.back() += word;
    used += columns;
  }
  return lines;
}

}  // namespace bloomtime::text
