// Time to create and to query the optimized filter and heat_filter, relative to the basic one.
// Rounds of all filters take turns; the median of the ratios within a round and their quartiles.

#include <chrono>

#include "bench/harness/measure.hpp"
#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr unsigned rounds = 9;

double nanoseconds_per(std::size_t operations, auto&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(operations);
}

struct cases {
  std::size_t creation;
  std::size_t seen;
  std::size_t absent;
};

// Queries use an existing filter; created filters are discarded.
template <class Filter, class Config>
cases add_cases(bench::schedule& all, const stream& s, const Config& config) {
  auto ready = std::make_shared<Filter>(config);
  feed(*ready, s);
  const auto ask = [ready, &s](std::uint32_t offset) {
    return nanoseconds_per(s.hits.size() / 4, [&] {
      double sum = 0;
      for (std::size_t i = 0; i < s.hits.size() / 4; ++i) {
        sum += ready->at(s.hits[i].item + offset, at(s.epochs - 1)).value;
      }
      bench::keep(sum);
    });
  };
  return {all.add([&s, config] {
            Filter f(config);
            return nanoseconds_per(s.hits.size(), [&] { feed(f, s); });
          }),
          all.add([ask] { return ask(0); }), all.add([ask, &s] { return ask(s.items); })};
}

void measure(const stream& s, double lambda) {
  const std::uint64_t m = 6ul * s.items;
  bench::schedule all;
  const cases basic = add_cases<decaying_filter>(all, s, basic_of(m, lambda));
  const cases pooled = add_cases<pooled_decaying_filter>(all, s, pooled_of(m, lambda));
  const cases lazy = add_cases<heat_filter>(all, s, heat_config{.memory = 2 * m, .lambda = lambda});
  all.run(rounds);
  const auto print = [&](const char* filter, const char* what, std::size_t which,
                         std::size_t base) {
    const bench::summary ratio = all.ratio(which, base);
    std::printf("%s,%.2f,%s,%s,%.1f,%.1f,%.3f,%.3f,%.3f\n", s.name.c_str(), lambda, filter, what,
                all.time(which).median, all.time(base).median, ratio.median, ratio.lower,
                ratio.upper);
  };
  for (const auto& [name, of] : {std::pair{"optimized", pooled}, std::pair{"heat_filter", lazy}}) {
    print(name, "creation", of.creation, basic.creation);
    print(name, "query of items by their hits", of.seen, basic.seen);
    print(name, "query of absent items", of.absent, basic.absent);
  }
}

}  // namespace

int main() {
  std::puts("stream,lambda,filter,operation,ns,basic_ns,ratio,lower,upper");
  for (const double z : {0.0, 1.0}) {
    const stream s = zipf_stream(z, 20'000, 25'000, 20);
    for (const double lambda : {0.5, 0.9, 0.95}) measure(s, lambda);
  }
}
