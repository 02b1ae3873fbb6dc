#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include <bloomtime/digest.hpp>

#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"
#include "bench/harness/parts.hpp"

namespace bench {
namespace {

using bloomtime::hash_id;
using bloomtime::hash_seed;

template <std::size_t bytes>
double digests(hash_id id, std::uint64_t count) {
  using key = text_key<bytes>;
  query_set keys(first_absent, 100, 1);
  hash_seed seed{7, id};
  const hash_seed* hidden = &seed;
  keep(hidden);  // a filter's seed is not known when its code is compiled either
  return time_in_blocks<key>(
      count, [&](std::span<key> block) { keys.fill(block); },
      [&](std::span<const key> block) {
        std::uint64_t all = 0;
        for (const key& k : block) {
          const bloomtime::digest d = bloomtime::digest_of(k, seed);
          all ^= d.lo ^ d.hi;
        }
        keep(all);
      });
}

template <std::size_t bytes>
void print_length(session& run, table& text) {
  schedule cases;
  const std::uint64_t count = run.operations();
  const auto before = cases.add([=] { return digests<bytes>(hash_id::xxh3_128, count); });
  const auto now = cases.add([=] { return digests<bytes>(hash_id::short_128, count); });
  cases.run(run.rounds());
  const std::string name = fmt::format("digest/{} B text", bytes);
  run.csv.line("digest", "", name, "xxh3_128 ns", cases.time(before));
  run.csv.line("digest", "", name, "short_128 ns", cases.time(now));
  run.csv.line("digest", "", name, "ratio", cases.ratio(now, before));
  text.row({fmt::format("{} B", bytes), fmt::format("{:.2f}", cases.time(before).median),
            fmt::format("{:.2f}", cases.time(now).median),
            fmt::format("{:.2f}", cases.ratio(now, before).median)});
}

}  // namespace

void digest_tables(session& run) {
  if (!run.wants("digest")) return;
  fmt::print("\nDigest of a text, ns, by both hashes in the same rounds.\n\n");
  table text({"text", "xxh3_128", "short_128", "ratio"}, 1);
  print_length<8>(run, text);
  print_length<16>(run, text);
  print_length<32>(run, text);
  print_length<40>(run, text);
  print_length<64>(run, text);
  text.print(stdout);
  std::fflush(stdout);
}

}  // namespace bench
