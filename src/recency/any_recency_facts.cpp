#include "recency/any_recency_facts.hpp"

#include <string>

#include <bloomtime/layout.hpp>

namespace bloomtime::detail {
namespace {

std::vector<fact> named(const char* engine) {
  return {{"family", std::string(name_of(family::recency))}, {"engine", engine}};
}

void append(std::vector<fact>& facts, std::vector<fact> more) {
  facts.insert(facts.end(), more.begin(), more.end());
}

fact layout_fact(layout kind) { return {"layout", std::string(name_of(kind))}; }

double seconds(std::uint64_t micros) { return static_cast<double>(micros) / 1e6; }

std::uint64_t step(const tick_clock& clock) {
  return static_cast<std::uint64_t>(clock.resolution().count());
}

}  // namespace

std::vector<fact> recency_facts(const recency_filter& f) {
  auto facts = named("recency_filter");
  append(facts, {layout_fact(f.layout()),
                 {"memory", f.memory()},
                 {"timers", f.size().cells},
                 {"timer_bits", std::uint64_t{f.size().bits}},
                 {"k", std::uint64_t{f.size().k}},
                 {"seed", f.seed()}});
  if (f.timed()) {
    append(facts,
           {{"window_seconds", seconds(f.window())}, {"tick_seconds", seconds(step(f.clock()))}});
  } else {
    append(facts, {{"window_insertions", f.window()}, {"tick_insertions", step(f.clock())}});
  }
  append(facts, {{"refresh", f.refresh() ? "yes" : "no"},
                 {"items_per_window", f.items()},
                 {"insertions", f.insertions()},
                 {"error_at_items", f.predicted_error(f.items())}});
  if (f.audit()) {
    append(facts, {{"audit_entries", f.audit()->entries()},
                   {"audit_questions", f.audit()->questions()},
                   {"audit_choice", std::string(name_of(f.audit()->choice()))}});
  }
  return facts;
}

std::vector<fact> scanned_recency_facts(const recency_filter& f) {
  return {{"items_alive", f.alive_items()}, {"fill", f.fill()}, {"error_now", f.current_error()}};
}

std::vector<fact> recency_facts(const age_partitioned_filter& f) {
  auto facts = named("age_partitioned_filter");
  append(facts, {layout_fact(layout::line),
                 {"memory", f.memory()},
                 {"bits", f.bits()},
                 {"k", std::uint64_t{f.k()}},
                 {"generations", f.generations()},
                 {"seed", f.seed()}});
  if (f.timed()) {
    append(facts,
           {{"window_seconds", seconds(f.window())}, {"tick_seconds", seconds(step(f.clock()))}});
  } else {
    append(facts, {{"window_insertions", f.window()}});
  }
  append(facts, {{"refresh", f.refresh() ? "yes" : "no"},
                 {"items_per_window", f.items()},
                 {"insertions", f.insertions()},
                 {"error_at_items", f.predicted_error(f.items())}});
  return facts;
}

std::vector<fact> scanned_recency_facts(const age_partitioned_filter& f) {
  return {{"items_alive", f.alive_items()}, {"error_now", f.current_error()}};
}

std::vector<fact> recency_facts(const published::timing_filter& f) {
  auto facts = named("timing_filter");
  append(facts, {layout_fact(layout::flat),
                 {"memory", f.memory()},
                 {"timers", f.size().timers},
                 {"timer_bits", std::uint64_t{f.size().bits}},
                 {"k", std::uint64_t{f.size().k}},
                 {"seed", f.seed()},
                 {"window_insertions", f.window()},
                 {"block_insertions", f.size().block},
                 {"sweep", f.size().sweep},
                 {"insertions", f.insertions()},
                 {"error_at_window", f.predicted_error(f.window())}});
  return facts;
}

std::vector<fact> scanned_recency_facts(const published::timing_filter& f) {
  return {{"items_alive", f.alive_items()}, {"fill", f.fill()}, {"error_now", f.current_error()}};
}

std::vector<fact> recency_facts(const published::generalized_filter& f) {
  auto facts = named("generalized_filter");
  append(facts, {layout_fact(layout::flat),
                 {"memory", f.memory()},
                 {"bits", f.bits()},
                 {"k0", std::uint64_t{f.k0()}},
                 {"k1", std::uint64_t{f.k1()}},
                 {"seed", f.seed()},
                 {"window_insertions", f.window()},
                 {"insertions", f.insertions()},
                 {"error_now", f.current_error()},
                 {"misses_at_window", 1 - f.says_yes(static_cast<double>(f.window()))}});
  return facts;
}

std::vector<fact> scanned_recency_facts(const published::generalized_filter&) { return {}; }

std::vector<fact> recency_facts(const published::recent_buffer& f) {
  auto facts = named("recent_buffer");
  append(facts, {{"memory", f.memory()},
                 {"print_memory", f.print_memory()},
                 {"slots", f.slots()},
                 {"fingerprint_bits", std::uint64_t{f.bits()}},
                 {"seed", f.seed()},
                 {"window_insertions", f.window()},
                 {"insertions", f.insertions()},
                 {"items_alive", f.alive_items()},
                 {"error_now", f.current_error()}});
  return facts;
}

std::vector<fact> scanned_recency_facts(const published::recent_buffer&) { return {}; }

}  // namespace bloomtime::detail
