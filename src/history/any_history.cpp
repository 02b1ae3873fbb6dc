#include <bloomtime/history/any_history.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <string>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/history/history_engine.hpp>

#include "history/any_history_config.hpp"

namespace bloomtime {

using published::level_history;
using published::single_history;
using published::tree_history;

static_assert(history_engine<history> && history_engine<timeline_history> &&
              history_engine<single_history> && history_engine<tree_history> &&
              history_engine<level_history>);

namespace {

// In the order of engines_type.
constexpr std::array<std::string_view, 5> names{"history", "timeline_history", "single_history",
                                                "tree_history", "level_history"};

[[noreturn]] void unsupported(std::string_view engine, const char* what) {
  throw error(errc::unsupported, "a " + std::string(engine) + " cannot " + what);
}

template <class Engine>
constexpr bool knows_when = requires(const Engine& e, digest d, interval i) {
  e.when(d, i);
};

void expect_as_many(std::size_t items, std::size_t others, const char* what) {
  if (items == others) return;
  throw error(errc::invalid_argument, "a bulk call with " + std::to_string(items) +
                                          " items needs as many " + what + ", got " +
                                          std::to_string(others));
}

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

// -- making --------------------------------------------------------------------------------------

BLOOMTIME_VALUE_OF(any_history);

std::span<const std::string_view> any_history::engines() noexcept { return names; }

std::string_view any_history::engine() const noexcept { return names[engine_.index()]; }

any_history any_history::make(const any_history_config& config, std::string_view engine) {
  const auto found = std::find(names.begin(), names.end(), engine);
  if (found == names.end()) {
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    throw error(errc::invalid_argument,
                "there is no history engine " + std::string(engine) + "; the engines are " + all);
  }
  detail::expect_parameters(config, engine);
  if (engine == "history") return any_history(history(detail::history_config_of(config)));
  if (engine == "timeline_history") {
    return any_history(timeline_history(detail::timeline_config_of(config)));
  }
  if (engine == "single_history") {
    return any_history(single_history(detail::single_config_of(config)));
  }
  if (engine == "tree_history") return any_history(tree_history(detail::tree_config_of(config)));
  return any_history(level_history(detail::level_config_of(config)));
}

// -- calls ---------------------------------------------------------------------------------------

std::uint64_t any_history::seed() const noexcept {
  return std::visit([](const auto& e) { return e.seed(); }, engine_);
}

const tick_clock& any_history::clock() const noexcept {
  return std::visit([](const auto& e) -> const tick_clock& { return e.clock(); }, engine_);
}

outcome any_history::add(digest d, instant when) {
  return std::visit([&](auto& e) { return e.add(d, when); }, engine_);
}

void any_history::add_bulk(std::span<const digest> items, std::span<const instant> when,
                           std::span<outcome> outcomes) {
  expect_as_many(items.size(), when.size(), "times");
  expect_as_many(items.size(), outcomes.size(), "outcomes");
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
  expect_as_many(items.size(), answers.size(), "answers");
  std::visit(
      [&](const auto& e) {
        for (std::size_t i = 0; i < items.size(); ++i) answers[i] = e.seen(items[i], from, to);
      },
      engine_);
}

sightings any_history::when(digest d, interval asked) const {
  return std::visit(
      [&](const auto& e) -> sightings {
        if constexpr (knows_when<std::decay_t<decltype(e)>>) return e.when(d, asked);
        unsupported(engine(), "tell when an item was seen");
      },
      engine_);
}

void any_history::merge(const any_history& other) {
  if (engine_.index() != other.engine_.index()) {
    throw error(errc::incompatible, "histories merge if they are of one engine; here they are " +
                                        std::string(engine()) + " and " +
                                        std::string(other.engine()));
  }
  std::visit([&](auto& e) { e.merge(std::get<std::decay_t<decltype(e)>>(other.engine_)); },
             engine_);
}

void any_history::clear() noexcept {
  std::visit([](auto& e) { e.clear(); }, engine_);
}

void any_history::advance(instant now) noexcept {
  if (history* h = std::get_if<history>(&engine_)) h->advance(now);
}

void any_history::trim(instant before) {
  history* h = std::get_if<history>(&engine_);
  if (h == nullptr) unsupported(engine(), "drop a part of its time");
  h->trim(before);
}

// A copy has memory of its own.
void any_history::relocate() {
  engines_type copy = std::as_const(engine_);
  engine_ = std::move(copy);
}

// -- sizes and facts -----------------------------------------------------------------------------

std::uint64_t any_history::records() const noexcept {
  return std::visit([](const auto& e) { return e.records(); }, engine_);
}

const losses& any_history::losses() const noexcept {
  return std::visit([](const auto& e) -> const bloomtime::losses& { return e.losses(); }, engine_);
}

std::uint64_t any_history::memory() const noexcept {
  return std::visit([](const auto& e) { return e.memory(); }, engine_);
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
        unsupported(engine(), "tell how many items there are");
      },
      engine_);
}

std::uint64_t any_history::room_for(std::uint64_t n) const {
  if (engine_.index() < 2) return n;
  unsupported(engine(), "tell for how many more items it was made");
}

namespace {

double seconds(std::chrono::microseconds span) { return static_cast<double>(span.count()) / 1e6; }

// What all engines of one span say, and then what this one does.
std::vector<fact> span_facts(const detail::history_base& h, std::string_view engine,
                             std::uint64_t memory, std::vector<fact> more) {
  std::vector<fact> facts{
      {"family", std::string(name_of(family::history))},
      {"engine", std::string(engine)},
      {"memory", memory},
      {"seed", h.seed()},
      {"tick_seconds", seconds(h.clock().resolution())},
      {"first_tick", h.first()},
      {"ticks", h.ticks()},
      {"records", h.records()},
  };
  std::move(more.begin(), more.end(), std::back_inserter(facts));
  return facts;
}

fact flat_layout() { return {"layout", std::string(name_of(layout::flat))}; }

}  // namespace

std::vector<fact> describe(const single_history& h) {
  return span_facts(h, names[2], h.memory(),
                    {flat_layout(),
                     {"bits", h.size().bits},
                     {"k", std::uint64_t{h.size().k}},
                     {"pairs", h.pairs()},
                     {"error_of_a_tick", h.current_error(1)}});
}

std::vector<fact> describe(const tree_history& h) {
  std::uint64_t nodes = 0;
  for (unsigned height = 0; height < h.heights(); ++height) nodes += h.nodes(height);
  std::vector<fact> more{flat_layout(),
                         {"granularity", h.granularity()},
                         {"heights", std::uint64_t{h.heights()}},
                         {"nodes", nodes}};
  const detail::flat_filter& root = h.node(h.heights() - 1, 0);
  if (!h.pairs().absent()) more.push_back({"pairs", h.pairs().keys()});
  if (!root.absent()) more.push_back({"items", root.keys()});
  return span_facts(h, names[3], h.memory(), std::move(more));
}

std::vector<fact> describe(const level_history& h) {
  std::uint64_t levels = 0;
  for (unsigned height = 0; height < h.heights(); ++height) levels += h.level(height).bits != 0;
  std::vector<fact> more{flat_layout(),
                         {"heights", std::uint64_t{h.heights()}},
                         {"levels", levels},
                         {"doubts", h.doubts() ? "yes" : "no"}};
  if (const auto pairs = h.keys(0)) more.push_back({"pairs", *pairs});
  if (const auto items = h.keys(h.heights() - 1)) more.push_back({"items", *items});
  return span_facts(h, names[4], h.memory(), std::move(more));
}

std::vector<fact> describe(const timeline_history& h) {
  return span_facts(
      h, names[1], h.memory(),
      {{"pairs", h.pairs()}, {"items", h.items()}, {"sealed_bytes", h.sealed_bytes()}});
}

std::vector<fact> describe(const history& h) {
  std::uint64_t pairs = 0;
  h.for_each([&](const timeline_history& p) { pairs += p.pairs(); });
  return {
      {"family", std::string(name_of(family::history))},
      {"engine", std::string(names[0])},
      {"memory", h.memory()},
      {"seed", h.seed()},
      {"tick_seconds", seconds(h.clock().resolution())},
      {"partition_ticks", h.partition_ticks()},
      {"partitions", std::uint64_t{h.partitions()}},
      {"records", h.records()},
      {"pairs", pairs},
  };
}

std::vector<fact> examine(const history& h) {
  std::vector<fact> facts = describe(h);
  names_of found = read_names(h);
  facts.push_back({"items", found.different()});
  facts.push_back({"nameless_pairs", found.nameless});
  return facts;
}

std::vector<fact> any_history::describe() const {
  return std::visit([](const auto& e) { return bloomtime::describe(e); }, engine_);
}

std::vector<fact> any_history::examine() const {
  if (const history* h = std::get_if<history>(&engine_)) return bloomtime::examine(*h);
  return describe();
}

std::uint64_t any_history::identity() const {
  return detail::container_view::parse(serialize()).identity();
}

// -- storage -------------------------------------------------------------------------------------

std::vector<std::byte> any_history::serialize() const {
  return std::visit([](const auto& e) { return e.serialize(); }, engine_);
}

std::uint64_t any_history::serialized_size() const {
  return std::visit([](const auto& e) { return e.serialized_size(); }, engine_);
}

void any_history::write_to(const byte_sink& sink) const {
  std::visit([&](const auto& e) { e.write_to(sink); }, engine_);
}

void any_history::save(const std::filesystem::path& path) const {
  std::visit([&](const auto& e) { e.save(path); }, engine_);
}

namespace {

// The engine of the variant that accepts this kind, from the I-th on.
template <std::size_t I = 0>
any_history load_engine(const detail::container_info& info, std::span<const std::byte> container) {
  if constexpr (I < std::variant_size_v<any_history::engines_type>) {
    using engine = std::variant_alternative_t<I, any_history::engines_type>;
    if (engine::kind.accepts(info)) return any_history(engine::load(container));
    return load_engine<I + 1>(info, container);
  } else {
    throw error(errc::unknown_kind, "this container holds family " +
                                        std::to_string(static_cast<unsigned>(info.family)) +
                                        ", engine " + std::to_string(unsigned{info.engine}) +
                                        ", which is no history that this version knows");
  }
}

}  // namespace

any_history any_history::load(std::span<const std::byte> container) {
  return load_engine(detail::container_view::parse(container).info(), container);
}

any_history any_history::load(const std::filesystem::path& path) {
  return load(detail::mapped_file::open(path)->bytes());
}

}  // namespace bloomtime
