#include "cli/help.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/output/render.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t page_width = 98;  // without the indent
constexpr std::size_t widest_name = 24;

// A table of two columns; meanings are wrapped, and begin below names that are too wide.
std::string listed(std::string_view heading, const entries& list) {
  if (list.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, meaning] : list) {
    if (name.size() <= widest_name) width = std::max(width, name.size());
  }
  std::string out = fmt::format("\n{}\n", heading);
  for (const auto& [name, meaning] : list) {
    std::string beside = name;
    if (name.size() > width) {
      out += fmt::format("  {}\n", name);
      beside.clear();
    }
    for (const std::string& line : wrapped(meaning, page_width - width - 2)) {
      out += fmt::format("  {:{}}  {}\n", beside, width, line);
      beside.clear();
    }
  }
  return out;
}

std::string indented(std::string_view heading, std::string_view lines) {
  if (lines.empty()) return "";
  std::string out = fmt::format("\n{}\n", heading);
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    out += line.empty() ? "\n" : fmt::format("  {}\n", line);
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

entries json_keys(const command& about) {
  if (about.fields.empty()) return {};
  const std::string name = about.full_name();
  entries keys{{"schema", fmt::format("{}", json_schema)},
               {"command", fmt::format("\"{}\"", name.substr(name.find(' ') + 1))}};
  keys.insert(keys.end(), about.fields.begin(), about.fields.end());
  return keys;
}

std::string help_text(const command& about) {
  const std::string name = about.full_name();
  return fmt::format("{}: {}\n", name, about.summary()) + indented("Examples", about.examples) +
         indented("Usage", about.usage.empty() ? name : name + " " + about.usage) +
         commands(about) + options(about, "Arguments") + options(about, "Options") +
         options(about, "Input") + options(about, "Output") + indented("Prints", about.details) +
         listed("Keys of a row (TSV, JSON)", about.keys) +
         listed("Keys of the JSON object", json_keys(about));
}

}  // namespace bloomtime::cli
