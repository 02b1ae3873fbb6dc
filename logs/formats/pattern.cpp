#include "logs/formats/pattern.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "logs/take.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

struct directive {
  char letter;
  const char* name;  // empty: the value is not used
};

constexpr std::array apache{
    directive{'h', "host"},     directive{'a', "host"},     directive{'l', "ident"},
    directive{'u', "user"},     directive{'t', "time"},     directive{'r', "request"},
    directive{'s', "status"},   directive{'b', "bytes"},    directive{'B', "bytes"},
    directive{'O', "bytes"},    directive{'I', "received"}, directive{'S', "transferred"},
    directive{'D', "micros"},   directive{'T', "seconds"},  directive{'v', "site"},
    directive{'V', "site"},     directive{'p', "port"},     directive{'P', "pid"},
    directive{'U', "path"},     directive{'q', "query"},    directive{'m', "method"},
    directive{'H', "protocol"}, directive{'A', "local"},    directive{'f', "file"},
    directive{'k', "requests"}, directive{'X', "closed"},   directive{'L', "id"},
};

constexpr std::array goaccess{
    directive{'h', "host"},     directive{'^', ""},       directive{'d', "date"},
    directive{'t', "clock"},    directive{'x', "time"},   directive{'r', "request"},
    directive{'m', "method"},   directive{'U', "path"},   directive{'q', "query"},
    directive{'H', "protocol"}, directive{'s', "status"}, directive{'b', "bytes"},
    directive{'R', "referrer"}, directive{'u', "agent"},  directive{'e', "user"},
    directive{'T', "seconds"},  directive{'D', "micros"}, directive{'L', "millis"},
    directive{'v', "site"},     directive{'C', "cache"},  directive{'K', "cipher"},
    directive{'M', "type"},     directive{'n', "nanos"},
};

bool is_goaccess(std::string_view typed) {
  constexpr std::string_view only_there = "^dxRe~";
  for (std::size_t at = typed.find('%'); at < typed.size(); at = typed.find('%', at + 1)) {
    if (++at == typed.size()) break;
    if (only_there.find(typed[at]) != typed.npos) return true;
    if (typed[at] == '{') at = std::min(typed.find('}', at), typed.size());
  }
  return false;
}

template <class Table>
std::optional<std::string> name_in(const Table& table, char letter) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const directive& d) { return d.letter == letter; });
  return found == table.end() ? std::nullopt : std::optional<std::string>(found->name);
}

// The position of this text. A quote after a backslash is skipped.
std::size_t find_text(std::string_view in, std::string_view text, std::size_t from) {
  std::size_t at = in.find(text, from);
  while (at != in.npos && text.front() == '"' && escaped_at(in, at)) at = in.find(text, at + 1);
  return at;
}

}  // namespace

class pattern::parser {
 public:
  explicit parser(pattern& into)
      : made_(into), typed_(into.typed_), goaccess_(is_goaccess(into.typed_)) {}

  void run() {
    while (at_ < typed_.size()) {
      if (typed_[at_] == '%') {
        read_directive();
      } else {
        read_text();
      }
    }
    if (made_.steps_.empty()) refuse(0, "has no directive such as %h");
    made_.last_ = literal_;
    add_parts();
  }

 private:
  template <class... Values>
  [[noreturn]] void refuse(std::size_t place, fmt::format_string<Values...> what,
                           Values&&... values) {
    text::refuse("--pattern {} {} (character {})", text::shown(typed_),
                 fmt::format(what, std::forward<Values>(values)...), place + 1);
  }

  // \" \\ and \t are written as in a configuration file.
  void read_text() {
    char c = typed_[at_++];
    if (c == '\\' && at_ < typed_.size()) {
      const char next = typed_[at_];
      if (next == '"' || next == '\\' || next == 't') {
        c = next == 't' ? '\t' : next;
        ++at_;
      }
    }
    literal_.push_back(c);
  }

  void read_directive() {
    const std::size_t place = at_++;
    if (at_ < typed_.size() && typed_[at_] == '%') {
      ++at_;
      literal_.push_back('%');
      return;
    }
    if (goaccess_ && at_ < typed_.size() && typed_[at_] == '~') {
      ++at_;
      if (literal_.empty() && !made_.steps_.empty()) literal_.push_back(' ');
      skips_blanks_ = true;
      return;
    }
    const bool whole_time = goaccess_ && typed_.compare(place, 9, "%d:%t %^]") == 0;
    if (whole_time) {
      at_ = place + 8;
      return add(place, "time");
    }
    add(place, name_of_directive(place));
  }

  std::string name_of_directive(std::size_t place) {
    // Conditions and > < of Apache change nothing that matters here: %>s, %!200,304{Referer}i
    while (!goaccess_ && at_ < typed_.size() &&
           std::string_view("<>!,0123456789").find(typed_[at_]) != std::string_view::npos) {
      ++at_;
    }
    std::optional<std::string> argument;
    if (!goaccess_ && at_ < typed_.size() && typed_[at_] == '{') {
      const std::size_t end = typed_.find('}', at_);
      if (end == typed_.npos) refuse(place, "has a {{ without a }}");
      argument = typed_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    }
    if (at_ >= typed_.size()) refuse(place, "ends in the middle of a directive");
    const char letter = typed_[at_++];
    if (argument && std::string_view("ioeCn").find(letter) != std::string_view::npos) {
      if (letter == 'i' && *argument == "Referer") return "referrer";
      if (letter == 'i' && *argument == "User-Agent") return "agent";
      return *argument;
    }
    if (letter == '^') return "";  // %^FB of Apache has two letters more
    const auto name = goaccess_ ? name_in(goaccess, letter) : name_in(apache, letter);
    if (!name) {
      refuse(place, "has the unknown directive {}", text::shown(typed_.substr(place, at_ - place)));
    }
    return *name;
  }

  void add(std::size_t place, const std::string& name) {
    if (!made_.steps_.empty() && literal_.empty()) {
      refuse(place, "cannot be matched: nothing stands between two directives");
    }
    const std::size_t column = made_.steps_.size();
    made_.steps_.push_back({literal_, skips_blanks_, name == "time", place});
    literal_.clear();
    skips_blanks_ = false;
    if (name.empty() || has(name)) return;
    made_.fields_.push_back({name, field::part::value, column});
  }

  const field* has(std::string_view name) const {
    const auto found = std::find_if(made_.fields_.begin(), made_.fields_.end(),
                                    [&](const field& f) { return f.name == name; });
    return found == made_.fields_.end() ? nullptr : &*found;
  }

  // Method, path and protocol of a request; a path with its query.
  void add_parts() {
    if (const field* request = has("request")) {
      const std::size_t column = request->column;
      if (!has("method")) made_.fields_.push_back({"method", field::part::method, column});
      if (!has("path")) made_.fields_.push_back({"path", field::part::path, column});
      if (!has("protocol")) made_.fields_.push_back({"protocol", field::part::protocol, column});
    }
    const field* query = has("query");
    if (query == nullptr) return;
    for (field& f : made_.fields_) {
      if (f.name != "path" || f.what != field::part::value) continue;
      f.second = query->column;
      f.what = field::part::stem;
    }
  }

  pattern& made_;
  const std::string& typed_;
  bool goaccess_;
  std::size_t at_ = 0;
  std::string literal_;
  bool skips_blanks_ = false;
};

pattern::pattern(const std::string& typed) : typed_(typed) { parser(*this).run(); }

std::string_view pattern::text_after(std::size_t column) const {
  return column + 1 < steps_.size() ? steps_[column + 1].before : last_;
}

std::size_t pattern::split(std::string_view text, std::span<std::string_view> into) const {
  if (!text.starts_with(steps_.front().before)) return 0;
  text.remove_prefix(steps_.front().before.size());
  const std::size_t most = std::min(into.size(), steps_.size());
  for (std::size_t i = 0; i < most; ++i) {
    const step& s = steps_[i];
    if (s.skips_blanks) text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const std::string_view next = text_after(i);
    const bool inside = s.bracketed && text.starts_with('[');
    const std::size_t bracket = inside ? text.find(']') : text.npos;
    std::size_t end =
        next.empty() ? text.size() : find_text(text, next, bracket == text.npos ? 0 : bracket);
    if (end == text.npos) {
      if (i + 1 < steps_.size()) return i;
      end = text.size();  // the line was cut
    }
    into[i] = text.substr(0, end);
    if (bracket != text.npos && bracket + 1 == end) into[i] = text.substr(1, bracket - 1);
    text.remove_prefix(std::min(end + next.size(), text.size()));
  }
  return most;
}

void pattern::expect_match(const std::vector<std::string_view>& lines,
                           const std::string& file) const {
  std::vector<std::string_view> columns(steps_.size());
  std::size_t best = 0;
  for (const std::string_view text : lines) {
    const std::size_t found = split(text, columns);
    if (found == columns.size()) return;
    best = std::max(best, found);
  }
  if (lines.empty()) return;
  const std::string_view line = lines.front();
  text::refuse(
      "--pattern {} matches none of the first {} lines of {}; it stops at character {}, {}. The "
      "first line is {}",
      text::shown(typed_), lines.size(), file, steps_[best].place + 1,
      text::shown(typed_.substr(steps_[best].place, 20)), text::shown(line.substr(0, 200)));
}

}  // namespace bloomtime::logs
