#include <bloomtime/history/any_history.hpp>

#include <algorithm>
#include <concepts>
#include <string>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/history/history_engine.hpp>

#include "detail/handle.hpp"

namespace bloomtime {

using published::level_history;
using published::single_history;
using published::tree_history;

static_assert(history_engine<history> && history_engine<timeline_history> &&
              history_engine<single_history> && history_engine<tree_history> &&
              history_engine<level_history>);

namespace {

template <class Engine>
constexpr bool knows_when = requires(const Engine& e, digest d, interval i) {
  e.when(d, i);
};

// Different keys, and sightings whose item has no name.
struct names_of {
  std::vector<std::uint64_t> keys;
  std::uint64_t nameless = 0;

  void read(const timeline_history& part) {
    part.for_each_key([&](std::uint64_t key) { keys.push_back(key); });
    for (const detail::positions& p : part.nameless()) nameless += p.shape().count;
  }
  std::uint64_t different() {
    std::sort(keys.begin(), keys.end());
    return static_cast<std::uint64_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
  }
};

names_of read_names(const history& h) {
  names_of found;
  h.for_each([&](const timeline_history& part) { found.read(part); });
  return found;
}

names_of read_names(const timeline_history& h) {
  names_of found;
  found.read(h);
  return found;
}

}  // namespace

// -- calls ---------------------------------------------------------------------------------------

const tick_clock& any_history::clock() const noexcept {
  return std::visit([](const auto& e) -> const tick_clock& { return e.clock(); }, engine_);
}

outcome any_history::add(digest d, instant when) {
  return std::visit([&](auto& e) { return e.add(d, when); }, engine_);
}

void any_history::add_bulk(std::span<const digest> items, std::span<const instant> when,
                           std::span<outcome> outcomes) {
  detail::expect_as_many(items.size(), when.size(), "times");
  detail::expect_as_many(items.size(), outcomes.size(), "outcomes");
  std::visit(
      [&](auto& e) {
        for (std::size_t i = 0; i < items.size(); ++i) outcomes[i] = e.add(items[i], when[i]);
      },
      engine_);
}

sighting any_history::seen(digest d, instant from, instant to) const noexcept {
  return std::visit([&](const auto& e) { return e.seen(d, from, to); }, engine_);
}

void any_history::seen_bulk(std::span<const digest> items, instant from, instant to,
                            std::span<sighting> answers) const {
  detail::expect_as_many(items.size(), answers.size());
  std::visit([&](const auto& e) { e.seen_bulk(items, e.clock().covering(from, to), answers); },
             engine_);
}

sightings any_history::when(digest d, interval asked) const {
  return std::visit(
      [&](const auto& e) -> sightings {
        if constexpr (knows_when<std::decay_t<decltype(e)>>) return e.when(d, asked);
        unsupported("tell when an item was seen");
      },
      engine_);
}

void any_history::trim(instant before) {
  history* h = std::get_if<history>(&engine_);
  if (h == nullptr) unsupported("drop a part of its time");
  h->trim(before);
}

std::uint64_t any_history::records() const noexcept {
  return std::visit([](const auto& e) { return e.records(); }, engine_);
}

double any_history::cardinality() const {
  return std::visit(
      [&](const auto& e) -> double {
        using engine_type = std::decay_t<decltype(e)>;
        if constexpr (knows_when<engine_type>) {
          names_of found = read_names(e);
          return static_cast<double>(found.different() + found.nameless);
        } else if constexpr (std::same_as<engine_type, tree_history>) {
          const detail::flat_filter& root = e.node(e.heights() - 1, 0);
          if (!root.absent()) return root.keys();
        } else if constexpr (std::same_as<engine_type, level_history>) {
          if (const auto items = e.keys(e.heights() - 1)) return *items;
        }
        unsupported("tell how many items there are");
      },
      engine_);
}

std::uint64_t any_history::room_for(std::uint64_t n) const {
  if (engine_.index() < 2) return n;
  unsupported("tell for how many more items it was made");
}

// -- facts ---------------------------------------------------------------------------------------

namespace {

// What all engines of one span say, and then what this one does.
template <class Engine>
std::vector<fact> span_facts(const Engine& h, std::vector<fact> more) {
  std::vector<fact> facts{{"memory", h.memory()},
                          {"seed", h.seed().value()},
                          {"tick_seconds", detail::seconds(h.clock().resolution())},
                          {"first_tick", h.first()},
                          {"ticks", h.ticks()},
                          {"records", h.records()}};
  detail::append(facts, std::move(more));
  return facts;
}

fact flat_layout() { return {"layout", std::string(name_of(layout::flat))}; }

}  // namespace

std::vector<fact> facts_of(const single_history& h, effort) {
  return span_facts(h, {flat_layout(),
                        {"bits", h.size().bits},
                        {"k", h.size().k},
                        {"pairs", h.pairs()},
                        {"error_of_a_tick", h.current_error(1)}});
}

std::vector<fact> facts_of(const tree_history& h, effort) {
  std::uint64_t nodes = 0;
  for (unsigned height = 0; height < h.heights(); ++height) nodes += h.nodes(height);
  std::vector<fact> more{
      flat_layout(), {"granularity", h.granularity()}, {"heights", h.heights()}, {"nodes", nodes}};
  const detail::flat_filter& root = h.node(h.heights() - 1, 0);
  if (!h.pairs().absent()) more.push_back({"pairs", h.pairs().keys()});
  if (!root.absent()) more.push_back({"items", root.keys()});
  return span_facts(h, std::move(more));
}

std::vector<fact> facts_of(const level_history& h, effort) {
  std::uint64_t levels = 0;
  for (unsigned height = 0; height < h.heights(); ++height) levels += h.level(height).bits != 0;
  std::vector<fact> more{flat_layout(),
                         {"heights", h.heights()},
                         {"levels", levels},
                         {"doubts", h.doubts() ? "yes" : "no"}};
  if (const auto pairs = h.keys(0)) more.push_back({"pairs", *pairs});
  if (const auto items = h.keys(h.heights() - 1)) more.push_back({"items", *items});
  return span_facts(h, std::move(more));
}

std::vector<fact> facts_of(const timeline_history& h, effort) {
  return span_facts(
      h, {{"pairs", h.pairs()}, {"items", h.items()}, {"sealed_bytes", h.sealed_bytes()}});
}

std::vector<fact> facts_of(const history& h, effort most) {
  std::uint64_t pairs = 0;
  h.for_each([&](const timeline_history& p) { pairs += p.pairs(); });
  std::vector<fact> facts{{"memory", h.memory()},
                          {"seed", h.seed().value()},
                          {"tick_seconds", detail::seconds(h.clock().resolution())},
                          {"partition_ticks", h.partition_ticks()},
                          {"partitions", std::uint64_t{h.partitions()}},
                          {"records", h.records()},
                          {"pairs", pairs}};
  if (most == effort::scan) {
    names_of found = read_names(h);
    detail::append(facts, {{"items", found.different()}, {"nameless_pairs", found.nameless}});
  }
  return facts;
}

template class detail::handle<any_history, history_engines>;
BLOOMTIME_VALUE_OF(any_history);

}  // namespace bloomtime
