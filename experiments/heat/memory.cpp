// Bits per cell of the basic filter (16) and of the optimized one, over lambda, in four ways of
// counting and as it is built here. m = 6 n, k = 4, plain increments, rounding up.

#include <bloomtime/published/time_decaying/pool_size.hpp>

#include "measures.hpp"

int main() {
  using namespace experiments;
  using namespace bloomtime;
  using namespace bloomtime::published;
  std::vector<stream> streams = real_streams();
  for (const double z : {0.0, 0.8, 1.0, 1.2}) streams.push_back(usual_zipf(z));
  std::puts(
      "stream,lambda,nodes_per_cell,used,reserved,used_linked,reserved_linked,as_built,"
      "basic_saturated_counters");
  for (const stream& s : streams) {
    const bool has_many_epochs = s.epochs > 100;  // each a sweep
    for (const double lambda :
         {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95}) {
      if (has_many_epochs && lambda != 0 && lambda != 0.5 && lambda < 0.8) continue;
      const std::uint64_t cells = 6ul * s.items;
      decaying_filter basic(basic_of(cells, lambda));
      pooled_decaying_filter pooled(pooled_of(cells, lambda));
      feed(basic, s);
      feed(pooled, s);
      const std::uint64_t used = pooled.counters().pool().used();
      const published::pool_bits bits = published::pool_bits_per_cell(pooled.cells(), used);
      const auto m = static_cast<double>(pooled.cells());
      std::printf("%s,%.2f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f,%ju\n", s.name.c_str(), lambda,
                  static_cast<double>(used) / m, bits.used, bits.reserved, bits.used_linked,
                  bits.reserved_linked, 8 * static_cast<double>(pooled.memory()) / m,
                  static_cast<std::uintmax_t>(basic.saturated()));
    }
  }
}
