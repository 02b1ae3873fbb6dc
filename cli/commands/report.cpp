#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/output/text_file.hpp"
#include "cli/text.hpp"
#include "cli/web/document.hpp"
#include "cli/web/opened_profile.hpp"
#include "web/page.hpp"

namespace bloomtime::cli {
namespace {

struct typed_report {
  std::vector<std::string> store;
  std::string output;
  std::string rows;
};

deduper opened_state(const std::string& file) {
  const auto mapped = detail::mapped_file::open(file);
  try {
    if (!deduper::is_state(mapped->bytes())) {
      throw error(errc::unknown_kind, "this is another kind of filter");
    }
    return deduper::load(mapped->bytes(), deduper::settings_in(mapped->bytes()), file);
  } catch (const error& e) {
    throw error(e.code(),
                fmt::format("{}: {}; report needs a store of bloomtime profile or a state of "
                            "bloomtime dedupe",
                            file, e.what()));
  }
}

std::string document_of(const std::string& store, std::size_t rows) {
  if (!store::is_folder(store)) return dedupe_document(opened_state(store), store);
  const opened_profile opened(store);
  return profile_document(opened.subject(), rows);
}

exit_status write_report(const typed_report& given, const printer& out) {
  if (given.store.size() != 1) {
    refuse("report needs one store, got {}. Try bloomtime report access.bloomtime -o report.html",
           given.store.size());
  }
  const std::string& store = given.store.front();
  const std::size_t rows = given.rows.empty() ? usual_page_rows : parse_count("-n", given.rows);
  const std::string page =
      web::page_with(store, document_of(store, rows), web::random_nonce(), false);
  if (given.output.empty() || given.output == "-") {
    out.print(std::string_view(page));
    return yes;
  }
  write_text_file(given.output, page);
  out.print({.command = "report",
             .title = fmt::format("{}: {}", given.output, bytes_text(page.size())),
             .fields = {
                 {"store", store}, {"file", given.output}, {"bytes", std::uint64_t{page.size()}}}});
  return yes;
}

constexpr const char* report_details =
    "One HTML file that needs nothing else: no network, no other files, less than 1 MB. It shows\n"
    "traffic over time (with zoom), status and methods, the hottest items of every field with\n"
    "bounds and timelines, what is new, rising and gone, a calendar of long spans, and the memory\n"
    "beside exact counting. Of a state of dedupe it shows the duplicates over time.\n"
    "docs/web.md describes the page.\n";

}  // namespace

void add_report(command& root, output_options& asked) {
  command& self = root.add("report", "a page for the browser that shows a store");
  self.usage = "STORE [-o FILE] [-n ROWS]";
  self.examples =
      "bloomtime report access.bloomtime -o report.html\n"
      "bloomtime report access.bloomtime -n 300 -o report.html    more items of every field\n"
      "bloomtime report dedupe.state -o duplicates.html           the state of bloomtime dedupe\n"
      "bloomtime report access.bloomtime > report.html";
  self.details = report_details;
  self.fields = {{"store", "what the page shows"},
                 {"file, bytes", "the page; nothing is printed if it goes to standard output"}};
  const auto given = std::make_shared<typed_report>();
  self.arguments("STORE", given->store,
                 "directory that bloomtime profile made, or a state of bloomtime dedupe");
  self.text("-o", given->output, "FILE", "file to write (default: standard output)");
  self.text("-n", given->rows, "ROWS", "items of each order and field (default 100)");
  self.output(asked);
  self.act = [given](const printer& out) { return write_report(*given, out); };
}

}  // namespace bloomtime::cli
