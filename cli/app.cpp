#include "cli/app.hpp"

#include <exception>
#include <new>
#include <string>

#include <fmt/format.h>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/version.hpp>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/parse.hpp"

namespace bloomtime::cli {
namespace {

constexpr const char* examples =
    "bloomtime profile access.log                            the hottest pages and clients\n"
    "bloomtime hot access.bloomtime -n 50                    the same, from the store\n"
    "bloomtime heat access.bloomtime /index.html --field path    how hot is this item?\n"
    "bloomtime seen access.bloomtime 155.95.78.223 --field host --from 2014-01-01T09:30 --to \\\n"
    "    2014-01-01T09:40                                    was it seen in that period?\n"
    "bloomtime timeline access.bloomtime 155.95.78.223 --field host    when was it seen?\n"
    "bloomtime compare monday.bloomtime tuesday.bloomtime    what is hotter, new, gone?\n"
    "bloomtime dedupe hooks.ndjson --item id --window 1d     each id once a day\n"
    "bloomtime tally sales.tsv --op 1 --item 2 --store stock    add and remove items\n"
    "bloomtime count stock apples pears                      how many are there?\n"
    "bloomtime report access.bloomtime -o report.html        a page for the browser\n"
    "bloomtime serve access.bloomtime                        the same, live\n"
    "bloomtime plan heat --items 1M                          how accurate is profile?\n"
    "bloomtime plan bloom --items 1M --error 1%              how much memory does it take?\n"
    "bloomtime plan bloom --items 1M --error 1% --measure    build the filters and measure\n"
    "bloomtime info users.bloom                              what is in this file?\n"
    "bloomtime verify *.bloom                                is every byte as it was written?\n"
    "bloomtime merge web1.bloomtime web2.bloomtime -o site.bloomtime    one store of several\n"
    "bloomtime push stock redis://localhost --key stock      copy a filter to a Redis server\n"
    "bloomtime generate | head                               test traffic";

constexpr const char* details =
    R"(Input         lines that contain an item and a time: web server logs (common, combined, with
              virtual hosts), NDJSON, CSV, TSV, plain lines; also gzip, zstd or xz
Terminal      tables
Pipe          tab-separated values with a line of keys; a tab, a line end and a backslash are
              written \t, \n, \r and \\, other control characters \xNN
--json        one object {"schema": 2, "command": ..., ...}; `bloomtime COMMAND --help` lists
              its keys. The schema number changes when a key changes its meaning or is removed;
              keys may be added at any time
Exit status   0 ok or yes, 1 no, 2 error, 3 done, but a filter exceeds the size it was made
              for (dedupe beyond --memory or --expect, tally beyond --memory)
Errors        one sentence on standard error)";

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

void print_version(const printer& out) {
  const bool avx2 = detail::cpu_has_avx2();
  if (out.how().form == view::json) {
    out.print({.command = "version",
               .fields = {{"version", std::string(version)},
                          {"compiler", compiler()},
                          {"avx2", avx2},
                          {"format_version", std::uint64_t{detail::format_version}}}});
    return;
  }
  // The same line for people and programs, because scripts cut it.
  out.print(fmt::format("bloomtime {} ({}, bulk calls {}, file format {})\n", version, compiler(),
                        avx2 ? "with AVX2" : "without AVX2", detail::format_version));
}

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
    add_compare(root_, asked_);
    add_seen(root_, asked_);
    add_timeline(root_, asked_);
    add_dedupe(root_, asked_);
    add_tally(root_, asked_);
    add_count(root_, asked_);
    add_report(root_, asked_);
    add_serve(root_, asked_);
    add_plan(root_, asked_);
    add_info(root_, asked_);
    add_verify(root_, asked_);
    add_merge(root_, asked_);
    add_push(root_, asked_);
    add_pull(root_, asked_);
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
