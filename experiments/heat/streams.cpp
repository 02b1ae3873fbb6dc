#include "streams.hpp"

#include <cmath>
#include <cstdio>

#include "traffic/draws.hpp"

namespace experiments {
namespace {

using namespace bloomtime;

std::string name_of(double z) {
  char text[32];
  std::snprintf(text, sizeof text, "zipf %.1f", z);
  return z == 0 ? "flat" : text;
}

}  // namespace

stream zipf_stream(double z, std::uint32_t items, std::uint32_t per_epoch, std::int32_t epochs,
                   std::uint64_t seed) {
  const auto seconds = static_cast<std::uint64_t>(epochs);
  traffic::draws draws({.records = seconds * per_epoch,
                        .items = items,
                        .zipf = z,
                        .when = {.start = 0, .seconds = seconds}},
                       seed);
  stream s{name_of(z), {}, items, epochs};
  s.hits.reserve(seconds * per_epoch);
  while (const auto e = draws()) s.hits.push_back({static_cast<std::int32_t>(e->second), e->item});
  return s;
}

stream usual_zipf(double z) { return zipf_stream(z, 20'000, 50'000, 60); }

exact_heat::exact_heat(std::uint32_t items, double lambda) : lambda_(lambda), entries_(items) {}

void exact_heat::add(const hit& h) {
  entry& e = entries_[h.item];
  e = {at(h.item, h.epoch) + 1, h.epoch};
}

double exact_heat::at(std::uint32_t item, std::int32_t epoch) const {
  const entry& e = entries_[item];
  return e.heat == 0 ? 0 : e.heat * std::pow(lambda_, epoch - e.epoch);
}

exact_heat exact_of(const stream& s, double lambda) {
  exact_heat exact(s.items, lambda);
  for (const hit& h : s.hits) exact.add(h);
  return exact;
}

}  // namespace experiments
