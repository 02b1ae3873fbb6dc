#pragma once

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <bloomtime/bloomtime.hpp>

#include "store/reader.hpp"
#include "store/writer.hpp"

// Stores for tests: in state n they have seen n events, and their filters contain 0 .. n - 1.
namespace bloomtime::store {

inline constexpr instant sample_creation{1'700'000'000'000'000};

inline bloom_filter sample_filter(int n) {
  bloom_filter filter({.items = 100, .error = 0.01});
  for (int i = 0; i < n; ++i) filter.add(i);
  return filter;
}

// Brings a store from any earlier state to state n, as something that resumes would.
inline void bring_to(writer& w, int n) {
  for (auto i = static_cast<int>(w.totals().events()); i < n; ++i) {
    w.count(instant::from_seconds(i * 40));
  }
  w.put("one", sample_filter(n));
  w.put("two", sample_filter(n).serialize());
  w.checkpoint();
}

inline void make_store(const std::filesystem::path& directory, int n) {
  writer w(directory, sample_creation);
  bring_to(w, n);
}

// The state of a store of which every part agrees with every other, -1 if they do not.
inline int state_of(const std::filesystem::path& directory) {
  const reader r(directory);
  const auto n = static_cast<int>(r.totals().events());
  minute_totals totals;
  for (int i = 0; i < n; ++i) totals.add(instant::from_seconds(i * 40));
  const auto expected = sample_filter(n).serialize();
  const auto same = [&](const char* role) {
    const auto bytes = r.container(role)->bytes();
    return std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end());
  };
  const bool whole = totals == r.totals() && r.about().read.records == r.totals().events() &&
                     r.about().containers.size() == 2 && same("one") && same("two");
  return whole ? n : -1;
}

inline std::set<std::string> names_in(const std::filesystem::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

// Manifest, lock, two containers and the totals, and nothing else.
inline bool is_tidy(const std::filesystem::path& directory) {
  return names_in(directory).size() == 5;
}

}  // namespace bloomtime::store
