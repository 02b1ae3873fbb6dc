#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/fact.hpp>

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

// A filter of the Redis module: its container, and that of the hot list beside a heat filter.
struct filter_containers {
  std::span<const std::byte> filter;
  std::span<const std::byte> list;  // empty if there is none
};

filter_containers containers_in(std::span<const std::byte> bytes);

// Whether the first container is a state of dedupe.
bool holds_dedupe_state(std::span<const std::byte> bytes);

// What a filter says about itself. Throws unless all bytes are sound.
std::vector<fact> facts_of_filter(std::span<const std::byte> bytes);

}  // namespace bloomtime::cli
