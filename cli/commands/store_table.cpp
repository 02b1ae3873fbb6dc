#include "cli/commands/store_table.hpp"

#include <chrono>
#include <optional>

#include <fmt/format.h>

namespace bloomtime::cli {
namespace {

std::string utc_text(instant t) {
  using namespace std::chrono;
  const sys_time<microseconds> time{microseconds(t.micros)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

cell time_cell(const std::optional<instant>& t) {
  return t ? cell{t->micros, utc_text(*t)} : nothing();
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

row store_row(const std::string& path, const store::reader& opened) {
  const store::manifest& m = opened.about();
  return {{text_cell(path), count_cell(m.read.records), count_cell(m.read.bad_lines),
           time_cell(m.read.first_event), time_cell(m.read.last_event), text_cell(m.read.zone),
           text_cell(fmt::format("{}", fmt::join(m.read.items, " "))), time_cell(m.created),
           count_cell(m.generation), text_cell(m.version), bytes_cell(bytes_of(m))}};
}

}  // namespace bloomtime::cli
