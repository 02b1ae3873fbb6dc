#include "cli/app.hpp"

#include <exception>
#include <new>
#include <string>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/parse.hpp"
#include "cli/process.hpp"
#include "cli/version.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* examples =
    "bloomtime profile access.log                            what and who is hot on my site?\n"
    "bloomtime hot access.bloomtime -n 50                    ask again, without the log\n"
    "bloomtime heat access.bloomtime /index.html --field path    how hot is that?\n"
    "bloomtime seen access.bloomtime 155.95.78.223 --field host --from 2014-01-01T09:30 --to \\\n"
    "    2014-01-01T09:40                                    was it there then?\n"
    "bloomtime timeline access.bloomtime 155.95.78.223 --field host    when was it?\n"
    "bloomtime dedupe hooks.ndjson --item id --window 1d     each of them once a day\n"
    "bloomtime tally sales.tsv --op 1 --item 2 --store stock    items come and go\n"
    "bloomtime count stock apples pears                      how many are there?\n"
    "bloomtime plan heat --items 1M                          how accurate is that?\n"
    "bloomtime plan bloom --items 1M --error 1%              how much memory does that take?\n"
    "bloomtime plan bloom --items 1M --error 1% --measure    build it and see\n"
    "bloomtime info users.bloom                              what is in this file?\n"
    "bloomtime verify *.bloom                                is every byte as it was written?\n"
    "bloomtime generate | head                               what does it read? traffic to try it "
    "on";

constexpr const char* details =
    "It eats lines with an item and a time: web server logs (common, combined, with virtual\n"
    "hosts), NDJSON, CSV, TSV and plain lines, also as gzip, zstd or xz. `bloomtime generate |\n"
    "head` shows some.\n"
    "Tables on a terminal, tab-separated values with a line of keys in a pipe, and with --json\n"
    "one object {\"schema\": 1, \"command\": ..., ...}; `bloomtime COMMAND --help` lists its "
    "keys.\n"
    "In TSV a tab, a line end and a backslash are written \\t, \\n, \\r and \\\\, other control\n"
    "characters \\xNN.\n"
    "The schema number changes when a key changes its meaning or goes; new keys may come.\n"
    "Exit status: 0 ok or yes, 1 no, 2 error, 3 done, but with more errors than asked for (dedupe\n"
    "past --expect). Errors are one sentence on standard error.";

class program {
 public:
  program() : root_("bloomtime", "Bloom filters that know what time it is") {
    root_.usage = "COMMAND [options]";
    root_.examples = examples;
    root_.details = details;
    root_.flag("--version", version_, "version, compiler, instruction set, file format");
    root_.output(asked_);
    root_.act = [this](const printer& out) { return without_command(out); };
    add_profile(root_, asked_);
    add_hot(root_, asked_);
    add_heat(root_, asked_);
    add_seen(root_, asked_);
    add_timeline(root_, asked_);
    add_dedupe(root_, asked_);
    add_tally(root_, asked_);
    add_count(root_, asked_);
    add_plan(root_, asked_);
    add_info(root_, asked_);
    add_verify(root_, asked_);
    add_generate(root_, asked_);
    add_completions(root_);
    add_man(root_);
  }

  exit_status operator()(int argc, const char* const* argv) {
    const request typed = parse(root_, argc, argv);
    const printer out(resolve_style(asked_));
    if (typed.help) out.print(help_text(*typed.what));
    const exit_status status = typed.help ? yes : typed.what->act(out);
    out.finish();
    return status;
  }

 private:
  exit_status without_command(const printer& out) const {
    if (version_) {
      print_version(out);
    } else {
      out.print(help_text(root_));
    }
    return yes;
  }

  command root_;
  output_options asked_;
  bool version_ = false;
};

}  // namespace

int run(int argc, const char* const* argv) {
  settle_process();
  try {
    return program()(argc, argv);
  } catch (const std::bad_alloc&) {
    complain_of_memory();
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return trouble;
}

}  // namespace bloomtime::cli
