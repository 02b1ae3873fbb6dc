#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "bench/harness/blocked_filter.hpp"
#include "bench/harness/keys.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/ratios/calls.hpp"
#include "bench/ratios/ratios.hpp"

namespace bench {
namespace {

using bloomtime::bloom_filter;
using keys = std::span<const short_key>;

// Everything has the same memory and the same keys in it, as many as the first filter is sized for.
struct subjects {
  explicit subjects(std::uint64_t bytes)
      : items(bytes * 8 / 10),
        ten({.items = items, .memory = bytes, .layout = bloomtime::layout::line}),
        sixteen({.items = bytes / 2, .memory = bytes, .layout = bloomtime::layout::line}),
        blocked(bytes) {
    for (std::uint64_t i = 0; i < items; ++i) {
      const short_key key = key_of<short_key>(i);
      ten.add(key);
      if (i < bytes / 2) sixteen.add(key);
      blocked.add(key);
    }
  }

  std::uint64_t items;
  bloom_filter ten;
  bloom_filter sixteen;
  blocked_filter blocked;
};

// The first pass reads nearly every line of a filter that the cache can hold: without it, a case
// would profit from the one before if that used the same filter.
template <class Key, class Use>
schedule::round lookups(const subjects& all, std::uint64_t operations, Use use) {
  return [&all, operations, use] {
    query_set queries(all.items, 50, 1);
    const auto once = [&](std::uint64_t count) {
      return time_in_blocks<Key>(
          count, [&](std::span<Key> block) { queries.fill(block); }, use);
    };
    const std::uint64_t lines = all.ten.memory() / 64;
    once(std::max(operations / 4, 4 * std::min<std::uint64_t>(lines, 1 << 18)));
    return once(operations);
  };
}

void measure(const ratio_session& run, std::uint64_t bytes) {
  subjects all(bytes);
  comparison side(
      fmt::format("Bloom filters of {}, half of the keys present", text_of_bytes(bytes)));
  const std::uint64_t n = run.operations();
  std::array<bool, block_size> answers{};
  const auto found_in = [&](const auto& filter) {
    return lookups<short_key>(all, n, [&filter](keys block) {
      std::uint64_t found = 0;
      for (const short_key key : block) found += filter.may_contain(key);
      keep(found);
    });
  };
  const auto native = [&](const bloom_filter& filter) {
    return lookups<short_key>(all, n,
                              [&filter](keys block) { keep(native::count_found(filter, block)); });
  };
  const auto v2 = [&](const bloom_filter& filter) {
    return lookups<short_key>(all, n,
                              [&filter](keys block) { keep(v2::count_found(filter, block)); });
  };
  const auto blocked = side.add("blocked reference, lookup", found_in(all.blocked));
  const auto ten = side.add("line 10, lookup", native(all.ten));
  const auto ten_v2 = side.add("line 10, lookup, -O2 x86-64-v2", v2(all.ten));
  const auto sixteen = side.add("line 16, lookup", native(all.sixteen));
  const auto sixteen_v2 = side.add("line 16, lookup, -O2 x86-64-v2", v2(all.sixteen));

  const auto blocked_add =
      side.add("blocked reference, insert", lookups<short_key>(all, n, [&](keys block) {
                 for (const short_key key : block) all.blocked.add(key);
               }));
  const auto add_native = [&](bloom_filter& filter) {
    return lookups<short_key>(all, n, [&filter](keys block) { native::add_each(filter, block); });
  };
  const auto add_v2 = [&](bloom_filter& filter) {
    return lookups<short_key>(all, n, [&filter](keys block) { v2::add_each(filter, block); });
  };
  const auto ten_add = side.add("line 10, insert", add_native(all.ten));
  const auto ten_add_v2 = side.add("line 10, insert, -O2 x86-64-v2", add_v2(all.ten));
  const auto sixteen_add = side.add("line 16, insert", add_native(all.sixteen));
  const auto sixteen_add_v2 = side.add("line 16, insert, -O2 x86-64-v2", add_v2(all.sixteen));

  const auto bulk = [&]<class Key>(Key) {
    return lookups<Key>(all, n, [&](std::span<const Key> block) {
      all.ten.may_contain_bulk(block, std::span(answers).first(block.size()));
      keep(answers.data());
    });
  };
  const auto short_bulk = side.add("line 10, bulk lookup, 8-byte keys", bulk(short_key{}));
  const auto long_bulk = side.add("line 10, bulk lookup, 40-byte keys", bulk(long_key{}));

#if defined(__AVX2__)
  const double limit = 1.15;
#else
  const double limit = 0;  // the reference is compiled without AVX2, so the ratio means nothing
#endif
  side.expect(ten, blocked, limit);
  side.expect(sixteen, blocked, limit);
  side.expect(ten_add, blocked_add, limit);
  side.expect(sixteen_add, blocked_add, limit);
#if defined(__AVX2__)
  for (const auto& [plain, fast] :
       {std::pair{ten_v2, ten}, std::pair{sixteen_v2, sixteen}, std::pair{ten_add_v2, ten_add},
        std::pair{sixteen_add_v2, sixteen_add}}) {
    side.expect(plain, fast, 1.3);
  }
#else
  (void)std::array{ten_v2, sixteen_v2, ten_add_v2, sixteen_add_v2};
#endif
  side.expect(long_bulk, short_bulk, 0);
  side.run(run.rounds());
  side.print();
  const double more = side.cases().time(long_bulk).median - side.cases().time(short_bulk).median;
  print_target("ns that a 40-byte key takes longer than an 8-byte key in bulk", 5,
               {more, more, more});
}

}  // namespace

void bloom_ratios(const ratio_session& run) {
  for (const std::uint64_t bytes : sizes()) {
    if (run.quick && bytes == sizes().back()) continue;
    measure(run, bytes);
  }
}

}  // namespace bench
