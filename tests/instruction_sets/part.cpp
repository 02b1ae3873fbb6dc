// One half of the program: uses every filter through every kind of call that is compiled into the
// caller. `run` compiles this file twice, with and without AVX2, as functions of different names.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <bloomtime/bloomtime.hpp>

// In main.cpp, since these use templates of std:: that are not the library's.
bloomtime::published::tree_config growing_tree();
const std::filesystem::path& scratch_file();

namespace {

using namespace bloomtime;
using namespace bloomtime::published;

constexpr std::size_t count = 300;
int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong answer: %s\n", what);
  ++failures;
}

// Plain arrays: what std:: templates of its own a program has is not the library's affair.
struct inputs {
  std::array<std::uint64_t, count> numbers;
  std::array<std::string_view, count> texts;
  std::array<digest, count> digests;
  std::array<instant, count> times;
  std::array<char, 4 * count> letters;

  inputs() {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = i * i;
      for (std::size_t j = 0; j < 4; ++j) {
        letters[4 * i + j] = static_cast<char>('a' + (i >> (4 * j)) % 16);
      }
      texts[i] = {letters.data() + 4 * i, 4};
      digests[i] = digest_of(numbers[i], 7);
      times[i] = instant::from_seconds(static_cast<std::int64_t>(1'000'000 + i));
    }
  }
};

const instant start = instant::from_seconds(1'000'000);
const instant end = instant::from_seconds(1'000'000 + count);
const math::penalties costs{1, 2};

// Calls use(items) with items of each type.
template <class Use>
void for_each_type(const inputs& in, Use&& use) {
  use(in.numbers);
  use(in.texts);
  use(in.digests);
}

template <class Value>
void copies(Value& v) {
  Value copy(v);
  Value moved(std::move(copy));
  copy = moved;
  v = std::move(copy);
}

// What every filter can do: copies, moves, storage.
template <class Filter>
void values(Filter& f) {
  copies(f);
  const auto bytes = f.serialize();
  const Filter loaded = Filter::load(bytes);
  expect(loaded.serialize() == bytes, "serialize");
  f.save(scratch_file());
  expect(Filter::load(scratch_file()).serialize() == bytes, "save");
  if constexpr (requires { Filter::map(scratch_file())->memory(); }) {
    auto mapping = Filter::map(scratch_file());
    auto owner = std::move(mapping);
    owner.verify();
    expect(owner->memory() > 0, "map");
  }
  any_filter any = load_any(bytes);
  any_filter other(any);
  other = std::move(any);
  expect(!describe(other).empty(), "describe");
}

void bloom(const inputs& in) {
  for (const layout kind : {layout::flat, layout::line}) {
    for (const double error : {1e-2, 1e-4}) {
      bloom_filter f({.items = 3 * count, .error = error, .layout = kind});
      for_each_type(in, [&](const auto& items) {
        std::array<bool, count> answers{};
        f.add(items[0]);
        f.add_bulk(items);
        f.may_contain_bulk(items, answers);
        for (std::size_t i = 0; i < count; ++i) {
          expect(answers[i] && f.may_contain(items[i]), "may_contain");
        }
        expect(f.posterior(items[1], prior::membership(.5)) > .5, "posterior");
        expect(f.decide(items[1], prior::share(.1), costs), "decide");
      });
      f.merge(bloom_filter(f));
      expect(f.current_error() < .1 && f.fill() > 0 && f.memory() > 0, "current_error");
      values(f);
    }
  }
}

template <class Filter>
void use_heat(const inputs& in, Filter f) {
  for_each_type(in, [&](const auto& items) {
    for (std::size_t i = 0; i < count; ++i) {
      expect(f.add(items[i], in.times[i]) != outcome::future, "add");
    }
    expect(f.at(items[1], end).upper > 0, "at");
    expect(f.rate(items[1], end).upper > 0, "rate");
    std::array<outcome, count> outcomes{};
    std::array<estimate, count> answers{};
    f.add_bulk(items, in.times, outcomes);
    f.at_bulk(items, end, answers);
    expect(answers[1].upper > 0, "at_bulk");
  });
  f.advance(end);
  if constexpr (heat_cells_engine<Filter>) expect(f.cells() > 0, "cells");
  expect(f.memory() > 0 && f.mass(end) > 0, "mass");
  f.merge(Filter(f));
  values(f);
}

void heat(const inputs& in) {
  using std::chrono::hours;
  for (const unsigned bits : {16, 32}) {
    heat_filter f({.items = count, .error = .01, .half_life = hours(1), .cell_bits = bits});
    for_each_type(in, [&](const auto& items) {
      std::array<outcome, count> outcomes{};
      std::array<estimate, count> answers{};
      f.add_bulk(items, in.times, outcomes);
      f.at_bulk(items, end, answers);
      for (const estimate& e : answers) expect(e.upper > 0, "at_bulk");
    });
    use_heat(in, std::move(f));
  }
  heat_table table({.half_life = hours(1)});
  for_each_type(in, [&](const auto& items) {
    std::array<outcome, count> outcomes{};
    std::array<estimate, count> answers{};
    table.add_bulk(items, in.times, outcomes);
    table.at_bulk(items, end, answers);
    for (const estimate& e : answers) expect(e.upper > 0, "at_bulk");
  });
  use_heat(in, std::move(table));
  use_heat(in, decaying_filter({.items = count, .error = .01, .half_life = hours(1)}));
  use_heat(in, pooled_decaying_filter({.items = count, .error = .01, .half_life = hours(1)}));
  use_heat(in, decay_ring({.items = count, .error = .01, .window = hours(1)}));
  use_heat(in, window_table({.window = hours(1), .items = count, .error = .01}));

  hot_list hot({.entries = 20, .half_life = hours(1)});
  for (std::size_t i = 0; i < count; ++i) {
    expect(hot.add(in.texts[i], in.times[i]) != outcome::future, "hot_list");
  }
  expect(hot.top(3, end).size() == 3, "top");
  expect(hot.at(in.texts[count - 1], end).upper > 0 && hot.listed() == 20, "listed");
  hot.merge(hot_list(hot));
  values(hot);
}

template <class History>
void use_history(const inputs& in, History& h) {
  for_each_type(in, [&](const auto& items) {
    for (std::size_t i = 0; i < count; ++i) {
      expect(h.add(items[i], in.times[i]) == outcome::added, "add");
    }
    std::uint64_t probes = 0;
    expect(h.seen(items[1], start, end) == sighting::maybe, "seen");
    expect(h.seen(items[1], h.clock().covering(start, end), probes) == sighting::maybe, "seen");
    if constexpr (requires { h.when(items[1], h.clock().covering(start, end)); }) {
      const sightings found = h.when(items[1], h.clock().covering(start, end));
      expect(count_ticks(found) > 0, "when");
    }
  });
  if constexpr (requires { h.compact(); }) h.compact();
  if constexpr (requires { h.seal(); }) h.seal();
  expect(h.records() > 0 && h.memory() > 0, "records");
  values(h);
  History::verify(h.serialize());
}

void histories(const inputs& in) {
  using std::chrono::minutes;
  const std::uint64_t ticks = 1 << 20;
  single_history single({.pairs = count, .error = .01, .ticks = ticks});
  use_history(in, single);
  level_history levels({.levels = {{4096, 2}}, .most_levels = 21});
  use_history(in, levels);
  tree_history tree(growing_tree());
  use_history(in, tree);
  expect(tree.pair_ticks(in.numbers[1], {{1}, {0}}) == 0, "pair_ticks");
  timeline_history timelines({.ticks = ticks});
  use_history(in, timelines);
  std::uint64_t keys = 0;
  timelines.for_each_key([&](const auto&) { ++keys; });

  history h({.partition = minutes(1), .retention = 1000, .memory = 4000});
  use_history(in, h);
  std::size_t visited = 0;
  h.for_each([&](const timeline_history&) { ++visited; });
  expect(visited == h.partitions() && h.known_from().number > 0, "for_each");
  query_profile asked(1024);
  asked.observe({{3}, {700}});
  expect(tick_clock(minutes(1)).tick_of(start).number > 0, "tick_clock");
  copies(asked);
  expect(!asked.frequencies().empty(), "frequencies");
}

template <class Filter>
void use_recency(const inputs& in, Filter& f) {
  for_each_type(in, [&](const auto& items) {
    for (const auto& x : items) expect(f.add(x) == outcome::added, "add");
    expect(f.seen(items[count - 1]), "seen");
  });
  expect(f.memory() > 0 && f.insertions() > 0 && f.window() > 0, "memory");
  values(f);
}

void recency(const inputs& in) {
  const age_prior share = age_prior::share(.01);
  const auto cdf = [](double t) { return t / (t + 100); };
  timing_filter timing({.window = 500, .error = .01});
  use_recency(in, timing);
  recent_buffer recent({.window = 1000, .memory = 4096});
  use_recency(in, recent);
  generalized_filter generalized({.window = 500, .memory = 4096});
  use_recency(in, generalized);
  age_partitioned_filter last({.last = 500, .error = .01});
  use_recency(in, last);
  recency_filter counted({.last = 500, .items = 500, .error = .01});
  use_recency(in, counted);
  recency_table prints({.last = 500, .items = 500, .error = .01});
  use_recency(in, prints);
  age_partitioned_filter window({.window = std::chrono::hours(1), .items = 2000, .error = .01});
  std::array<recency_filter, 2> both{
      recency_filter(
          {.window = std::chrono::hours(1), .items = 2000, .error = .01, .layout = layout::flat}),
      recency_filter({.window = std::chrono::hours(1),
                      .items = 2000,
                      .error = .01,
                      .layout = layout::line,
                      .audit = audit_config{}})};
  recency_table growing({.window = std::chrono::hours(1), .error = .01, .audit = audit_config{}});
  for_each_type(in, [&](const auto& items) {
    const auto& x = items[count - 1];
    expect(timing.posterior(x, share) > 0 && timing.decide(x, share, costs), "timing");
    expect(timing.ages(x, math::geometric(.01)).mean() > 0, "ages");
    expect(recent.posterior(x, share) > 0 && recent.decide(x, age_prior{}, costs), "recent");
    expect(generalized.posterior(x, share) > 0, "generalized");
    expect(generalized.decide(x, share, costs) || true, "generalized");
    expect(generalized.mean_age(x, math::geometric(.01)) > 0, "mean_age");

    std::array<novelty, count> answers{};
    std::array<outcome, count> outcomes{};
    std::array<bool, count> seen{};
    window.add_if_new_bulk(items, in.times, answers);
    expect(window.seen(x, end) && window.age(x, end).has_value(), "window");
    expect(!window.add_if_new(x, end).fresh, "add_if_new");
    expect(window.posterior(x, end, cdf) > 0 && window.decide(x, end, cdf, costs), "posterior");
    const auto use = [&](auto& f) {
      for (std::size_t i = 0; i < count; ++i) {
        expect(f.add(items[i], in.times[i]) != outcome::future, "add");
      }
      f.add_bulk(items, in.times, outcomes);
      f.add_if_new_bulk(items, in.times, answers);
      f.seen_bulk(items, end, seen);
      for (const bool s : seen) expect(s, "seen_bulk");
      expect(f.seen(x, end) && f.seen(x) && f.age(x, end).has_value(), "seen");
      expect(!f.add_if_new(x, end).fresh && !f.add_if_new(x).fresh, "add_if_new");
      expect(!f.add_if_new(x, end, costs).fresh, "add_if_new");
      expect(f.posterior(x, end, cdf) > 0 && f.decide(x, end, share, costs), "posterior");
      expect(f.audit().has_value() || f.posterior(x, end) != f.posterior(x, end), "no prior");
      expect(f.decide(x, end, event_rate{.01}, costs) && f.decide(x, end, costs), "decide");
      expect(f.observe(x, end, share, costs), "observe");
    };
    for (recency_filter& f : both) {
      use(f);
      expect(f.evidence(x, end).window > 0, "evidence");
    }
    use(growing);
  });
  for (recency_filter& f : both) {
    f.merge(recency_filter(f));
    values(f);
  }
  growing.merge(recency_table(growing));
  values(growing);
  window.merge(age_partitioned_filter(window));
  values(window);
  published::share_table table;
  table.set("x", .5);
  expect(table(digest_of("x")) == .5, "share_table");
  copies(table);
  published::equal_share equal(100);
  equal.add(digest_of("x"));
  copies(equal);
  published::frequency_sketch sketch({.window = 100, .memory = 4096});
  sketch.add(digest_of("x"));
  copies(sketch);
  learned_ages ages(1000);
  for (std::uint64_t i = 0; i < 300; ++i) ages.add(i);
  copies(ages);
  expect(timing.posterior(in.numbers[1], ages) >= 0, "learned ages");
}

template <class Filter>
void use_tally(const inputs& in, Filter f) {
  for_each_type(in, [&](const auto& items) {
    for (const auto& x : items) expect(f.add(x, 2) == outcome::added, "add");
    if constexpr (Filter::removes) expect(f.remove(items[1]) == outcome::added, "remove");
    expect(f.count(items[1]).upper > 0, "count");
    if constexpr (requires(std::span<outcome> o) { f.add_bulk(items, o); }) {
      std::array<outcome, count> outcomes{};
      std::array<counted, count> answers{};
      f.add_bulk(items, outcomes);
      if constexpr (Filter::removes) f.remove_bulk(items, outcomes);
      f.count_bulk(items, answers);
      for (const counted& c : answers) expect(c.upper > 0, "count_bulk");
    }
  });
  const tally_statistics s = f.statistics();
  expect(s.total > 0 && s.distinct > 0, "statistics");
  if constexpr (requires { f.cells(); }) {
    expect(f.cell(f.position(in.digests[0], 0)) > 0 && f.cells() > 0, "cells");
  } else {
    std::uint64_t sum = 0;
    f.for_each([&](std::uint64_t, std::uint64_t n) { sum += n; });
    expect(sum >= f.total() && f.print_of(in.numbers[1]) != 0 && f.slots() > 0, "slots");
  }
  expect(f.total() > 0 && f.memory() > 0 && f.confidence() > 0, "total");
  f.merge(Filter(f));
  values(f);
}

void tallies(const inputs& in) {
  use_tally(in, tally_table({.items = count, .error = .001}));
  use_tally(in, tally_table({.items = 4 * count, .error = .001, .reserve = true}));
  for (const unsigned bits : {4u, 8u}) {
    use_tally(in, tally_filter({.items = count, .error = .01, .cell_bits = bits}));
    use_tally(in, rising_tally({.items = count, .error = .01, .cell_bits = bits}));
  }
  use_tally(in, counting_filter({.items = count, .error = .01, .cell_bits = 8}));
  use_tally(in, spectral_filter({.items = count, .error = .01}));
  use_tally(in, rising_spectral_filter({.items = count, .error = .01}));
  use_tally(in, recurring_spectral_filter({.items = count, .error = .01}));
  use_tally(in, dynamic_count_filter({.items = count, .error = .01}));
}

}  // namespace

int PART() {
  const inputs in;
  try {
    bloom(in);
    heat(in);
    histories(in);
    recency(in);
    tallies(in);
  } catch (const std::exception& e) {
    std::printf("thrown: %s\n", e.what());
    ++failures;
  }
  return failures;
}
