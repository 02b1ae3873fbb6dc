#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

#include "bench/harness/core.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/report.hpp"
#include "bench/ratios/ratios.hpp"

namespace bench {

std::size_t comparison::add(std::string name, schedule::round once) {
  names_.push_back(std::move(name));
  return cases_.add(std::move(once));
}

void comparison::expect(std::size_t which, std::size_t base, double limit) {
  expected_.push_back({which, base, limit});
}

void comparison::run(unsigned rounds) { cases_.run(rounds); }

void comparison::print() const {
  fmt::print("\n{}\n\n", title_);
  table shown({"call", "ns", "quartiles"}, 1);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const summary time = cases_.time(i);
    shown.row({names_[i], fmt::format("{:.1f}", time.median),
               fmt::format("{:.1f}-{:.1f}", time.lower, time.upper)});
  }
  shown.print(stdout);
  fmt::print("\n");
  for (const expected& e : expected_) {
    const summary ratio = cases_.ratio(e.which, e.base);
    const std::string what = names_[e.which] + " / " + names_[e.base];
    if (e.limit != 0) {
      print_target(what, e.limit, ratio);
    } else {
      fmt::print("  no limit     {:.2f} ({:.2f} to {:.2f}): {}\n", ratio.median, ratio.lower,
                 ratio.upper, what);
    }
  }
  std::fflush(stdout);
}

namespace {

constexpr std::string_view usage =
    "bloomtime_ratios: single and bulk calls beside references, each with its limit\n"
    "  --quick        a first impression in seconds\n"
    "  --filter TEXT  only parts with TEXT in their name: bloom, heat, tally, hot_list, timeline\n"
    "  --help         this text\n";

ratio_session parse(int count, char** words) {
  ratio_session chosen{false, {}};
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--quick") {
      chosen.quick = true;
    } else if (word == "--filter" && i + 1 < count) {
      chosen.filter = words[++i];
    } else {
      throw std::runtime_error("unknown option " + std::string(word) + "; try --help");
    }
  }
  return chosen;
}

void run(const ratio_session& session) {
  fmt::print("Ratios to references. {}, load {}, compiled with {}.\n", processor(), load(),
             BENCH_FLAGS);
  using part = std::pair<std::string_view, void (*)(const ratio_session&)>;
  constexpr std::array parts{part{"bloom", bloom_ratios}, part{"heat", heat_ratios},
                             part{"tally", tally_ratios}, part{"hot_list", hot_list_ratios},
                             part{"timeline", timeline_ratios}};
  for (const auto& [name, measure] : parts) {
    if (session.wants(name)) measure(session);
  }
  fmt::print("\nAnother thread shared the core in {:.1f} % of the blocks.\n",
             100 * core::instance().share_of_shared());
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  try {
    if (count > 1 && std::string_view(words[1]) == "--help") {
      fmt::print("{}", bench::usage);
    } else {
      bench::run(bench::parse(count, words));
    }
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bloomtime_ratios: {}\n", e.what());
    return 2;
  }
}
