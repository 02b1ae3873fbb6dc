#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/harness/report.hpp"

// Each part of the benchmark prints its own tables: one function in its own file, declared here and
// listed in main.cpp.
namespace bench {

struct session {
  bool quick;          // few rounds, and none of the slow subjects
  std::string filter;  // only subjects whose name contains it
  csv_file csv;

  unsigned rounds() const noexcept { return quick ? 3 : 9; }
  std::uint64_t operations() const noexcept { return quick ? 1 << 18 : 1 << 20; }
  bool wants(std::string_view name) const { return name.find(filter) != name.npos; }
};

void machine_tables(session& run);
void bloom_tables(session& run);
void digest_tables(session& run);
void generate_tables(session& run);
void heat_tables(session& run);
void heat_papers_tables(session& run);
void heat_table_tables(session& run);
void hit_window_tables(session& run);
void history_tables(session& run);
void history_pauses(session& run);
void recency_tables(session& run);
void table_pauses(session& run);
void window_tables(session& run);
void reader_tables(session& run);
void tally_tables(session& run);
void profile_tables(session& run);
void dedupe_tables(session& run);
void log_tools_tables(session& run);

}  // namespace bench
