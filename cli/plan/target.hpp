#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output/report.hpp"

namespace bloomtime::cli {

// What a filter is asked for: items, and either an error or a memory in bytes.
struct plan_target {
  std::uint64_t items = 0;
  std::optional<double> error;
  std::optional<std::uint64_t> memory;
};

inline double per_item(std::uint64_t bytes, const plan_target& target) {
  return static_cast<double>(bytes) / static_cast<double>(target.items);
}

// --memory, as far as a filter can go.
std::uint64_t parse_memory(const std::string& text);

template <class T>
value or_nothing(const std::optional<T>& data) {
  return data ? value(*data) : value();
}

}  // namespace bloomtime::cli
