#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/detail/container.hpp>

#include "cli/redis/connection.hpp"

// Moves the bytes of filters into keys of a server that has loaded the module bloomtime, and back.
namespace bloomtime::cli {

// "HEAT" of family::heat. Throws usage_error for a family that the module does not have.
std::string_view redis_prefix(family f);

// Creates the key. Throws if there is one, and leaves none behind after an error.
void load_key(redis_connection& server, family f, std::string_view key,
              std::span<const std::byte> bytes);

struct dumped_key {
  bloomtime::family family;
  std::string bytes;
};

// Throws usage_error unless the key holds a filter of this family.
void expect_key(redis_connection& server, family f, std::string_view key);

// Throws if the key is missing or holds something else.
dumped_key dump_key(redis_connection& server, std::string_view key);

}  // namespace bloomtime::cli
