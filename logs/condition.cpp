#include "logs/condition.hpp"

#include <array>
#include <cmath>

#include <re2/re2.h>

#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

[[noreturn]] void refuse_condition(const std::string& typed) {
  text::refuse(
      "--where must be a field, one of = != ~ !~ < <= > >=, and a value, as in status=404 or "
      "path~^/api; got {}",
      text::shown(typed));
}

// Items are bytes, so that an expression matches bytes as well.
re2::RE2::Options byte_options() {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_never_capture(true);
  return options;
}

}  // namespace

struct condition::expression {
  explicit expression(const std::string& typed) : regex(typed, byte_options()) {}

  re2::RE2 regex;
};

condition::condition(const std::string& typed) {
  struct sign {
    std::string_view text;
    comparison how;
    bool negated;
  };
  constexpr std::array signs{
      sign{"!=", comparison::equal, true},    sign{"!~", comparison::matches, true},
      sign{"<=", comparison::at_most, false}, sign{">=", comparison::at_least, false},
      sign{"==", comparison::equal, false},   sign{"=", comparison::equal, false},
      sign{"~", comparison::matches, false},  sign{"<", comparison::less, false},
      sign{">", comparison::more, false},
  };
  const std::size_t end = typed.find_first_of("!=~<>");
  if (end == typed.npos || end == 0) refuse_condition(typed);
  field_ = typed.substr(0, end);
  const std::string_view rest = std::string_view(typed).substr(end);
  const sign* found = nullptr;
  for (const sign& s : signs) {
    if (found == nullptr && rest.starts_with(s.text)) found = &s;
  }
  if (found == nullptr) refuse_condition(typed);
  how_ = found->how;
  negated_ = found->negated;
  text_ = rest.substr(found->text.size());
  if (how_ == comparison::matches) {
    const auto made = std::make_shared<expression>(text_);
    if (!made->regex.ok()) {
      text::refuse("--where {}: {} is not a regular expression: {}", text::shown(typed),
                   text::shown(text_), made->regex.error());
    }
    expression_ = made;
  } else if (how_ != comparison::equal) {
    const auto number = text::number_in<double>(text_);
    if (!number || std::isnan(*number)) {
      text::refuse("--where {} compares numbers, and {} is none", text::shown(typed),
                   text::shown(text_));
    }
    number_ = *number;
  }
}

bool condition::holds(bool found, std::string_view value) const {
  return (found && fulfils(value)) != negated_;
}

bool condition::fulfils(std::string_view value) const {
  if (how_ == comparison::equal) return value == text_;
  if (how_ == comparison::matches) {
    const re2::StringPiece text(value.data(), value.size());
    return expression_->regex.Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
  }
  const auto number = text::number_in<double>(value);
  if (!number) return false;
  switch (how_) {
    case comparison::less: return *number < number_;
    case comparison::at_most: return *number <= number_;
    case comparison::more: return *number > number_;
    default: return *number >= number_;
  }
}

}  // namespace bloomtime::logs
