// The typical distribution of web references (V1, figure 1): the share of all hits that goes to the
// hottest share of the items, at a hundred points from the hottest thousandth to all of them.

#include <cmath>
#include <functional>

#include "measures.hpp"

int main() {
  using namespace experiments;
  std::vector<stream> streams = real_streams();
  for (const double z : {0.0, 0.8, 1.0, 1.2}) streams.push_back(usual_zipf(z));
  std::puts("stream,share_of_items,share_of_hits");
  for (const stream& s : streams) {
    std::vector<double> hits(s.items);
    for (const hit& h : s.hits) ++hits[h.item];
    std::erase(hits, 0);
    std::sort(hits.begin(), hits.end(), std::greater<>());
    constexpr int points = 100;
    double sum = 0;
    std::size_t done = 0;
    for (int i = 0; i <= points; ++i) {
      const double share = std::pow(1000., double(i) / points - 1);
      const auto hottest = static_cast<std::size_t>(share * static_cast<double>(hits.size()));
      for (; done < hottest; ++done) sum += hits[done];
      std::printf("%s,%.5f,%.5f\n", s.name.c_str(), share,
                  sum / static_cast<double>(s.hits.size()));
    }
  }
}
