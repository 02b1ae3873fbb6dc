#pragma once

#include <string>
#include <string_view>

#include "cli/command.hpp"

// Scripts that complete command lines, made from the tree of commands and sourced by shells.
namespace bloomtime::cli {

std::string bash_completion(const command& root);
std::string zsh_completion(const command& root);
std::string fish_completion(const command& root);

inline bool takes_value(const option& o) { return !std::holds_alternative<bool*>(o.into); }
inline bool is_argument(const option& o) { return !o.name.starts_with("-"); }
// An argument or a value for which names of files are offered.
inline bool is_file(const option& o) {
  return o.name == "FILE" || o.name == "STORE" || o.type == "FILE" || o.type == "DIR";
}

// visit(command), for this one and all below it.
template <class Visit>
void for_each_command(const command& top, Visit&& visit) {
  visit(top);
  for (const auto& child : top.children()) for_each_command(*child, visit);
}

// In single quotes, with `quote` for each quote inside.
inline std::string in_quotes(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += quote;
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace bloomtime::cli
