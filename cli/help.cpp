#include "cli/help.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace bloomtime::cli {
namespace {

using entries = std::vector<std::pair<std::string, std::string>>;

std::string listed(std::string_view heading, const entries& list) {
  if (list.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, meaning] : list) width = std::max(width, name.size());
  std::string out = fmt::format("\n{}\n", heading);
  for (const auto& [name, meaning] : list) {
    out += fmt::format("  {:{}}  {}\n", name, width, meaning);
  }
  return out;
}

std::string indented(std::string_view heading, std::string_view lines) {
  if (lines.empty()) return "";
  std::string out = fmt::format("\n{}\n", heading);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    out += fmt::format("  {}\n", line);
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
  }
  return out;
}

std::string commands(const command& about) {
  entries list;
  for (const auto& child : about.children()) list.emplace_back(child->name(), child->summary());
  return listed("Commands", list);
}

std::string options(const command& about, std::string_view group) {
  entries list;
  for (const option& o : about.options()) {
    if (o.group != group) continue;
    list.emplace_back(o.type.empty() ? o.name : o.name + " " + o.type, o.description);
  }
  if (group == "Options") list.emplace_back("-h, --help", "show this help");
  return listed(group, list);
}

}  // namespace

std::string help_text(const command& about) {
  const std::string name = about.full_name();
  return fmt::format("{}: {}\n", name, about.summary()) + indented("Examples", about.examples) +
         indented("Usage", about.usage.empty() ? name : name + " " + about.usage) +
         commands(about) + options(about, "Arguments") + options(about, "Options") +
         options(about, "Input") + options(about, "Output") + indented("Prints", about.details);
}

}  // namespace bloomtime::cli
