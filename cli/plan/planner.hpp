#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command.hpp"
#include "cli/output/report.hpp"

// What all commands `bloomtime plan FAMILY` share: a planner lists candidates, and this adds the
// command and prints the table.
namespace bloomtime::cli {

// -- options -------------------------------------------------------------------------------------

// As typed. All families have --items and --error; a planner lists what else it has.
struct plan_options {
  std::string items = {};
  std::string error = {};
  std::string memory = {};
  std::string half_life = {};
  std::string pairs = {};
  std::string span = {};
  std::string resolution = {};
  std::string length = {};
  std::string ticks = {};
  std::string total = {};
  std::string save = {};
  bool measure = false;
};

struct plan_option {
  const char* name;
  std::variant<std::string plan_options::*, bool plan_options::*> into;
  const char* type;
  const char* description;
};

// What a filter is sized for: items, and either an error or a memory in bytes.
struct plan_target {
  std::uint64_t items = 0;
  std::optional<double> error;
  std::optional<std::uint64_t> memory;
};

// -- the table -----------------------------------------------------------------------------------

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
  std::string subject;  // begins the title: "Bloom filter for 1,000 items"
  plan_target target;
  std::vector<std::pair<std::string, value>> fields = {};  // of JSON, beside the target
  std::vector<column> columns = {};                        // of the family
  std::vector<candidate> candidates = {};
  std::vector<std::string> notes = {};
  std::vector<std::string> closing = {};
  std::uint64_t units = 0;  // memory is divided by them; 0: by --items
};

// -- a family ------------------------------------------------------------------------------------

struct planner {
  const char* family;
  const char* summary;
  const char* usage;
  const char* examples;
  const char* items;        // what --items counts
  const char* error_means;  // "a lookup of an absent item answers yes"
  entries keys;             // of a row, beside those that all families have
  entries fields = {};      // of the JSON object, likewise
  const char* engines;      // what the engines and variants are
  std::vector<plan_option> options;
  plan_options defaults = {};
  plan (*make)(const plan_options& given);
  const char* unit = "item";
};

planner bloom_planner();
planner heat_planner();
planner history_planner();
planner recency_planner();
planner tally_planner();

void add_planner(command& plan, planner words, output_options& asked);

// -- for planners --------------------------------------------------------------------------------

plan_option memory_option();

// --items with --error or --memory; without either `usual` bytes, and an error if that is 0.
plan_target target_of(const char* family, const plan_options& given, std::uint64_t usual = 0);

// --memory, up to what a filter can take.
std::uint64_t parse_memory(const std::string& text);

// make(); if a filter would be too large, a usage_error that says what to change.
std::vector<candidate> sized(const std::function<std::vector<candidate>()>& make,
                             const char* advice = "Try fewer items or a larger --error");

// The last line of a plan: the other way to size it.
std::string next_step(const plan_target& target);

column cell_bits_column();
column k_column();
column probes_column();
cell number_cell(double x);

// An exact map of all items, for comparison; `more` are its cells in the family's columns.
candidate exact_map(std::uint64_t items, std::vector<cell> more);

// "1 item", "2,500 items"
std::string count_of(std::uint64_t n, const char* unit);

}  // namespace bloomtime::cli
