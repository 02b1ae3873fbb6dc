#include <string>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/completion/completion.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

void add_shell(command& parent, const command& root, const char* shell, const char* example,
               std::string (*script)(const command&)) {
  command& self = parent.add(shell, fmt::format("completion for {}", shell));
  self.examples = example;
  self.details = "A script for the shell.";
  self.act = [&root, script](const printer& out) {
    out.print(script(root));
    return yes;
  };
}

}  // namespace

void add_completions(command& root) {
  command& self = root.add("completions", "scripts that complete command lines in a shell");
  self.usage = "SHELL";
  self.examples =
      "source <(bloomtime completions bash)\n"
      "bloomtime completions fish > ~/.config/fish/completions/bloomtime.fish";
  self.act = [](const printer&) -> exit_status {
    refuse("completions needs a shell. Try bloomtime completions bash");
  };
  add_shell(self, root, "bash", "source <(bloomtime completions bash)", bash_completion);
  add_shell(self, root, "zsh", "bloomtime completions zsh > ~/.zfunc/_bloomtime", zsh_completion);
  add_shell(self, root, "fish",
            "bloomtime completions fish > ~/.config/fish/completions/bloomtime.fish",
            fish_completion);
}

}  // namespace bloomtime::cli
