#include "streams.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <unordered_map>

#include "cli/input/event_reader.hpp"
#include "traffic/draws.hpp"

namespace experiments {
namespace {

using namespace bloomtime;

constexpr std::int64_t hour = 3600;

std::string name_of(double z) {
  char text[32];
  std::snprintf(text, sizeof text, "zipf %.1f", z);
  return z == 0 ? "flat" : text;
}

stream read_log(const std::string& name, const std::string& path, const std::string& column) {
  stream s;
  s.name = name;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::int64_t first = 0;
  cli::event_reader reader({.items = {column}}, {path}, name, [](std::string_view) {});
  while (const cli::event* e = reader.next()) {
    const std::int64_t epoch = e->at->micros / 1'000'000 / hour;
    if (s.hits.empty()) first = epoch;
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t item = numbers.emplace(e->items[0], next).first->second;
    s.hits.push_back({static_cast<std::int32_t>(epoch - first), item});
  }
  s.items = static_cast<std::uint32_t>(numbers.size());
  s.epochs = s.hits.back().epoch + 1;
  return s;
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

std::vector<stream> real_streams() {
  const std::filesystem::path data = EXPERIMENTS_DATA;
  std::vector<stream> streams;
  for (const auto& [name, file, column] :
       {std::tuple{"blog paths", "wpblog_2016.tsv.xz", "3"},
        std::tuple{"blog clients", "wpblog_2016.tsv.xz", "2"},
        std::tuple{"hut paths", "almhuette_2015-16.tsv.xz", "3"}}) {
    if (std::filesystem::exists(data / file)) {
      streams.push_back(read_log(name, data / file, column));
    } else {
      std::fprintf(stderr, "skipped %s: there is no %s\n", name, (data / file).c_str());
    }
  }
  return streams;
}

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
