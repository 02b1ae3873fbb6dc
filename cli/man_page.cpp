#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <bloomtime/version.hpp>

#include "cli/help.hpp"

namespace bloomtime::cli {
namespace {

// Text that roff takes literally: hyphens that can be copied, no macro at the start of a line.
std::string plain(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    line_starts = c == '\n';
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

// Lines as they are, none of them filled or broken.
std::string verbatim(const char* heading, const std::string& lines) {
  if (lines.empty()) return "";
  return fmt::format(".SH {}\n.nf\n{}\n.fi\n", heading, plain(lines));
}

std::string entry(const std::string& name, const std::string& type, const std::string& meaning) {
  const std::string value = type.empty() ? "" : fmt::format(" \\fI{}\\fR", plain(type));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(name), value, plain(meaning));
}

std::string listed(const char* heading, const entries& list) {
  if (list.empty()) return "";
  std::string out = fmt::format(".SH {}\n", heading);
  for (const auto& [name, meaning] : list) out += entry(name, "", meaning);
  return out;
}

std::string commands(const command& about) {
  entries list;
  for (const auto& child : about.children()) list.emplace_back(child->name(), child->summary());
  return listed("COMMANDS", list);
}

std::string options(const command& about) {
  std::string out = ".SH OPTIONS\n";
  for (const option& o : about.options()) out += entry(o.name, o.type, o.description);
  return out + entry("-h, --help", "", "show help");
}

std::string see_also(const command& about) {
  std::string out;
  const auto add = [&](const command& c) {
    out += fmt::format(".BR {} (1)\n", plain(page_name(c)));
  };
  if (about.parent() != nullptr) add(*about.parent());
  for (const auto& child : about.children()) add(*child);
  return out.empty() ? "" : ".SH SEE ALSO\n" + out;
}

}  // namespace

std::string page_name(const command& about) {
  std::string name = about.full_name();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const command& about) {
  const std::string name = page_name(about);
  const std::string usage = about.usage.empty() ? "" : fmt::format(" {}", about.usage);
  return fmt::format(".TH {} 1 \"\" \"bloomtime {}\"\n.SH NAME\n{} \\- {}\n", plain(name), version,
                     plain(name), plain(about.summary())) +
         fmt::format(".SH SYNOPSIS\n\\fB{}\\fR{}\n", plain(about.full_name()), plain(usage)) +
         verbatim("EXAMPLES", about.examples) + commands(about) + options(about) +
         verbatim("OUTPUT", about.details) + listed("ROW KEYS", about.keys) +
         listed("JSON KEYS", json_keys(about)) + see_also(about);
}

}  // namespace bloomtime::cli
