#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "support/bloom_container.hpp"

// Filters that were written once and must be read forever, with the same answers.
namespace bloomtime::golden {

struct file {
  const char* name;
  support::bloom_shape shape;
  int items;           // integers 0..items-1 and the texts "item-0".. were inserted
  std::uint64_t ones;  // bits set
  int maybe_integers;  // of the integers 1000..2999, so many are answered "maybe"
  int maybe_texts;     // of the texts "absent-0".."absent-1999"
};

// Files of the first hash.
constexpr hash_seed old(std::uint64_t value) { return {value, hash_id::xxh3_128}; }

inline const std::array v1{
    file{"bloom_empty", {layout::flat, 64, 1, old(0), 1}, 0, 0, 0, 0},
    file{"bloom_flat", {layout::flat, 2048, 7, old(0), 200}, 100, 1011, 14, 14},
    file{"bloom_flat_dense", {layout::flat, 192, 64, old(~std::uint64_t{0}), 3}, 2, 143, 0, 0},
    file{"bloom_line", {layout::line, 2048, 6, old(42), 200}, 100, 905, 22, 21},
    file{"bloom_line_one", {layout::line, 512, 3, old(1), 50}, 25, 138, 44, 42},
    file{"bloom_two_rounds",
         {layout::line, 3072, 12, old(0x9e3779b97f4a7c15), 300},
         140,
         2008,
         22,
         22},
    file{"short_bloom_flat", {layout::flat, 2048, 7, 0, 200}, 100, 997, 11, 18},
    file{"short_bloom_line", {layout::line, 2048, 6, 42, 200}, 100, 912, 15, 14},
};

inline std::filesystem::path folder() {
  return std::filesystem::path(BLOOMTIME_TESTS_DIR) / "format" / "golden" / "v1";
}
inline std::filesystem::path path_of(const std::string& name) {
  return folder() / (name + ".bloomtime");
}

// How each of them was made.
inline bloom_filter make(const file& f) {
  bloom_filter filter = bloom_filter::load(support::empty_bloom(f.shape));
  for (int i = 0; i < f.items; ++i) {
    filter.add(i);
    filter.add("item-" + std::to_string(i));
  }
  return filter;
}

}  // namespace bloomtime::golden
