#include "cli/output/style.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets it
  return text == nullptr ? "" : text;
}

view resolve_view(const output_options& asked, bool terminal) {
  if (static_cast<int>(asked.json) + static_cast<int>(asked.tsv) + static_cast<int>(asked.table) >
      1) {
    refuse("--json, --tsv and --table exclude each other; give one of them");
  }
  if (asked.json) return view::json;
  if (asked.tsv) return view::tsv;
  // --color always implies the table, because TSV has no colours.
  const bool table = asked.table || asked.color == "always" || terminal;
  return table ? view::people : view::tsv;
}

bool resolve_color(const std::string& asked, bool terminal) {
  if (asked == "always") return true;
  if (asked == "never") return false;
  if (asked != "auto") {
    refuse("--color must be auto, always or never, got {}", shown(asked));
  }
  if (!environment("NO_COLOR").empty()) return false;
  const std::string_view force = environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return terminal && !terminal_is_dumb();
}

std::size_t screen_width(bool terminal) {
  winsize size{};
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    return size.ws_col;
  }
  std::size_t columns = 0;
  const std::string_view text = environment("COLUMNS");
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns;
}

}  // namespace

// The first locale that is set decides; without any, UTF-8 is assumed.
bool environment_has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(environment(name));
    if (locale.empty()) continue;
    std::erase(locale, '-');
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf8") != std::string::npos;
  }
  return !terminal_is_dumb();
}

bool terminal_is_dumb() { return environment("TERM") == "dumb"; }

style resolve_style(const output_options& asked) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return {.form = resolve_view(asked, terminal),
          .color = resolve_color(asked.color, terminal),
          .unicode = !asked.ascii && environment_has_unicode(),
          .width = screen_width(terminal)};
}

}  // namespace bloomtime::cli
