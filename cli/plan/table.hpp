#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/report.hpp"

// The one table of `bloomtime plan`: a planner lists candidates, this makes the report.
namespace bloomtime::cli {

// What a filter is sized for: items, and either an error or a memory in bytes.
struct plan_target {
  std::uint64_t items = 0;
  std::optional<double> error;
  std::optional<std::uint64_t> memory;
};

struct candidate {
  std::string engine;
  std::string variant = {};  // empty if the engine has only one
  double bits = 0;           // all of its memory
  double error = 0;
  std::string guarantee = {};   // what holds without exception
  std::vector<cell> more = {};  // one per column of the family
  bool recommended = false;
  bool estimated = false;  // the memory is an estimate
  bool reference = false;  // not a filter: an exact structure or a lower bound
};

struct plan {
  std::string family;
  std::string subject;  // begins the title: "Bloom filter for 1,000 items"
  plan_target target;
  std::string error_means;  // "a lookup of an absent item answers yes"
  std::vector<std::pair<std::string, value>> fields = {};  // of JSON, beside the target
  std::vector<column> columns = {};                        // of the family
  std::vector<candidate> candidates = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> closing = {};
  // Memory is divided by --items, or by what the family stores instead.
  std::string unit = "item";
  std::uint64_t units = 0;  // 0: --items
};

report report_of(const plan& what);

// -- columns and cells that several families have ------------------------------------------------

column cell_bits_column();
column k_column();
column probes_column();
cell number_cell(double x);

// An exact map of all items, for comparison; `more` are its cells in the family's columns.
candidate exact_map(std::uint64_t items, std::vector<cell> more);

// "1 item", "2,500 items"
std::string items_text(std::uint64_t items);

}  // namespace bloomtime::cli
