#include "support/magnitude.hpp"
#include "support/oracle_bloom.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bloomtime {
namespace bloom_filter_property {

using oracle::bloom_twin;
using support::magnitude;

std::uint64_t any_whole(double low, double high) {
  return static_cast<std::uint64_t>(magnitude(low, high));
}

layout any_layout() { return *rc::gen::element(layout::flat, layout::line); }

// Up to a few KiB. Few items in much memory give the largest k, many in little give k = 1.
bloom_config any_config() {
  bloom_config config;
  config.seed = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) {
    config.items = any_whole(0, 9);
    config.error = magnitude(-30, -0.1);
  } else {
    config.items = any_whole(0, 20);
    config.memory = any_whole(6, 12);
  }
  if (*rc::gen::arbitrary<bool>()) config.layout = any_layout();
  return config;
}

// The ends of the range lie in the first and in the last cell of an array.
digest any_digest() {
  const auto half = rc::gen::oneOf(
      rc::gen::arbitrary<std::uint64_t>(),
      rc::gen::element<std::uint64_t>(0, 1, std::numeric_limits<std::uint64_t>::max()));
  return {*half, *half};
}

std::vector<digest> any_digests(std::size_t fewer_than = 40) {
  std::vector<digest> all(*rc::gen::inRange<std::size_t>(0, fewer_than));
  for (digest& d : all) d = any_digest();
  return all;
}

// As likely as not one that was inserted.
digest any_question(const bloom_twin& twin) {
  if (twin.inserted().empty() || *rc::gen::arbitrary<bool>()) return any_digest();
  return *rc::gen::elementOf(twin.inserted());
}

std::uint64_t blocks(const bloom_filter& f) {
  return f.bits() / (f.layout() == layout::line ? 512 : 64);
}

std::uint64_t any_divisor(std::uint64_t n) {
  std::vector<std::uint64_t> divisors;
  for (std::uint64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return *rc::gen::elementOf(divisors);
}

template <class Action>
void expect_refusal(bloom_twin& twin, errc expected, Action&& action) {
  const bloom_filter before = twin.filter();
  try {
    action(twin);
    RC_FAIL("nothing was thrown");
  } catch (const error& e) {
    RC_ASSERT(e.code() == expected);
  }
  RC_ASSERT(oracle::identical(twin.filter(), before));
}

const std::vector<oracle::operation<bloom_twin>> operations = {
    {"insert bytes", 6, [](bloom_twin& t) { t.add(*rc::gen::arbitrary<std::string>()); }},
    {"insert a digest", 6, [](bloom_twin& t) { t.add(any_question(t)); }},
    {"insert integers", 6,
     [](bloom_twin& t) {
       t.add(*rc::gen::arbitrary<std::uint64_t>());
       t.add(*rc::gen::arbitrary<std::int64_t>());
       t.add(*rc::gen::arbitrary<std::uint16_t>());
       t.add(*rc::gen::arbitrary<signed char>());
     }},
    {"insert many texts", 2,
     [](bloom_twin& t) { t.add_bulk(*rc::gen::arbitrary<std::vector<std::string>>()); }},
    {"insert many integers", 4,
     [](bloom_twin& t) { t.add_bulk(*rc::gen::arbitrary<std::vector<std::int32_t>>()); }},
    {"insert many digests", 4, [](bloom_twin& t) { t.add_bulk(any_digests()); }},
    {"ask for bytes", 2, [](bloom_twin& t) { t.query(*rc::gen::arbitrary<std::string>()); }},
    {"ask for an integer", 2, [](bloom_twin& t) { t.query(*rc::gen::arbitrary<std::int64_t>()); }},
    {"ask for a digest", 4, [](bloom_twin& t) { t.query(any_question(t)); }},
    {"ask for many texts", 2,
     [](bloom_twin& t) { t.query_bulk(*rc::gen::arbitrary<std::vector<std::string>>()); }},
    {"ask for many digests", 2, [](bloom_twin& t) { t.query_bulk(any_digests()); }},
    {"ask for all that is in", 2, [](bloom_twin& t) { t.query_bulk(t.inserted()); }},
    {"ask how sure", 4,
     [](bloom_twin& t) {
       t.infer(any_question(t), magnitude(-60, 0), {magnitude(-20, 20), magnitude(-20, 20)});
     }},
    {"merge", 3,
     [](bloom_twin& t) {
       bloom_twin other = t.sibling();
       other.add_bulk(any_digests());
       t.merge(other);
     }},
    {"merge with itself", 1, [](bloom_twin& t) { t.merge(bloom_twin(t)); }},
    {"refuse to merge", 1,
     [](bloom_twin& t) {
       bloom_twin folded = t;
       const std::uint64_t most = blocks(t.filter());
       folded.fold(most);
       if (most == 1) return;
       expect_refusal(t, errc::incompatible, [&](bloom_twin& same) { same.merge(folded); });
     }},
    {"fold", 1, [](bloom_twin& t) { t.fold(any_divisor(blocks(t.filter()))); }},
    {"refuse to fold", 1,
     [](bloom_twin& t) {
       const auto factor = *rc::gen::inRange<std::uint64_t>(0, 100);
       if (factor != 0 && blocks(t.filter()) % factor == 0) return;
       expect_refusal(t, errc::invalid_argument, [&](bloom_twin& same) { same.fold(factor); });
     }},
    {"copy", 1, [](bloom_twin& t) { t.replace(oracle::copied(t.filter())); }},
    {"assign", 1,
     [](bloom_twin& t) { t.replace(oracle::assigned(t.filter(), bloom_filter(any_config()))); }},
    {"serialize and load", 1, [](bloom_twin& t) { t.replace(oracle::reloaded(t.filter())); }},
    {"save and map", 1, [](bloom_twin& t) { t.replace(oracle::remapped(t.filter())); }},
};

RC_GTEST_PROP(bloom_oracle, keeps_every_promise_after_every_step, ()) {
  bloom_twin twin(any_config());
  RC_LOG() << name_of(twin.filter().layout()) << ", " << twin.filter().bits() << " bits, k "
           << twin.filter().k() << ", seed " << to_string(twin.filter().seed()) << '\n';
  oracle::random_walk<bloom_twin>(twin, operations);
}

// Parallel building: shards of one size, merged in any order, are what one filter would have been,
// head and all.
RC_GTEST_PROP(bloom_filter_property, shards_merge_into_the_whole, ()) {
  const bloom_config config = any_config();
  const auto stream = any_digests();
  bloom_filter whole(config);
  std::vector<bloom_filter> shards(3, whole);
  for (const digest d : stream) {
    whole.add(d);
    shards[d.lo % shards.size()].add(d);
  }
  bloom_filter merged = shards[2];
  merged.merge(shards[0]);
  merged.merge(shards[1]);
  RC_ASSERT(oracle::identical(merged, whole));
}

RC_GTEST_PROP(bloom_filter_property, folds_compose, ()) {
  bloom_filter once(any_config());
  once.add_bulk(any_digests());
  bloom_filter twice = once;
  const std::uint64_t first = any_divisor(blocks(once));
  const std::uint64_t second = any_divisor(blocks(once) / first);
  once.fold(first * second);
  twice.fold(first);
  twice.fold(second);
  RC_ASSERT(oracle::identical(once, twice));
}

// "As if it had been built with that many times fewer bits", head and all. What is sized for one
// item has the largest k of its layout at any size.
RC_GTEST_PROP(bloom_filter_property, a_folded_filter_is_one_built_smaller, ()) {
  const std::uint64_t smaller = *rc::gen::inRange<std::uint64_t>(2, 10) * 64;
  const std::uint64_t factor = *rc::gen::inRange<std::uint64_t>(1, 10);
  const layout kind = any_layout();
  bloom_filter folded({.items = 1, .memory = smaller * factor, .layout = kind});
  bloom_filter built({.items = 1, .memory = smaller, .layout = kind});
  RC_PRE(folded.k() == built.k());
  const auto stream = any_digests();
  folded.add_bulk(stream);
  built.add_bulk(stream);
  folded.fold(factor);
  RC_ASSERT(oracle::identical(folded, built));
}

// Any length, so that the pipeline of bulk calls is empty, half full and going round.
RC_GTEST_PROP(bloom_filter_property, bulk_is_one_by_one, ()) {
  bloom_filter single(any_config());
  bloom_filter bulk = single;
  const auto count = *rc::gen::inRange<std::uint32_t>(0, 300);
  std::vector<std::uint32_t> items;
  for (std::uint32_t i = 0; i < count; ++i) items.push_back(i * i % 61);
  for (const std::uint32_t x : items) single.add(x);
  bulk.add_bulk(items);
  RC_ASSERT(oracle::identical(bulk, single));
}

RC_GTEST_PROP(bloom_filter_property, wide_and_portable_calls_do_the_same, ()) {
  const detail::line_bits lines{*rc::gen::inRange<std::uint64_t>(1, 9),
                                *rc::gen::inRange(1U, detail::max_line_k + 1)};
  detail::buffer one(lines.lines * detail::line_bytes);
  detail::buffer other = one;
  const auto stream = any_digests(200);
  const auto questions = any_digests(200);
  const std::span<const digest> items(stream);
  RC_ASSERT(detail::insert_lines(one.data(), lines, items, 0) ==
            detail::in_steps::insert_lines(other.data(), lines, items, 0));
  RC_ASSERT(std::ranges::equal(one.bytes(), other.bytes()));
  for (const auto* list : {&stream, &questions}) {
    const std::span<const digest> asked(*list);
    const auto quick = std::make_unique<bool[]>(asked.size());
    const auto plain = std::make_unique<bool[]>(asked.size());
    detail::contains_lines(one.data(), lines, asked, 0, quick.get());
    detail::in_steps::contains_lines(other.data(), lines, asked, 0, plain.get());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      RC_ASSERT(quick[i] == plain[i]);
      RC_ASSERT(quick[i] || list == &questions);
    }
  }
}

// ones() is counted when it is first asked for. Whoever asks when, the answers and bytes are those
// of a filter that is asked after every addition.
RC_GTEST_PROP(bloom_filter_property, counts_its_bits_whenever_it_is_asked, ()) {
  bloom_filter asked(any_config());
  bloom_filter silent = asked;
  for (const digest d : any_digests()) {
    const bool fresh = silent.add(d);
    const std::uint64_t had = asked.ones();
    RC_ASSERT(asked.add(d) == fresh);
    RC_ASSERT((asked.ones() > had) == fresh);
    switch (*rc::gen::inRange(0, 12)) {
      case 0: RC_ASSERT(bloom_filter(silent).ones() == asked.ones()); break;
      case 1: RC_ASSERT(silent.ones() == asked.ones()); break;
      case 2: silent = bloom_filter(bloom_filter::load(silent.serialize())); break;
      case 3: silent.merge(bloom_filter(silent)), asked.merge(bloom_filter(asked)); break;
      default: break;
    }
  }
  RC_ASSERT(silent.serialize() == asked.serialize());
}

// What single calls choose when the program starts, and what they have inline.
RC_GTEST_PROP(bloom_filter_property, single_calls_are_the_same_with_any_instructions, ()) {
  const auto k = *rc::gen::inRange(1u, detail::max_line_k + 1);
  const detail::line_bits lines{3, k};
  detail::buffer one(3 * detail::line_bytes);
  detail::buffer other(3 * detail::line_bytes);
  detail::buffer counted(3 * detail::line_bytes);
  for (const digest d : any_digests()) {
    const std::size_t at = lines.offset(d);
    RC_ASSERT(at == detail::line_bits::offset_in(one.size(), d));
    RC_ASSERT(detail::single::line_contains(one.data() + at, lines, d) ==
              detail::portable::line_contains(other.data() + at, lines, d));
    const unsigned fresh = detail::portable::line_insert(other.data() + at, lines, d);
    if (k <= detail::line_words && *rc::gen::arbitrary<bool>()) {
      const detail::line_round& round = detail::line_windows[k];
      RC_ASSERT(detail::single::line_set(one.data() + at, round, d) == (fresh != 0));
      RC_ASSERT(detail::single::line_insert(counted.data() + at, round, d) == fresh);
      RC_ASSERT(detail::single::line_contains(one.data() + at, round, d));
    } else {
      RC_ASSERT(detail::single::line_set(one.data() + at, lines, d) == (fresh != 0));
      RC_ASSERT(detail::single::line_insert(counted.data() + at, lines, d) == fresh);
    }
    RC_ASSERT(std::ranges::equal(one.bytes(), other.bytes()));
    RC_ASSERT(std::ranges::equal(counted.bytes(), other.bytes()));
  }
}

RC_GTEST_PROP(bloom_filter_property, is_as_small_and_as_right_as_asked, ()) {
  const bloom_config config = any_config();
  const bloom_filter f(config);
  if (config.memory) RC_ASSERT(f.memory() <= *config.memory);
  if (config.error) RC_ASSERT(f.predicted_error(config.items) <= *config.error);
  if (config.layout) RC_ASSERT(f.layout() == *config.layout);
  RC_ASSERT(f.capacity() == config.items);
  RC_ASSERT(f.predicted_error(0) == 0);
  const std::uint64_t more = config.items + any_whole(0, 60);
  RC_ASSERT(f.predicted_error(more) >= f.predicted_error(config.items) * (1 - 1e-12));
  RC_ASSERT(f.predicted_error(more) <= 1);
}

RC_GTEST_PROP(bloom_filter_property, a_stronger_prior_is_never_less_sure, ()) {
  bloom_filter f(any_config());
  const auto stream = any_digests();
  f.add_bulk(stream);
  const digest d = any_digest();
  const double weak = magnitude(-60, 0);
  const double strong = weak + (1 - weak) * magnitude(-60, 0);
  RC_ASSERT(f.posterior(d, prior::membership(weak)) <= f.posterior(d, prior::membership(strong)));
  RC_ASSERT(f.posterior(d, prior::share(weak)) <= f.posterior(d, prior::share(strong)) + 1e-15);
}

}  // namespace bloom_filter_property
}  // namespace bloomtime
