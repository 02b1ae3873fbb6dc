#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace bloomtime::cli {
namespace {

// Escapes the characters that separate the parts of an _arguments specification.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string quoted_word(const std::string& text) { return in_quotes(text, "'\\''"); }

std::string function_name(const command& c) {
  std::string name = fmt::format("_{}", c.full_name());
  for (char& letter : name) {
    if (letter == ' ') letter = '_';
  }
  return name;
}

std::string action(const option& o) {
  if (!o.choices.empty()) return fmt::format("({})", fmt::join(o.choices, " "));
  return is_file(o) ? "_files" : "";
}

std::string specification(const option& o) {
  if (is_argument(o)) return quoted_word(fmt::format("*:{}:{}", plain(o.description), action(o)));
  const bool again = std::holds_alternative<std::vector<std::string>*>(o.into);
  const std::string value = takes_value(o) ? fmt::format(":{}:{}", o.type, action(o)) : "";
  const char* follows = !takes_value(o) ? "" : o.name.starts_with("--") ? "=" : "+";
  return quoted_word(
      fmt::format("{}{}{}[{}]{}", again ? "*" : "", o.name, follows, plain(o.description), value));
}

std::string function_of(const command& c) {
  std::string out = function_name(c) + "() {\n";
  std::string arguments = "'(- *)'{-h,--help}'[show help]'";
  for (const option& o : c.options()) arguments += " \\\n    " + specification(o);
  if (c.children().empty()) return out + "  _arguments " + arguments + "\n}\n";
  std::string described;
  std::string calls;
  for (const auto& child : c.children()) {
    described +=
        fmt::format("    {}\n", quoted_word(child->name() + ":" + plain(child->summary())));
    calls += fmt::format("        {}) {} ;;\n", child->name(), function_name(*child));
  }
  out += "  local context state state_descr line\n  typeset -A opt_args\n  local -a commands=(\n";
  // (-): options after a command belong to that command.
  out += described + "  )\n  _arguments -C " + arguments +
         " \\\n    '(-)1:command:->command' '(-)*::argument:->rest'\n";
  return out +
         "  case $state in\n    command) _describe command commands ;;\n    rest)\n      case "
         "$line[1] in\n" +
         calls + "      esac\n      ;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const command& root) {
  std::string out = "#compdef bloomtime\n# written by: bloomtime completions zsh\n";
  for_each_command(root, [&](const command& c) {
    out += '\n';
    out += function_of(c);
  });
  // An autoloaded file is the function itself; a sourced one must call compdef.
  return out +
         "\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _bloomtime \"$@\"\nelse\n"
         "  compdef _bloomtime bloomtime\nfi\n";
}

}  // namespace bloomtime::cli
