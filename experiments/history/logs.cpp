#include <cstdio>
#include <filesystem>
#include <tuple>
#include <unordered_map>

#include "logs/event_reader.hpp"
#include "streams.hpp"

namespace experiments {
namespace {

using namespace bloomtime;

trace read_log(const std::string& name, const std::string& path, const std::string& column) {
  trace t;
  t.name = name;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::int64_t first = 0;
  logs::event_reader reader({.items = {column}}, {path});
  while (const logs::event* e = reader.next()) {
    const std::int64_t second = e->at->micros / 1'000'000;
    if (t.records.empty()) first = second;
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t item = numbers.emplace(e->items[0], next).first->second;
    t.records.push_back({item, static_cast<std::uint32_t>(second - first)});
  }
  t.items = static_cast<std::uint32_t>(numbers.size());
  t.ticks = t.records.back().tick + 1;
  without_repeats(t);
  return t;
}

}  // namespace

std::vector<trace> real_traces() {
  const std::filesystem::path data = EXPERIMENTS_DATA;
  std::vector<trace> traces;
  for (const auto& [name, file, column] :
       {std::tuple{"blog clients", "wpblog_2016.tsv.xz", "2"},
        std::tuple{"hut clients", "almhuette_2015-16.tsv.xz", "2"},
        std::tuple{"honeypot sources", "asa_honeypot_2025.tsv.xz", "2"}}) {
    if (std::filesystem::exists(data / file)) {
      traces.push_back(read_log(name, data / file, column));
    } else {
      std::fprintf(stderr, "skipped %s: there is no %s\n", name, (data / file).c_str());
    }
  }
  return traces;
}

}  // namespace experiments
