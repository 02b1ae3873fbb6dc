#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/report.hpp"
#include "cli/text.hpp"
#include "profile/merging.hpp"
#include "store/writer.hpp"

namespace bloomtime::cli {
namespace {

namespace fs = std::filesystem;

struct typed_merge {
  std::vector<std::string> from;
  std::string into;
};

report merge_report(const typed_merge& given, value records) {
  return {
      .command = "merge",
      .title = fmt::format("{}: merged from {} of them", given.into, given.from.size()),
      .fields = {{"merged", given.into}, {"from", given.from}, {"records", std::move(records)}}};
}

// A file that both stores have read is in the result twice.
void note_common_files(const std::vector<profile::merged_store>& from) {
  for (std::size_t i = 1; i < from.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& mine = from[i].parts.about().read.sources;
      const auto& other = from[j].parts.about().read.sources;
      if (!mine || !other) continue;
      for (const store::source& a : *mine) {
        for (const store::source& b : *other) {
          if (a.head != b.head || a.tail != b.tail || a.offset != b.offset) continue;
          note(fmt::format("{} and {} have both read {}; its lines count twice", from[j].name,
                           from[i].name, a.path));
        }
      }
    }
  }
}

exit_status merge_stores(const typed_merge& given, const printer& out) {
  std::list<opened_store> opened;
  std::vector<profile::merged_store> from;
  for (const std::string& name : given.from) {
    opened.emplace_back(name);
    from.push_back({name, opened.back().parts()});
  }
  store::writer into(given.into, std::chrono::system_clock::now());
  if (into.continues()) refuse("there is a store {} already; name a new one", given.into);
  profile::merge(from, into);
  note_common_files(from);
  into.checkpoint();
  out.print(merge_report(given, into.about().records));
  return yes;
}

exit_status merge_files(const typed_merge& given, const printer& out) {
  any_filter all = load_any(fs::path(given.from.front()));
  for (std::size_t i = 1; i < given.from.size(); ++i) {
    try {
      profile::merge(all, load_any(fs::path(given.from[i])));
    } catch (const error& e) {
      throw_error(e.code(), "{} and {} cannot be merged: {}", given.from.front(), given.from[i],
                  e.what());
    }
  }
  std::visit([&](const auto& filter) { filter.save(given.into); }, all);
  out.print(merge_report(given, {}));
  return yes;
}

exit_status merge(const typed_merge& given, const printer& out) {
  if (given.from.size() < 2) {
    refuse("merge needs two stores or more. Try bloomtime merge a.bloomtime b.bloomtime -o all");
  }
  if (given.into.empty()) refuse("merge needs the name of a new store: give it as -o NAME");
  std::error_code ignored;
  std::size_t folders = 0;
  for (const std::string& name : given.from) folders += store::is_folder(name);
  if (folders != 0 && folders != given.from.size()) {
    refuse("merge takes stores or filter files, and got both");
  }
  if (folders != 0) return merge_stores(given, out);
  if (fs::exists(fs::symlink_status(given.into, ignored))) {
    refuse("there is a file {} already; name a new one", given.into);
  }
  return merge_files(given, out);
}

constexpr const char* merge_examples =
    "bloomtime merge web1.bloomtime web2.bloomtime -o site.bloomtime\n"
    "bloomtime merge monday.bloom tuesday.bloom -o week.bloom";

constexpr const char* merge_details =
    "Makes one store of several, as if all their events had been read into it: heat, hot lists,\n"
    "histories, totals, and the files that were read. Every bound of an answer holds for all "
    "events\n"
    "together. The stores stay as they are. They need the same items, half-life, resolution,\n"
    "memory limit, seed and key of pseudonyms. Also merges files of one filter each, and stores\n"
    "of tally. An event that is in several of them counts several times.";

}  // namespace

void add_merge(command& root, output_options& asked) {
  command& self = root.add("merge", "make one store of several, or one filter");
  self.usage = "STORE... -o STORE";
  self.examples = merge_examples;
  self.details = merge_details;
  self.fields = {{"merged, from", "the new store, and a list of those in it"},
                 {"records", "events in the new store; null for a filter file"}};
  const auto given = std::make_shared<typed_merge>();
  self.arguments("STORE", given->from, "stores or filter files");
  self.text("-o", given->into, "STORE", "the store or file to make");
  self.output(asked);
  self.act = [given](const printer& out) { return merge(*given, out); };
}

}  // namespace bloomtime::cli
