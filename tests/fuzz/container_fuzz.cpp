// The decoder against arbitrary bytes: parse, load, use, save, compare. The first byte of an input
// says what to seal, so that mutations get past the checksums: 0 nothing, 1 the head and all
// sections, 2 the head only, 3 the containers inside of it and then all of it. The rest is the
// container. Whatever it says, a call allocates memory for its bytes, and questions to a history
// read what there is: both are counted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/tally/tally_engine.hpp>

#include "support/allocated.hpp"
#include "support/container_bytes.hpp"
#include "support/metered_bits.hpp"
#include "support/require.hpp"

namespace {

using namespace bloomtime;
using namespace bloomtime::published;
using support::require;
using bytes_type = std::vector<std::byte>;

// What load, all questions together and all changes together may allocate, of so many bytes. The
// most is for a table of ticks, each of which takes a bit in a container and up to 12 bytes, while
// vectors grow, in memory.
class limited_memory {
 public:
  limited_memory(const char* call, std::size_t container) noexcept
      : call_(call), most_((std::uint64_t{1} << 20) + 512 * std::uint64_t{container}) {}
  limited_memory(const limited_memory&) = delete;
  limited_memory& operator=(const limited_memory&) = delete;
  ~limited_memory() { support::require(watch_.most() <= most_, call_); }

 private:
  const char* call_;
  std::uint64_t most_;
  support::allocated watch_;
};

// A merge of 64-bit parts and the like may be too large, and nothing else.
template <class Change>
void unless_too_large(Change&& change) {
  try {
    change();
  } catch (const error& e) {
    require(e.code() == errc::too_large, "only what is too large is refused");
  }
}

// -- what questions to timelines read ------------------------------------------------------------

using metered_timelines = detail::timelines_view<support::metered_bits>;

// Two for every bit: an item, a piece and a number of a list take more bits than reads.
std::uint64_t most_reads(std::uint64_t bytes) { return 1000 + 2 * 8 * bytes; }

void read_named(const detail::timelines& named) {
  if (named.empty()) return;
  std::uint64_t reads = 0;
  const metered_timelines view(named.shape(), {named.directory().bytes(), reads},
                               {named.stream().bytes(), reads});
  for (std::uint64_t key : {std::uint64_t{0}, detail::timeline_key(digest_of("a"))}) {
    reads = 0;
    const auto line = view.find(key);
    if (line) (void)line->seen({3, 1000});
    require(reads <= most_reads(named.bytes()), "a question reads what there is");
  }
  reads = 0;
  detail::timelines_cursor<support::metered_bits> items(view);
  while (items.next()) {
    detail::timeline_cursor<support::metered_bits> ticks(items.line());
    while (ticks.next()) {
    }
  }
  require(reads <= most_reads(named.bytes()), "all timelines are read in their length");
}

void read_nameless(const detail::positions& set) {
  for (const char* item : {"", "a"}) {
    std::uint64_t reads = 0;
    const detail::positions_view<support::metered_bits> view(
        set.shape(), {set.marks().bytes(), reads}, {set.list().bytes(), reads});
    view.for_each(detail::timeline_key(digest_of(item)), {0, ~std::uint64_t{0}},
                  [](detail::tick_range) { return true; });
    require(reads <= most_reads(set.bytes()), "all positions are read in their length");
  }
}

void read_metered(const timeline_history& h) {
  read_named(h.named());
  for (const detail::positions& set : h.nameless()) read_nameless(set);
  for (const char* item : {"", "a", "/index.html"}) {
    const sightings seen = h.when(item, {{-1}, {INT64_MAX}});
    require(seen.size() <= 8 * h.memory() + 1, "no more is listed than there are bits");
  }
}

void ask(const bloom_filter& f) {
  const std::array<std::string, 3> texts{"", "a", "/index.html"};
  std::array<bool, 3> answers{};
  f.may_contain_bulk(texts, answers);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    require(answers[i] == f.may_contain(texts[i]), "bulk and single answers agree");
  }
  for (int i = 0; i < 20; ++i) {
    const double p = f.posterior(i, prior::share(0.001));
    require(0 <= p && p <= 1, "a posterior is a probability");
    require(f.may_contain(i) || p == 0, "what is certainly absent has no probability");
  }
  (void)describe(any_filter(f));
}

void change(bloom_filter f) {
  for (int i = 0; i < 20; ++i) f.add(i);
  for (int i = 0; i < 20; ++i) require(f.may_contain(i), "what was inserted is there");
  const bloom_filter before = f;
  f.merge(before);
  if (f.bits() % 1024 == 0) f.fold(2);
  for (int i = 0; i < 20; ++i) require(f.may_contain(i), "what was inserted stays there");
  const bytes_type stored = f.serialize();
  require(bloom_filter::load(stored).serialize() == stored, "what was changed can be stored");
}

// What every engine that counts over time promises, whatever it was loaded with.
template <class Filter>
void ask(const Filter& f) {
  const instant newest = f.newest().value_or(instant{});
  for (const char* item : {"", "a", "/index.html"}) {
    const estimate e = f.at(item, newest);
    require(0 <= e.lower && e.lower <= e.value && e.value <= e.upper, "bounds enclose the value");
  }
  require(f.mass(newest) >= 0, "there is no negative heat");
  (void)describe(any_filter(f));
}

template <class Filter>
void change(Filter f) {
  const instant now = f.newest().value_or(instant{});
  const estimate before = f.at("a", now);
  if (f.add("a", now, 3) == outcome::added) {
    require(f.at("a", now).upper >= before.lower + 3, "what was added counts");
  }
  const bytes_type stored = f.serialize();
  require(Filter::load(stored).serialize() == stored, "what was changed can be stored");
}

void ask(const hot_list& l) {
  ask<hot_list>(l);
  const instant newest = l.newest().value_or(instant{});
  const auto top = l.top(3, newest);
  for (std::size_t i = 0; i < top.size(); ++i) {
    require(i == 0 || top[i - 1].heat.upper >= top[i].heat.upper, "the hottest comes first");
    require(top[i].recent.size() == l.buckets(), "all buckets are told");
    require(top[i].trend >= 0, "a trend is a ratio");
  }
}
void change(hot_list l) {
  change<hot_list>(l);
  try {
    l.merge(l);
  } catch (const error& e) {
    require(e.code() == errc::too_large, "a list merges with itself");
  }
}

// A history says whatever its bits say, but never no to what it was given.
template <history_engine History>
void ask(const History& h) {
  for (const char* item : {"", "a", "/index.html"}) {
    for (const interval asked : {interval{{0}, {3}}, interval{{5}, {5}}, interval{{-1}, {4000}}}) {
      std::uint64_t probes = 0;
      (void)h.seen(item, asked, probes);
    }
  }
  if constexpr (std::is_same_v<History, timeline_history>) read_metered(h);
  (void)describe(any_filter(h));
}

template <history_engine History>
void change(History h) {
  const auto first = static_cast<std::int64_t>(h.first());
  const auto last = static_cast<std::int64_t>(h.first() + h.ticks() - 1);
  for (const std::int64_t t : {first, first + 1, first + 700, last}) {
    const instant when = h.clock().start_of({t});
    if (h.clock().tick_of(when).number != t) continue;  // beyond the clock
    if (h.add("a", when) != outcome::added) continue;
    std::uint64_t probes = 0;
    require(h.seen("a", interval{{t}, {t}}, probes) == sighting::maybe, "what was added is seen");
  }
  const History before = h;
  unless_too_large([&] { h.merge(before); });
  if constexpr (requires { h.seal(); }) unless_too_large([&] { h.seal(); });
  const bytes_type stored = h.serialize();
  require(History::load(stored).serialize() == stored, "what was changed can be stored");
}

void ask(const history& h) {
  for (const interval asked : {interval{{0}, {3}}, interval{{-1}, {4000}}}) {
    std::uint64_t probes = 0;
    (void)h.seen("a", asked, probes);
    (void)h.when("a", asked);
  }
  h.for_each(read_metered);
  (void)describe(any_filter(h));
}

void change(history h) {
  const tick first = h.known_from();
  const history_config& config = h.config();
  const std::int64_t ticks = config.partition.value_or(config.tick) / config.tick;
  const tick last{first.number + ticks - 1};
  for (const tick t : {first, last}) {
    const instant when = h.clock().start_of(t);
    unless_too_large([&] {
      if (h.add("a", when) != outcome::added) return;
      require(h.seen("a", when, when) == sighting::maybe, "what was added is seen");
    });
  }
  unless_too_large([&] { h.compact(); });
  unless_too_large([&] { h.seal(); });
  const bytes_type stored = h.serialize();
  require(history::load(stored).serialize() == stored, "what was changed can be stored");
}

void ask(const age_partitioned_filter& f) {
  const instant newest = f.newest().value_or(instant{});
  for (const char* item : {"", "a", "/index.html"}) {
    const auto age = f.age(item, newest);
    require(age.has_value() == f.seen(item, newest), "what has an age was seen");
    require(!age || age->youngest <= age->oldest, "an age has two ends");
    const double p = f.posterior(item, newest, [](double t) { return t / (t + 1e6); });
    require(0 <= p && p <= 1 && (p == 0 || age), "a posterior is a probability");
  }
  const double error = f.current_error();
  require(0 <= error && error <= 1.000001, "an error is a chance");
  (void)describe(any_filter(f));
}

void change(age_partitioned_filter f) {
  const instant newest = f.newest().value_or(instant{});
  for (const instant when : {newest, instant(newest.micros / 2), instant(INT64_MAX)}) {
    for (int i = 0; i < 20; ++i) {
      const outcome became = f.add(i, when);
      require(became == outcome::dropped_late || f.seen(i, when), "what was inserted is seen");
    }
  }
  try {
    f.merge(age_partitioned_filter(f));
    require(f.seen(0, instant(INT64_MAX)), "what was inserted is seen after a merge");
  } catch (const error& e) {
    require(e.code() == errc::too_large || !f.timed(), "a window of time merges with itself");
  }
  const bytes_type stored = f.serialize();
  require(age_partitioned_filter::load(stored).serialize() == stored,
          "what was changed can be stored");
}

// What the two baselines of recency promise.
template <class Filter>
void ask_recent(const Filter& f) {
  for (int i = 0; i < 20; ++i) {
    for (const double window : {0., 1., 1e18}) {
      const double p = f.posterior(i, age_prior::share(0.001), window);
      require(0 <= p && p <= 1, "a posterior is a probability");
    }
    (void)f.decide(i, age_prior::share(0.1), {1, 2});
  }
  (void)describe(any_filter(f));
}

template <class Filter>
void change_recent(Filter f) {
  for (int i = 0; i < 20; ++i) {
    f.add(i);
    require(f.seen(i), "what was just inserted is seen");
  }
  const bytes_type stored = f.serialize();
  require(Filter::load(stored).serialize() == stored, "what was changed can be stored");
}

void ask(const generalized_filter& f) { ask_recent(f); }
void ask(const recent_buffer& f) { ask_recent(f); }
void change(const generalized_filter& f) { change_recent(f); }
void change(const recent_buffer& f) { change_recent(f); }

template <class Filter>
void ask_in_time(const Filter& f) {
  for (const char* item : {"", "a", "/index.html"}) {
    const instant newest = f.newest().value_or(instant{});
    const instant later(std::max<std::int64_t>(newest.micros, 0) / 2 + (1LL << 40));
    for (const instant when : {newest, later}) {
      require(f.seen(item, when) == f.age(item, when).has_value(), "what was seen has an age");
      const double p = f.posterior(item, when, age_prior::share(0.001));
      require(0 <= p && p <= 1, "a posterior is a probability");
      require(f.seen(item, when) || p == 0, "what is certainly absent has no probability");
    }
  }
  (void)describe(any_filter(f));
}

template <class Filter>
void change_in_time(Filter f) {
  if (f.add("a") == outcome::added) require(f.seen("a"), "what was added is seen");
  const bool known = f.seen("b");
  require(f.add_if_new("b").fresh != known, "what is new was not seen");
  try {
    f.merge(Filter(f));
  } catch (const error& e) {
    require(e.code() == errc::too_large, "a recency filter merges with itself");
  }
  const bytes_type stored = f.serialize();
  require(Filter::load(stored).serialize() == stored, "what was changed can be stored");
}

void ask(const recency_filter& f) { ask_in_time(f); }
void change(const recency_filter& f) { change_in_time(f); }

void ask(const recency_table& f) {
  ask_in_time(f);
  const double error = f.current_error();
  require(0 <= error && error <= 1, "an error is a probability");
  require(f.alive_items() <= static_cast<double>(f.slots() + f.stashed()), "items have slots");
}

// Growth, late events and a gap after which nothing is alive.
void change(recency_table f) {
  change_in_time(f);
  const std::int64_t now = f.newest().value_or(instant{}).micros;
  for (const instant when : {instant(now), instant(now / 2), instant(INT64_MAX)}) {
    for (int i = 0; i < 100; ++i) {
      const outcome became = f.add(i, when);
      const bool recorded = became == outcome::added || became == outcome::late;
      require(!recorded || !f.timed() || f.seen(i), "what was added is seen");
      require(f.alive_items() <= static_cast<double>(f.slots() + f.stashed()), "items have slots");
    }
  }
  change_in_time(std::move(f));
}

void ask(const timing_filter& f) {
  for (int i = 0; i < 20; ++i) {
    const double p = f.posterior(i, age_prior::share(0.001));
    require(0 <= p && p <= 1, "a posterior is a probability");
    require(f.seen(i) || p == 0, "what is certainly absent has no probability");
  }
  (void)describe(any_filter(f));
}

void change(timing_filter f) {
  for (int i = 0; i < 100; ++i) {
    f.add(i);
    require(f.seen(i), "what was added is seen");
  }
  const bytes_type stored = f.serialize();
  require(timing_filter::load(stored).serialize() == stored, "what was changed can be stored");
}

// Whatever the cells hold: bounds enclose the value, what comes counts, and what was refused leaves
// no trace.
template <tally_engine Tally>
void ask(const Tally& f) {
  for (const char* item : {"", "a", "/index.html"}) {
    const counted c = f.count(item);
    require(c.lower <= c.value && c.value <= c.upper, "bounds enclose the value");
  }
  (void)describe(any_filter(f));
}

template <tally_engine Tally>
void change(Tally f) {
  for (const char* item : {"a", "b"}) {
    const counted before = f.count(item);
    if (f.add(item, 300) == outcome::added && Tally::one_sided) {
      require(f.count(item).upper >= before.upper + 300, "what was added counts");
    }
    if constexpr (removing_tally_engine<Tally>) {
      const bytes_type kept = f.serialize();
      if (f.remove(item, ~std::uint64_t{0}) == outcome::refused) {
        require(f.serialize() == kept, "what is refused leaves no trace");
      }
      (void)f.remove(item, 299);
    }
  }
  const Tally before = f;
  try {
    f.merge(before);
  } catch (const error& e) {
    // A table may have no room for counts twice as large.
    require(e.code() == errc::too_large ||
                (!cell_tally_engine<Tally> && e.code() == errc::incompatible),
            "a tally merges with itself");
  }
  const bytes_type stored = f.serialize();
  require(Tally::load(stored).serialize() == stored, "what was changed can be stored");
}

// Only the decoder may refuse; whatever it lets through must work.
template <class Decode>
auto unless_refused(Decode&& decode) -> std::optional<decltype(decode())> {
  try {
    return decode();
  } catch (const error& e) {
    require(e.what()[0] != '\0', "an error says what is wrong");
    return {};
  }
}

void load_and_use(const bytes_type& container) {
  const auto loaded = [&] {
    const limited_memory limit("a load allocates what its bytes allow", container.size());
    return unless_refused([&] { return load_any(container); });
  }();
  if (!loaded) return;
  const auto use = [&](const auto& f) {
    require(f.serialize() == container, "what was loaded is stored as it was");
    {
      const limited_memory limit("a question allocates what its bytes allow", container.size());
      ask(f);
    }
    const limited_memory limit("a change allocates what its bytes allow", container.size());
    change(f);
  };
  std::visit(use, *loaded);
}

// A mapped body is anything at all. The file is in memory, under a name of its own.
void map_and_ask(const bytes_type& container) {
  static const int fd = ::memfd_create("container", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const auto size = static_cast<off_t>(container.size());
  if (::ftruncate(fd, size) != 0 || ::pwrite(fd, container.data(), container.size(), 0) != size) {
    return;
  }
  const auto try_map = [&](auto&& map) {
    const limited_memory limit("a map allocates what its bytes allow", container.size());
    if (const auto mapped = unless_refused([&] { return map(path); })) ask(**mapped);
  };
  try_map(bloom_filter::map);
  try_map(single_history::map);
  try_map(tree_history::map);
  try_map(level_history::map);
  try_map(timeline_history::map);
  const limited_memory limit("a map allocates what its bytes allow", container.size());
  // To tell how many items it has, a history goes through all its timelines, and may find damage.
  (void)unless_refused([&] { return ask(*history::map(path)), true; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size));
  bytes_type container(input.begin() + 1, input.end());
  if (data[0] == 1) bloomtime::support::seal(container);
  if (data[0] == 2) bloomtime::support::seal_head(container);
  if (data[0] == 3) bloomtime::support::seal_nested(container);
  load_and_use(container);
  map_and_ask(container);
  return 0;
}
