#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>
#include <bloomtime/tally/tally_filter.hpp>
#include <bloomtime/tally/tally_table.hpp>

#include "bench/harness/exact_map.hpp"
#include "bench/harness/keys.hpp"
#include "bench/ratios/ratios.hpp"

namespace bench {
namespace {

using bloomtime::tally_filter;
using keys = std::span<const short_key>;

std::vector<short_key> arrivals_of(std::uint64_t items, std::uint64_t total) {
  const bloomtime::math::zipf law(items, 1.0);
  bloomtime::math::random_source random(1);
  std::vector<short_key> arrivals(total);
  for (short_key& key : arrivals) key = key_of<short_key>(law(random));
  return arrivals;
}

void measure(const ratio_session& run, std::uint64_t items, std::uint64_t per_item) {
  const std::vector<short_key> arrivals = arrivals_of(items, items * per_item);
  tally_filter chosen({.items = items, .error = 0.01, .total = arrivals.size()});
  bloomtime::tally_table table({.items = items, .reserve = true, .total = arrivals.size()});
  exact_map map;
  for (const short_key key : arrivals) {
    chosen.add(key);
    table.add(key);
    ++map[bloomtime::digest_of(key)];
  }
  comparison side(fmt::format(
      "Counts of {} items, {} arrivals by Zipf(1.0): tally_filter of 1 % error in {:.1f} MB, cells "
      "of {} bits, {} large counts; tally_table in {:.1f} MB; exact map in {:.1f} MB",
      map.size(), arrivals.size(), static_cast<double>(chosen.memory()) / 1e6, chosen.cell_bits(),
      chosen.large(), static_cast<double>(table.memory()) / 1e6,
      static_cast<double>(map.memory()) / 1e6));
  random_numbers random(3);
  const auto timed = [&](auto use) {
    return [&, use] {
      return time_in_blocks<short_key>(
          run.operations(),
          [&](std::span<short_key> block) {
            for (short_key& key : block) key = arrivals[random.below(arrivals.size())];
          },
          use);
    };
  };
  const auto map_find = side.add("exact map, lookup", timed([&](keys block) {
                                   std::uint64_t sum = 0;
                                   for (const short_key key : block) {
                                     const auto* n = map.find(bloomtime::digest_of(key));
                                     sum += n == nullptr ? 0 : *n;
                                   }
                                   keep(sum);
                                 }));
  const auto count = side.add("tally_filter, count", timed([&](keys block) {
                                std::uint64_t sum = 0;
                                for (const short_key key : block) sum += chosen.count(key).value;
                                keep(sum);
                              }));
  const auto value = side.add("tally_filter, value_of", timed([&](keys block) {
                                std::uint64_t sum = 0;
                                for (const short_key key : block) sum += chosen.value_of(key);
                                keep(sum);
                              }));
  const auto in_table = side.add("tally_table, count", timed([&](keys block) {
                                   std::uint64_t sum = 0;
                                   for (const short_key key : block) sum += table.count(key).value;
                                   keep(sum);
                                 }));
  const auto map_add = side.add("exact map, update", timed([&](keys block) {
                                  for (const short_key key : block) {
                                    ++map[bloomtime::digest_of(key)];
                                  }
                                }));
  const auto add = side.add("tally_filter, add", timed([&](keys block) {
                              for (const short_key key : block) keep(chosen.add(key));
                            }));
  side.expect(count, map_find, 1.3);
  side.expect(in_table, map_find, 1.3);
  side.expect(value, map_find, 0);
  side.expect(add, map_add, 0);
  side.run(run.rounds());
  side.print();
}

}  // namespace

void tally_ratios(const ratio_session& run) {
  const std::uint64_t items = run.quick ? 100'000 : 1'000'000;
  measure(run, items, 10);
  measure(run, items, 3);
}

}  // namespace bench
