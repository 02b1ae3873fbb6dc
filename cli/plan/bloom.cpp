#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

#include "cli/command.hpp"
#include "cli/plan/bloom_choices.hpp"
#include "cli/plan/bloom_measure.hpp"
#include "cli/plan/bloom_report.hpp"
#include "cli/process.hpp"
#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t least_memory = 8;  // one word of bits

struct typed {
  std::string items;
  std::string error;
  std::string memory;
  std::string save;
  bool measure = false;
};

plan_target target_of(const typed& given) {
  if (given.items.empty()) {
    throw usage_error(
        "plan bloom needs --items, the number of different items. "
        "Try bloomtime plan bloom --items 1M --error 1%");
  }
  if (given.error.empty() == given.memory.empty()) {
    throw usage_error(
        fmt::format("plan bloom needs {}--error or --memory. Try bloomtime plan "
                    "bloom --items {} --error 1%",
                    given.error.empty() ? "" : "either ", given.items));
  }
  if (!given.save.empty() && !given.measure) {
    throw usage_error("--save keeps the filter that --measure builds; give both");
  }
  plan_target target;
  target.items = parse_count("--items", given.items);
  if (!given.error.empty()) target.error = parse_chance("--error", given.error);
  if (!given.memory.empty()) target.memory = parse_memory(given.memory);
  if (target.memory && *target.memory < least_memory) {
    throw usage_error(fmt::format("--memory of a Bloom filter must be at least {} bytes, got {}",
                                  least_memory, given.memory));
  }
  return target;
}

std::vector<bloom_choice> choices_for(const plan_target& target) {
  try {
    return bloom_choices(target);
  } catch (const error& e) {
    if (e.code() != errc::too_large) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer items or a larger --error");
  }
}

bloom_filter build(const bloom_config& config) {
  try {
    return bloom_filter(config);
  } catch (const error& e) {
    if (e.code() != errc::out_of_memory) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer items, or without --measure");
  }
}

void save(const bloom_filter& filter, const std::string& path) {
  const signals_held until_written;
  filter.save(path);
}

exit_status plan(const typed& given, const printer& out) {
  bloom_plan result;
  result.target = target_of(given);
  result.measured = given.measure;
  for (bloom_choice& choice : choices_for(result.target)) {
    planned_bloom entry{std::move(choice), std::nullopt};
    if (given.measure && entry.choice.config) {
      bloom_filter filter = build(*entry.choice.config);
      entry.measurement = measure(filter);
      if (entry.choice.recommended && !given.save.empty()) save(filter, given.save);
    }
    result.entries.push_back(std::move(entry));
  }
  result.saved_to = given.save;
  out.print(report_of(result));
  return yes;
}

constexpr const char* examples =
    "bloomtime plan bloom --items 1M --error 1%              memory for an accuracy\n"
    "bloomtime plan bloom --items 2.5k --error 1e-6          few items, hardly ever wrong\n"
    "bloomtime plan bloom --items 10^9 --memory 1GiB         accuracy for a memory\n"
    "bloomtime plan bloom --items 1M --error 1% --measure    build each filter and measure it\n"
    "bloomtime plan bloom --items 1M --error 1% --measure --save users.bloom\n"
    "bloomtime plan bloom --items 1M --error 1% --json | jq '.choices[] | select(.recommended)'";

constexpr const char* details =
    "One row per choice, for programs with these keys (empty or null where there is nothing):\n"
    "choice            flat: bits anywhere; line: all bits of an item in one cache line, one per\n"
    "                  64-bit word; line_2: up to two per word (only where that differs);\n"
    "                  hash_set: an exact std::unordered_set of 8-byte keys, estimated at 44 "
    "bytes\n"
    "                  per item (a 32-byte node and 1.5 bucket pointers); bound: log2(1 / error)\n"
    "                  bits per item, which no structure can beat\n"
    "estimated         true where memory is not computed but estimated\n"
    "recommended       true for one of them: line if it takes at most 15 % more than flat\n"
    "bits_per_word     1 or 2 for lines\n"
    "memory_bytes, bits_per_item, k (probes per item), cache_lines (touched by a lookup that\n"
    "                  says yes), error (chance of a wrong yes when all items are in)\n"
    "measured_error, false_positives, queries, expected_low, expected_high\n"
    "                  with --measure: wrong answers among items that were never inserted, and\n"
    "                  the 99.9 % range that chance leaves them if the plan is right\n"
    "insert_ns, lookup_ns   per item, in bulk calls\n"
    "JSON: {\"schema\": 1, \"command\": \"plan bloom\", \"items\", \"target_error\", "
    "\"target_memory_bytes\",\n"
    "       \"saved_to\", \"choices\": [one object per row]}";

}  // namespace

void add_plan_bloom(command& family, output_options& asked) {
  command& bloom = family.add("bloom", "size a Bloom filter (was this item ever inserted?)");
  bloom.usage = "--items N (--error E | --memory SIZE) [--measure [--save FILE]]";
  bloom.examples = examples;
  bloom.details = details;
  const auto given = std::make_shared<typed>();
  bloom.text("--items", given->items, "N", "different items: 1M, 2.5k, 10^6, 1e6");
  bloom.text("--error", given->error, "E", "chance of a wrong yes: 1%, 0.01, 1e-6");
  bloom.text("--memory", given->memory, "SIZE", "16MiB = 16M = 2^24 bytes, 16MB = 16,000,000");
  bloom.flag("--measure", given->measure,
             "build each filter with N generated items, ask for others, time both");
  bloom.text("--save", given->save, "FILE", "keep the recommended filter that was measured");
  bloom.output(asked);
  bloom.act = [given](const printer& out) { return plan(*given, out); };
}

}  // namespace bloomtime::cli
