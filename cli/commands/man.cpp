#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/completion/completion.hpp"
#include "cli/help.hpp"
#include "cli/output/text_file.hpp"
#include "cli/parse.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

const command& named(const command& root, const std::vector<std::string>& words) {
  const command* found = &root;
  for (const std::string& word : words) {
    const command* below = nullptr;
    for (const auto& child : found->children()) {
      if (child->name() == word) below = child.get();
    }
    if (below == nullptr) throw usage_error(complaint_about(word, *found));
    found = below;
  }
  return *found;
}

// Of all commands; `man` has to be added last.
std::vector<std::string> names_below(const command& root) {
  std::vector<std::string> names;
  for_each_command(root, [&](const command& c) {
    if (c.parent() != nullptr) names.push_back(c.name());
  });
  return names;
}

struct typed_man {
  std::vector<std::string> words;
  std::string folder;
};

void write_all(const command& root, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for_each_command(root, [&](const command& c) {
    write_text_file(fmt::format("{}/{}.1", folder, page_name(c)), man_page(c));
  });
}

exit_status show_or_write(const command& root, const typed_man& given, const printer& out) {
  if (given.folder.empty()) {
    out.print(man_page(named(root, given.words)));
    return yes;
  }
  if (!given.words.empty()) refuse("Give a command or --all, not both; got {}.", given.words[0]);
  write_all(root, given.folder);
  return yes;
}

}  // namespace

void add_man(command& root) {
  command& self = root.add("man", "the manual page of a command");
  self.usage = "[COMMAND...] [--all DIR]";
  self.examples =
      "bloomtime man | man -l -\n"
      "bloomtime man plan bloom > bloomtime-plan-bloom.1\n"
      "bloomtime man --all ~/.local/share/man/man1    the pages of all commands";
  self.details = "A page for man, in roff. With --all nothing is printed.";
  const auto given = std::make_shared<typed_man>();
  self.arguments("COMMAND", given->words,
                 "the command, one word or several (default: bloomtime itself)", names_below(root));
  self.text("--all", given->folder, "DIR", "write the page of every command to a file in DIR");
  self.act = [&root, given](const printer& out) { return show_or_write(root, *given, out); };
}

}  // namespace bloomtime::cli
