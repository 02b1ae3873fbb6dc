#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <deque>
#include <string>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/cpu.hpp>

#include "bench/harness/machine.hpp"
#include "bench/harness/parts.hpp"

namespace bench {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang++ {}, {}", __clang_version__, BENCH_FLAGS);
#else
  return fmt::format("g++ {}, {}", __VERSION__, BENCH_FLAGS);
#endif
}

void describe() {
  const cache_sizes cache = caches();
  fmt::print("date       {:%Y-%m-%d %H:%M} UTC\n", fmt::gmtime(std::time(nullptr)));
  fmt::print("processor  {}, {} cores, load {}, AVX2 {}\n", processor(),
             sysconf(_SC_NPROCESSORS_ONLN), load(),
             bloomtime::detail::cpu_has_avx2() ? "in use" : "not in use");
  fmt::print("caches     {}, {}, {}\n", text_of_bytes(cache.first), text_of_bytes(cache.second),
             text_of_bytes(cache.third));
  fmt::print("compiler   {}\n", compiler());
}

struct memory_case {
  std::uint64_t bytes;
  std::string pages;
  std::size_t dependent;
  line_cases reads;
  line_cases updates;
};

void print_memory(session& run) {
  schedule cases;
  std::deque<memory> arrays;
  std::vector<memory_case> made;
  for (const std::uint64_t bytes : sizes()) {
    memory& array = arrays.emplace_back(bytes);
    made.push_back({bytes, array.pages(), add_dependent_reads(cases, array, run.operations() / 8),
                    add_reads(cases, array, run.operations()),
                    add_updates(cases, array, run.operations())});
  }
  cases.run(run.rounds());

  fmt::print(
      "\nRandom lines of 64 bytes, ns each, with their quartiles. Blocks: {} prefetched\n"
      "while those before are used. Pages other than 2 MiB have {} KiB.\n\n",
      bloomtime::detail::bulk_block, sysconf(_SC_PAGESIZE) / 1024);
  table text({"array", "pages", "dependent", "read, loop", "read, blocks", "update, loop",
              "update, blocks"},
             2);
  for (const memory_case& c : made) {
    std::vector<std::string> line{text_of_bytes(c.bytes), c.pages};
    const auto cell = [&](std::size_t which, const char* measure) {
      const summary time = cases.time(which);
      line.push_back(fmt::format("{:.2f} ({:.2f}-{:.2f})", time.median, time.lower, time.upper));
      run.csv.line("machine", text_of_bytes(c.bytes), "random line", measure, time);
    };
    cell(c.dependent, "dependent read ns");
    cell(c.reads.plain, "read in a loop ns");
    cell(c.reads.block, "read in blocks ns");
    cell(c.updates.plain, "update in a loop ns");
    cell(c.updates.block, "update in blocks ns");
    text.row(line);
  }
  text.print(stdout);
}

void print_hash(session& run) {
  schedule cases;
  const auto count = run.operations();
  const auto brief = cases.add([=] { return short_key_digests(count); });
  const auto extended = cases.add([=] { return long_key_digests(count); });
  cases.run(run.rounds());
  fmt::print("\nDigest of a key of 8 bytes {:.2f} ns, of 40 bytes {:.2f} ns.\n",
             cases.time(brief).median, cases.time(extended).median);
  run.csv.line("machine", "", "digest/8 B", "ns", cases.time(brief));
  run.csv.line("machine", "", "digest/40 B", "ns", cases.time(extended));
  std::fflush(stdout);
}

}  // namespace

void machine_tables(session& run) {
  describe();
  print_memory(run);
  print_hash(run);
}

}  // namespace bench
