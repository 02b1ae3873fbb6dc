// The cost of the end of an epoch: nanoseconds of the first adds of an epoch, and the lines of
// cells that heat_filter updates. usage: heat_boundary adds|sizes

#include <cstring>

#include "add_times.hpp"
#include "bench/harness/measure.hpp"
#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr double lambda = 0.9;

constexpr std::uint64_t cells_in(std::uint64_t bytes) { return bytes / 2; }

decaying_filter basic(std::uint64_t bytes) {
  return decaying_filter(basic_of(cells_in(bytes), lambda));
}
pooled_decaying_filter pooled(std::uint64_t bytes) {
  return pooled_decaying_filter(pooled_of(cells_in(bytes), lambda));
}
heat_filter lazy(std::uint64_t bytes) { return heat_filter({.memory = bytes, .lambda = lambda}); }

void print_adds(const char* name, const std::vector<std::vector<double>>& times) {
  for (int offset = -20; offset < 60; ++offset) {
    const auto i = static_cast<std::size_t>(offset < 0 ? int{adds} + offset : offset);
    const bench::summary t = bench::summarize(times[i]);
    std::printf("%s,%d,%.0f,%.0f,%.0f\n", name, offset, t.median, t.lower, t.upper);
  }
}

void print_size(const char* name, std::uint64_t bytes,
                const std::vector<std::vector<double>>& times) {
  std::vector<double> first = times[0];
  std::vector<double> rest;
  for (std::size_t i = 1; i < times.size(); ++i) {
    rest.insert(rest.end(), times[i].begin(), times[i].end());
  }
  const bench::summary spike = bench::summarize(first);
  std::sort(rest.begin(), rest.end());
  std::printf("%s,%ju,%.0f,%.0f,%.0f,%.0f,%.0f\n", name, static_cast<std::uintmax_t>(bytes),
              spike.median, spike.lower, spike.upper, quantile(rest, 0.5), quantile(rest, 0.999));
}

// Not a timing: the largest number of lines that a single add updates, in 10 000 epochs.
void print_work() {
  heat_filter f = lazy(1 << 20);
  math::random_source random(1);
  std::uint64_t most = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t before = f.lines_caught_up();
    f.add(random.below(20'000), at(i / 40));
    most = std::max(most, f.lines_caught_up() - before);
  }
  std::fprintf(stderr, "heat_filter: at most %ju lines caught up per add, %ju in all\n",
               static_cast<std::uintmax_t>(most), static_cast<std::uintmax_t>(f.lines_caught_up()));
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "adds") == 0) {
    constexpr std::uint64_t bytes = 1 << 20;
    std::puts("filter,add,ns,lower,upper");
    print_adds("sweep", add_times(basic(bytes)));
    print_adds("sweep pooled", add_times(pooled(bytes)));
    print_adds("heat_filter", add_times(lazy(bytes)));
    print_work();
    return 0;
  }
  std::puts("filter,bytes,first_add_ns,lower,upper,other_adds_ns,other_adds_p999_ns");
  for (std::uint64_t bytes = 1 << 14; bytes <= 1 << 24; bytes *= 4) {
    print_size("sweep", bytes, add_times(basic(bytes)));
    print_size("sweep pooled", bytes, add_times(pooled(bytes)));
    print_size("heat_filter", bytes, add_times(lazy(bytes)));
  }
}
