// How many questions are about items inside the window, and how many about others (table 4 of
// Dautrich & Ravishankar 2019).

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "experiments/history/checks.hpp"
#include "trial.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

struct counter {
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;

  void ask(std::uint32_t, bool truth, const math::penalties&) { ++(truth ? inside : outside); }
  void insert(std::uint32_t) {}
  double ratio() const { return static_cast<double>(inside) / static_cast<double>(outside); }
};

// As many as independent draws give on average.
double expected(const stream& s, std::uint64_t window) {
  double inside = 0;
  for (const double share : s.shares) {
    inside += share * math::geometric(share).before(static_cast<double>(window));
  }
  return inside / (1 - inside);
}

const std::map<std::pair<std::string, std::uint64_t>, double> published{
    {{"uniform", 1 << 16}, 1.718},   {{"uniform", 1 << 18}, 53.547},
    {{"power law", 1 << 11}, 1.182}, {{"power law", 1 << 18}, 13.451},
    {{"bursty", 1 << 8}, 1.171},     {{"bursty", 1 << 15}, 8.893},
};

void count(const stream& s) {
  for (const std::uint64_t window : s.windows) {
    counter c;
    replay(s, window, questions, c);
    const auto found = published.find({s.name, window});
    std::printf("%s,%ju,%zu,%zu,%.4f,%.4f,%s\n", s.name.c_str(),
                static_cast<std::uintmax_t>(window), s.items.size(), s.shares.size(), c.ratio(),
                s.stationary ? expected(s, window) : std::nan(""),
                found == published.end() ? "" : fmt::format("{}", found->second).c_str());
    if (!s.stationary) continue;
    const double off = std::abs(c.ratio() / expected(s, window) - 1);
    check(off <= 0.02, "{} w {}: {:.3f} inside per question outside, expected {:.3f}", s.name,
          window, c.ratio(), expected(s, window));
  }
}

}  // namespace

int main() {
  std::puts("stream,window,insertions,items,inside_per_outside,expected,published");
  for (const stream& s : generated_streams()) count(s);
  for (const stream& s : real_streams()) count(s);
}
