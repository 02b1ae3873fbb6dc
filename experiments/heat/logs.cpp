#include <cstdio>
#include <filesystem>
#include <tuple>
#include <unordered_map>

#include "logs/event_reader.hpp"
#include "streams.hpp"

namespace experiments {
namespace {

using namespace bloomtime;

constexpr std::int64_t hour = 3600;

stream read_log(const std::string& name, const std::string& path, const std::string& column) {
  stream s;
  s.name = name;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::int64_t first = 0;
  logs::event_reader reader({.items = {column}}, {path});
  while (const logs::event* e = reader.next()) {
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

}  // namespace experiments
