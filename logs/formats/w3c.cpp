#include "logs/formats/w3c.hpp"

#include <algorithm>
#include <array>

#include "logs/columns.hpp"
#include "logs/take.hpp"

namespace bloomtime::logs {
namespace {

constexpr std::size_t most_columns = 1000;

struct known_column {
  const char* name;
  const char* column;
};

// The first of several columns for a name counts.
constexpr std::array known{
    known_column{"host", "c-ip"},
    known_column{"host", "cs-ip"},
    known_column{"method", "cs-method"},
    known_column{"path", "cs-uri-stem"},
    known_column{"path", "cs-uri"},
    known_column{"status", "sc-status"},
    known_column{"bytes", "sc-bytes"},
    known_column{"agent", "cs(User-Agent)"},
    known_column{"referrer", "cs(Referer)"},
    known_column{"site", "x-host-header"},
    known_column{"site", "cs(Host)"},
    known_column{"site", "cs-host"},
    known_column{"site", "s-sitename"},
    known_column{"user", "cs-username"},
    known_column{"protocol", "cs-version"},
    known_column{"protocol", "cs-protocol-version"},
};

std::size_t column_of(const std::vector<std::string>& columns, std::string_view name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() ? field::none : static_cast<std::size_t>(found - columns.begin());
}

bool has_name(const std::vector<field>& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](const field& f) { return f.name == name; });
}

}  // namespace

std::optional<std::vector<std::string>> w3c_columns(std::string_view text) {
  constexpr std::string_view directive = "#Fields:";
  if (!text.starts_with(directive)) return std::nullopt;
  std::vector<std::string_view> words(most_columns);
  words.resize(split_words(text.substr(directive.size()), words));
  return std::vector<std::string>(words.begin(), words.end());
}

std::size_t split_w3c(std::string_view text, std::span<std::string_view> into) {
  std::size_t count = 0;
  for (; count < into.size() && !text.empty(); ++count) into[count] = take_word(text);
  return count;
}

std::size_t split_cloudfront(std::string_view text, std::span<std::string_view> into) {
  return split_tabs(text, into);
}

std::vector<field> w3c_fields(const std::vector<std::string>& columns, bool cloudfront) {
  using enum field::part;
  std::vector<field> fields;
  for (std::size_t i = 0; i < columns.size(); ++i) fields.push_back({columns[i], value, i});
  const std::size_t query = column_of(columns, "cs-uri-query");
  for (const known_column& k : known) {
    const std::size_t column = column_of(columns, k.column);
    if (column == field::none || has_name(fields, k.name)) continue;
    field made{k.name, value, column};
    const std::string_view name = k.name;
    if (name == "path" && query != field::none) {
      made.what = stem;
      made.second = query;
    }
    if (cloudfront && (name == "agent" || name == "referrer")) made.what = decoded;
    fields.push_back(made);
  }
  return fields;
}

}  // namespace bloomtime::logs
