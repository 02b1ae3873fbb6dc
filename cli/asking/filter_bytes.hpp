#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <bloomtime/detail/container.hpp>

namespace bloomtime::cli {

// The bytes of one filter, as the Redis module takes and gives them.
struct filter_bytes {
  bloomtime::family family;
  std::vector<std::byte> bytes;
};

// The filter in a file, a state of dedupe or a store. A store needs the family and the field if it
// has several; a file has neither. Throws if the bytes are damaged.
filter_bytes read_filter(const std::string& path, const std::string& family,
                         const std::string& field);

// Throws unless these bytes are a sound filter.
void expect_filter(std::span<const std::byte> bytes);

}  // namespace bloomtime::cli
