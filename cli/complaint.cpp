#include "cli/complaint.hpp"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "text/suggest.hpp"
#include "text/text.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

// Without the program's name, which begins every error.
std::string lacks(const command& where, const std::string& what) {
  const std::string name = where.full_name();
  const auto blank = name.find(' ');
  if (blank == std::string::npos) return "there is no " + what;
  return name.substr(blank + 1) + " has no " + what;
}

std::string way_out(const std::optional<std::string>& meant, const command& where) {
  return meant ? fmt::format("Did you mean {}?", *meant)
               : fmt::format("See {} --help.", where.full_name());
}

std::string unknown_option(const std::string& typed, const command& where) {
  const std::string name = typed.substr(0, typed.find('='));
  std::vector<std::string> known{"--help"};
  for (const option& o : where.options()) {
    if (o.name.starts_with("--")) known.push_back(o.name);
  }
  const std::string with_dashes = name.starts_with("--") ? name : "-" + name;
  return fmt::format(
      "{}. {}{}", lacks(where, "option " + shown(name)),
      way_out(nearest(with_dashes, known), where),
      where.arguments() == nullptr ? "" : " Put -- before arguments that begin with a dash.");
}

}  // namespace

std::string complaint_about_word(const std::string& typed, const command& where) {
  std::vector<std::string> known;
  for (const auto& child : where.children()) known.push_back(child->name());
  std::optional<std::string> meant = nearest(typed, known);
  if (meant) meant = where.full_name() + " " + *meant;
  const std::string what = (known.empty() ? "argument " : "command ") + shown(typed);
  return fmt::format("{}. {}", lacks(where, what), way_out(meant, where));
}

std::string complaint_about(const std::string& typed, const command& where) {
  const bool option = typed.size() > 1 && typed.front() == '-';
  return option ? unknown_option(typed, where) : complaint_about_word(typed, where);
}

}  // namespace bloomtime::cli
