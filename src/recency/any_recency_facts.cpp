#include <string>

#include <bloomtime/layout.hpp>
#include <bloomtime/recency/any_recency.hpp>

#include "detail/handle.hpp"

// What the engines say about themselves.
namespace bloomtime {
namespace {

using detail::append;
using detail::seconds;

fact layout_fact(layout kind) { return {"layout", std::string(name_of(kind))}; }

// A window of time, or nothing.
template <class Filter>
std::vector<fact> window_facts(const Filter& f) {
  if (!f.timed()) return {{"window_insertions", f.window()}};
  return {{"window_seconds", static_cast<double>(f.window()) / 1e6},
          {"tick_seconds", seconds(f.clock().resolution())}};
}

template <class Filter>
std::vector<fact> load_facts(const Filter& f) {
  return {{"refresh", f.refresh() ? "yes" : "no"},
          {"items_per_window", f.items()},
          {"insertions", f.insertions()},
          {"error_at_items", f.predicted_error(f.items())}};
}

}  // namespace

std::vector<fact> facts_of(const recency_table& f, effort) {
  std::vector<fact> facts{{"memory", f.memory()}, {"slots", f.slots()}, {"seed", f.seed().value()}};
  append(facts, window_facts(f));
  append(facts, load_facts(f));
  append(facts, {{"items_alive", f.alive_items()},
                 {"stashed", f.stashed()},
                 {"error_now", f.current_error()}});
  return facts;
}

std::vector<fact> facts_of(const recency_filter& f, effort most) {
  std::vector<fact> facts{layout_fact(f.layout()),    {"memory", f.memory()},
                          {"timers", f.size().cells}, {"timer_bits", f.size().bits},
                          {"k", f.size().k},          {"seed", f.seed().value()}};
  append(facts, window_facts(f));
  if (!f.timed()) {
    const auto step = static_cast<std::uint64_t>(f.clock().resolution().count());
    facts.push_back({"tick_insertions", step});
  }
  append(facts, load_facts(f));
  if (f.audit()) {
    append(facts, {{"audit_entries", f.audit()->entries()},
                   {"audit_questions", f.audit()->questions()},
                   {"audit_choice", std::string(name_of(f.audit()->choice()))}});
  }
  if (most == effort::scan) {
    append(
        facts,
        {{"items_alive", f.alive_items()}, {"fill", f.fill()}, {"error_now", f.current_error()}});
  }
  return facts;
}

std::vector<fact> facts_of(const age_partitioned_filter& f, effort most) {
  std::vector<fact> facts{
      layout_fact(layout::line),        {"memory", f.memory()},    {"bits", f.bits()}, {"k", f.k()},
      {"generations", f.generations()}, {"seed", f.seed().value()}};
  append(facts, window_facts(f));
  append(facts, load_facts(f));
  if (most == effort::scan) {
    append(facts, {{"items_alive", f.alive_items()}, {"error_now", f.current_error()}});
  }
  return facts;
}

std::vector<fact> facts_of(const published::timing_filter& f, effort most) {
  std::vector<fact> facts{layout_fact(layout::flat),
                          {"memory", f.memory()},
                          {"timers", f.size().timers},
                          {"timer_bits", f.size().bits},
                          {"k", f.size().k},
                          {"seed", f.seed().value()},
                          {"window_insertions", f.window()},
                          {"block_insertions", f.size().block},
                          {"sweep", f.size().sweep},
                          {"insertions", f.insertions()},
                          {"error_at_window", f.predicted_error(f.window())}};
  if (most == effort::scan) {
    append(
        facts,
        {{"items_alive", f.alive_items()}, {"fill", f.fill()}, {"error_now", f.current_error()}});
  }
  return facts;
}

std::vector<fact> facts_of(const published::generalized_filter& f, effort) {
  return {layout_fact(layout::flat),
          {"memory", f.memory()},
          {"bits", f.bits()},
          {"k0", f.k0()},
          {"k1", f.k1()},
          {"seed", f.seed().value()},
          {"window_insertions", f.window()},
          {"insertions", f.insertions()},
          {"error_now", f.current_error()},
          {"misses_at_window", 1 - f.says_yes(static_cast<double>(f.window()))}};
}

std::vector<fact> facts_of(const published::recent_buffer& f, effort) {
  return {{"memory", f.memory()},
          {"print_memory", f.print_memory()},
          {"slots", f.slots()},
          {"fingerprint_bits", f.bits()},
          {"seed", f.seed().value()},
          {"window_insertions", f.window()},
          {"insertions", f.insertions()},
          {"items_alive", f.alive_items()},
          {"error_now", f.current_error()}};
}

}  // namespace bloomtime
