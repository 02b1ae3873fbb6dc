#pragma once

#include <cstdint>
#include <string_view>

namespace bloomtime {

// Where the k cells of an item lie: anywhere in one array, one in each of k rows, or all in one
// 64-byte line. The numbers are stored in files and never change their meaning.
enum class layout : std::uint8_t { flat = 1, rows = 2, line = 3 };

constexpr std::string_view name_of(layout kind) noexcept {
  switch (kind) {
    case layout::flat: return "flat";
    case layout::rows: return "rows";
    case layout::line: return "line";
  }
  return "unknown";
}

}  // namespace bloomtime
