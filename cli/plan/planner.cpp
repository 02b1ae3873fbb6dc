#include "cli/plan/planner.hpp"

#include <fmt/format.h>

#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

#include "text/quantity.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

std::string first_example(const planner& words) {
  const std::string all = words.examples;
  const std::string line = all.substr(0, all.find('\n'));
  return line.substr(0, line.find("  "));
}

entries keys_of(const planner& words) {
  entries keys{{"engine, variant", words.engines},
               {"recommended", "true for one row"},
               {"estimated", "true if the memory is an estimate"},
               {"memory_bytes", "memory"},
               {fmt::format("bits_per_{}", words.unit),
                fmt::format("memory in bits, divided by --{}s", words.unit)},
               {"error", fmt::format("probability that {}", words.error_means)}};
  keys.insert(keys.end(), words.keys.begin(), words.keys.end());
  keys.emplace_back("guarantee", "what holds without exception");
  return keys;
}

entries fields_of(const planner& words) {
  entries fields{{"items, target_error, target_memory_bytes", "the options; null if not given"}};
  fields.insert(fields.end(), words.fields.begin(), words.fields.end());
  fields.emplace_back("choices", "one object per row");
  return fields;
}

}  // namespace

command& add_planner(command& plan, const planner& words, std::string& items) {
  command& self = plan.add(words.family, words.summary);
  self.usage = words.usage;
  self.examples = words.examples;
  self.details = "One row per choice.";
  self.keys = keys_of(words);
  self.fields = fields_of(words);
  self.text("--items", items, "N", fmt::format("{}: 1M, 2.5k, 10^6, 1e6", words.items));
  return self;
}

void add_error(command& self, const planner& words, std::string& error, const char* usual) {
  self.text("--error", error, "E",
            fmt::format("probability that {}: 1%, 0.01, 1e-6{}", words.error_means, usual));
}

void add_memory(command& self, std::string& memory) {
  self.text("--memory", memory, "SIZE", "16MiB = 16M = 2^24 bytes, 16MB = 16,000,000 bytes");
}

std::uint64_t need_items(const planner& words, const std::string& typed) {
  if (!typed.empty()) return parse_count("--items", typed);
  throw usage_error(fmt::format("plan {} needs --items, the number of {}. Try {}", words.family,
                                words.items, first_example(words)));
}

plan_target target_of(const planner& words, const sizing_options& typed, std::uint64_t usual) {
  plan_target target{.items = need_items(words, typed.items), .error = {}, .memory = {}};
  if (!typed.error.empty() && !typed.memory.empty()) {
    throw usage_error(fmt::format("give either --error ({}) or --memory ({}), not both",
                                  typed.error, typed.memory));
  }
  if (!typed.error.empty()) {
    target.error = parse_chance("--error", typed.error);
  } else if (!typed.memory.empty()) {
    target.memory = parse_memory(typed.memory);
  } else if (usual != 0) {
    target.memory = usual;
  } else {
    throw usage_error(
        fmt::format("plan {} needs --error or --memory. Try bloomtime plan {} "
                    "--items {} --error 1%",
                    words.family, words.family, typed.items));
  }
  return target;
}

std::uint64_t parse_memory(const std::string& text) {
  const std::uint64_t memory = parse_bytes("--memory", text);
  if (memory <= math::max_bits / 8) return memory;
  throw usage_error(fmt::format("--memory can be at most 1TiB (2^40 bytes), got {}", text));
}

std::vector<candidate> sized(const std::function<std::vector<candidate>()>& make,
                             const char* fewer) {
  try {
    return make();
  } catch (const error& e) {
    if (e.code() == errc::out_of_memory) throw;
    throw usage_error(fmt::format("{}. Try fewer {} or a larger --error", e.what(), fewer));
  }
}

std::string next_step(const plan_target& target) {
  return target.error ? "Next: --memory 1MB sizes by memory." : "Next: --error 1% sizes by error.";
}

}  // namespace bloomtime::cli
