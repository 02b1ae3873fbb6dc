#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace bloomtime::cli {
namespace {

std::string quoted_word(std::string_view text) { return in_quotes(text, "\\'"); }

// `heat` and `plan heat` share a name: excludes the former if plan was typed.
std::string not_its_namesake(const command& c) {
  std::string condition;
  for (const auto& sibling : c.parent()->children()) {
    for (const auto& below : sibling->children()) {
      if (below->name() != c.name()) continue;
      condition += fmt::format("not __fish_seen_subcommand_from {}; and ", sibling->name());
    }
  }
  return condition;
}

// True in fish where exactly the commands of this path were typed, and none below it.
std::string where(const command& c) {
  std::string condition;
  for (const command* at = &c; at->parent() != nullptr; at = at->parent()) {
    condition = fmt::format("__fish_seen_subcommand_from {}; and {}{}", at->name(),
                            not_its_namesake(*at), condition);
  }
  std::vector<std::string> below;
  for (const auto& child : c.children()) below.push_back(child->name());
  if (below.empty()) return quoted_word(condition + "true");
  const std::string none = c.parent() == nullptr ? "__fish_use_subcommand"
                                                 : fmt::format("not __fish_seen_subcommand_from {}",
                                                               fmt::join(below, " "));
  return quoted_word(condition + none);
}

std::string line_of(const std::string& condition, const option& o) {
  const std::string values =
      o.choices.empty() ? "" : fmt::format(" -a '{}'", fmt::join(o.choices, " "));
  if (is_argument(o)) {
    return fmt::format("complete -c bloomtime -n {}{}{}\n", condition, is_file(o) ? " -F" : "",
                       values);
  }
  const char* what = !takes_value(o) ? "-f" : is_file(o) ? "-rF" : "-x";
  const bool short_name = !o.name.starts_with("--");
  return fmt::format("complete -c bloomtime -n {} -{} {} {}{} -d {}\n", condition,
                     short_name ? 's' : 'l', o.name.substr(short_name ? 1 : 2), what, values,
                     quoted_word(o.description));
}

}  // namespace

std::string fish_completion(const command& root) {
  std::string out =
      "# fish completion for bloomtime; written by: bloomtime completions fish\n"
      "complete -c bloomtime -f\n"
      "complete -c bloomtime -s h -l help -d 'show help'\n";
  for_each_command(root, [&](const command& c) {
    const std::string condition = where(c);
    for (const auto& child : c.children()) {
      out += fmt::format("complete -c bloomtime -n {} -a {} -d {}\n", condition, child->name(),
                         quoted_word(child->summary()));
    }
    for (const option& o : c.options()) out += line_of(condition, o);
  });
  return out;
}

}  // namespace bloomtime::cli
