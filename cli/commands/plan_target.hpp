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

// --memory, as far as a filter can go.
std::uint64_t parse_memory(const std::string& text);

template <class T>
value or_nothing(const std::optional<T>& data) {
  return data ? value(*data) : value();
}

}  // namespace bloomtime::cli
