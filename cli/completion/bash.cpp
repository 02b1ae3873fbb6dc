#include <fmt/format.h>

#include "cli/completion/completion.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* head =
    "# bash completion for bloomtime; written by: bloomtime completions bash\n"
    "_bloomtime() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  local path=bloomtime words='' files='' i\n"
    "  COMPREPLY=()\n"
    "  # \"=\" is a word of its own to bash: --color=al are three.\n"
    "  [[ $word == '=' ]] && word=''\n"
    "  [[ $before == '=' ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    case \"$path ${COMP_WORDS[i]}\" in\n";

constexpr const char* tail =
    "  esac\n"
    "  local reply\n"
    "  while IFS= read -r reply; do\n"
    "    [[ -n $reply ]] && COMPREPLY+=(\"$reply\")\n"
    "  done < <(compgen -W \"$words\" -- \"$word\"; [[ -n $files ]] && compgen -f -- \"$word\")\n"
    "}\n"
    "complete -o filenames -F _bloomtime bloomtime\n";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string words_of(const command& c) {
  std::vector<std::string> words;
  for (const auto& child : c.children()) words.push_back(child->name());
  for (const option& o : c.options()) {
    if (!is_argument(o)) words.push_back(o.name);
    if (is_argument(o)) words.insert(words.end(), o.choices.begin(), o.choices.end());
  }
  words.emplace_back("--help");
  return joined(words);
}

bool has_files(const command& c) {
  for (const option& o : c.options()) {
    if (is_argument(o) && is_file(o)) return true;
  }
  return false;
}

// The values of options that take one.
std::string values(const command& c) {
  std::string out;
  for (const option& o : c.options()) {
    if (is_argument(o) || !takes_value(o)) continue;
    out += fmt::format("    '{} {}') words={} files={} ;;\n", c.full_name(), o.name,
                       in_quotes(joined(o.choices), ""), is_file(o) ? "yes" : "''");
  }
  return out;
}

}  // namespace

std::string bash_completion(const command& root) {
  std::string paths;
  std::string after;
  std::string anywhere;
  for_each_command(root, [&](const command& c) {
    if (c.parent() != nullptr)
      paths += fmt::format("      '{}') path+=\" ${{COMP_WORDS[i]}}\" ;;\n", c.full_name());
    after += values(c);
    anywhere += fmt::format("        '{}') words='{}' files={} ;;\n", c.full_name(), words_of(c),
                            has_files(c) ? "yes" : "''");
  });
  return fmt::format(
      "{}{}    esac\n  done\n  case \"$path $before\" in\n{}    *)\n"
      "      case $path in\n{}      esac\n      ;;\n{}",
      head, paths, after, anywhere, tail);
}

}  // namespace bloomtime::cli
