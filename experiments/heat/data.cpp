// How skewed are the streams? The papers say of their proxy log that more than 85 % of the pages
// get less than 10 % of the hits, and about 10 % of the pages up to 90 %.

#include "measures.hpp"

int main() {
  using namespace experiments;
  std::vector<stream> streams = real_streams();
  for (const double z : {0.0, 0.6, 0.8, 1.0, 1.2}) streams.push_back(usual_zipf(z));
  std::puts(
      "stream,hits,items,epochs,most_hits_of_an_item,share_of_coldest_85,share_of_hottest_10");
  for (const stream& s : streams) {
    std::vector<double> hits(s.items);
    for (const hit& h : s.hits) ++hits[h.item];
    std::erase(hits, 0);
    std::sort(hits.begin(), hits.end());
    const auto share = [&](double from, double to) {
      const auto items = static_cast<double>(hits.size());
      double sum = 0;
      for (auto i = static_cast<std::size_t>(from * items); double(i) < to * items; ++i) {
        sum += hits[i];
      }
      return sum / static_cast<double>(s.hits.size());
    };
    std::printf("%s,%zu,%zu,%d,%.0f,%.3f,%.3f\n", s.name.c_str(), s.hits.size(), hits.size(),
                s.epochs, hits.back(), share(0, 0.85), share(0.9, 1));
  }
}
