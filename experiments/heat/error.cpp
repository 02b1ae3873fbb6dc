// Excess over memory per item: the basic filter with plain and with minimum increase, and
// heat_filter in the same memory, including its table of large counts. k = 4, rounding up.
// usage: heat_error cells|lambda

#include <cstring>

#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

void print(const stream& s, double lambda, double cells_per_item, const char* filter,
           const std::vector<double>& excess, std::uint64_t memory, std::uint64_t saturated) {
  std::printf("%s,%.2f,%.1f,%s,%.5g,%.5g,%.5g,%ju,%ju\n", s.name.c_str(), lambda, cells_per_item,
              filter, mean(excess), quantile(excess, 0.95), excess.front(),
              static_cast<std::uintmax_t>(memory), static_cast<std::uintmax_t>(saturated));
}

void compare(const stream& s, double lambda, double cells_per_item) {
  const exact_heat exact = exact_of(s, lambda);
  decaying_config c = basic_of(static_cast<std::uint64_t>(cells_per_item * s.items), lambda);
  for (const increase how : {increase::plain, increase::minimum}) {
    c.increase = how;
    decaying_filter f(c);
    feed(f, s);
    print(s, lambda, cells_per_item, how == increase::plain ? "plain" : "minimum",
          excesses(f, s, exact), f.memory(), f.saturated());
  }
  const heat_filter f = heat_filter_in(*c.memory, lambda, s);
  print(s, lambda, cells_per_item, "heat_filter", excesses(f, s, exact), f.memory(), 0);
}

}  // namespace

int main(int count, char** words) {
  std::puts("stream,lambda,cells_per_item,filter,mean,p95,least,bytes,saturated_counters");
  if (count == 2 && std::strcmp(words[1], "cells") == 0) {
    std::vector<stream> streams = real_streams();
    for (const double z : {0.0, 1.0}) streams.push_back(usual_zipf(z));
    for (const stream& s : streams) {
      for (const double cells : {2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0}) {
        compare(s, 0.9, cells);
        // Without decay nothing is rounded, and only shared cells make errors.
        if (s.name == "zipf 1.0") compare(s, 1, cells);
      }
    }
  } else {
    const stream s = usual_zipf(1);
    for (const double lambda : {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99}) compare(s, lambda, 6);
  }
}
