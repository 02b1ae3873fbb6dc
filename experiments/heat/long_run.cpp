// 10 000 epochs with changing items: every epoch has 20 new items, each hit once in each of its 10
// epochs, so 200 are active at a time. Measures how many cells are non-zero, and how many absent
// items a filter takes for present, compared with the membership filter that the papers put before
// their counters, which only gains bits.

#include <cmath>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "measures.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr std::int32_t epochs = 10'000;
constexpr std::uint64_t new_items = 20;
constexpr std::int32_t lifetime = 10;
constexpr std::uint64_t cells = 24'000;
constexpr double lambda = 0.9;
constexpr unsigned k = 4;

decaying_filter rounding_by(rounding how) {
  decaying_config c = basic_of(cells, lambda);
  c.rounding = how;
  return decaying_filter(c);
}

// The share of absent items whose answer is above zero.
template <class Ask>
double share_taken(Ask&& ask) {
  constexpr int asked = 20'000;
  int taken = 0;
  for (int i = 0; i < asked; ++i) taken += ask(-1 - i);
  return taken / double(asked);
}

template <class Filter>
double share_warm(const Filter& f, std::int32_t epoch) {
  return share_taken([&](int absent) { return f.at(absent, at(epoch)).value > 0; });
}

double live_cells(const decaying_filter& f) {
  std::uint64_t live = 0;
  for (std::uint64_t i = 0; i < f.cells(); ++i) live += f.counters().get(i) != 0;
  return static_cast<double>(live) / static_cast<double>(f.cells());
}

// An absent item passes if its cell in each of the k rows is non-zero.
double live_cells(double taken) { return std::pow(taken, 1.0 / k); }

}  // namespace

int main() {
  decaying_filter up = rounding_by(rounding::up);
  decaying_filter down = rounding_by(rounding::down);
  decaying_filter random = rounding_by(rounding::random);
  heat_filter flushed({.memory = 2 * cells, .lambda = lambda});
  bloom_filter published({.items = cells / 6, .memory = cells / 8, .layout = layout::flat});
  std::puts("epoch,filter,absent_taken_for_warm,live_cells");
  for (std::int32_t epoch = 0; epoch < epochs; ++epoch) {
    for (std::int32_t born = std::max(0, epoch - lifetime + 1); born <= epoch; ++born) {
      for (std::uint64_t i = 0; i < new_items; ++i) {
        const std::uint64_t item = static_cast<std::uint64_t>(born) * new_items + i;
        up.add(item, at(epoch));
        down.add(item, at(epoch));
        random.add(item, at(epoch));
        flushed.add(item, at(epoch));
        published.add(item);
      }
    }
    const int rounded = static_cast<int>(std::pow(10.0, std::floor(std::log10(epoch + 1.0))));
    if ((epoch + 1) % rounded != 0 && (epoch + 1) % 500 != 0) continue;
    const auto print = [&](const char* name, double taken, double live) {
      std::printf("%d,%s,%.4f,%.4f\n", epoch + 1, name, taken, live);
    };
    print("up", share_warm(up, epoch), live_cells(up));
    print("down", share_warm(down, epoch), live_cells(down));
    print("random", share_warm(random, epoch), live_cells(random));
    const double taken = share_warm(flushed, epoch);
    print("heat_filter", taken, live_cells(taken));
    const double passed = share_taken([&](int absent) { return published.may_contain(absent); });
    print("published membership", passed, published.fill());
    const double ever = static_cast<double>(epoch + 1) * static_cast<double>(new_items);
    std::printf("%d,its formula,%.4f,\n", epoch + 1,
                std::pow(-std::expm1(-double(published.k()) * ever / double(published.bits())),
                         published.k()));
  }
}
