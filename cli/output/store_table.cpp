#include "cli/output/store_table.hpp"

#include <optional>

#include "store/log_zone.hpp"

namespace bloomtime::cli {
namespace {

cell time_cell(const std::optional<instant>& t, const log_zone& zone) {
  return t ? cell{t->micros, time_text(*t, zone)} : nothing();
}

std::uint64_t bytes_of(const store::manifest& m) {
  std::uint64_t bytes = m.totals.bytes;
  for (const store::part& p : m.containers) bytes += p.bytes;
  return bytes;
}

}  // namespace

table store_table() {
  return {.key = "stores",
          .columns = {{"store", "store", side::left},
                      {"records", "records"},
                      {"bad_lines", "bad lines"},
                      {"first_event", "first event"},
                      {"last_event", "last event"},
                      {"zone", "zone", side::left},
                      {"items", "items", side::left},
                      {"created", "created", side::right, audience::everybody, 1},
                      {"generation", "checkpoints", side::right, audience::everybody, 2},
                      {"version", "bloomtime", side::left, audience::everybody, 3},
                      {"bytes", "bytes"}},
          .rows = {},
          .as_list = false};
}

row store_row(const std::string& path, const store::reader& opened, bool utc) {
  const store::manifest& m = opened.about();
  const log_zone zone = utc ? log_zone() : zone_of(m.read);
  return {{text_cell(path), count_cell(m.read.records), count_cell(m.read.bad_lines),
           time_cell(m.read.first_event, zone), time_cell(m.read.last_event, zone),
           text_cell(m.read.zone), texts_cell(m.read.items), time_cell(m.created, zone),
           count_cell(m.generation), text_cell(m.version), bytes_cell(bytes_of(m))}};
}

}  // namespace bloomtime::cli
