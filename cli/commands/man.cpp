#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/completion/completion.hpp"
#include "cli/help.hpp"
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

}  // namespace

void add_man(command& root) {
  command& self = root.add("man", "the manual page of a command");
  self.usage = "[COMMAND...]";
  self.examples =
      "bloomtime man | man -l -\n"
      "bloomtime man plan bloom > bloomtime-plan-bloom.1";
  self.details = "A page for man, in roff.";
  const auto words = std::make_shared<std::vector<std::string>>();
  self.arguments("COMMAND", *words, "the command, one word or several (default: bloomtime itself)",
                 names_below(root));
  self.act = [&root, words](const printer& out) {
    out.print(man_page(named(root, *words)));
    return yes;
  };
}

}  // namespace bloomtime::cli
