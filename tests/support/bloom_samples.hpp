#pragma once

#include <array>

#include <bloomtime/bloom/bloom_filter.hpp>

namespace bloomtime::support {

inline constexpr std::array both_layouts{layout::flat, layout::line};

inline bloom_filter small(layout kind) {
  return bloom_filter({.items = 100, .error = 0.01, .layout = kind});
}

}  // namespace bloomtime::support
