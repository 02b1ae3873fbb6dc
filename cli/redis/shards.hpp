#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/asking/filter_bytes.hpp"
#include "cli/redis/connection.hpp"

// A filter in several keys of a server or cluster, each with the items of one shard. The number in
// braces is a hash tag, so that the keys are spread over the nodes of a cluster.
namespace bloomtime::cli {

// What --shards says: 1 if nothing. Throws usage_error.
std::uint32_t parse_shards(const std::string& typed);

// NAME, or NAME:{3} for shard 3 of several.
std::string shard_key(std::string_view name, std::uint32_t number, std::uint32_t shards);

// The stored forms of all shards. A list of the hottest items belongs to none and is left out.
// Throws error(unsupported) for engines that have no shards.
std::vector<std::vector<std::byte>> divided(const filter_bytes& filter, std::uint32_t shards);
// The stored form of the filter that these are shards of.
std::vector<std::byte> joined(family f, std::span<const std::vector<std::byte>> shards);

// Where to ask about items of a filter that a server has.
class redis_filter {
 public:
  // Throws usage_error unless there is a key, and it has this family.
  redis_filter(const redis_address& address, family f, const std::string& key,
               std::uint32_t shards);

  // Sends PREFIX.VERB KEY WORDS... to the shard of the item.
  redis_reply ask(std::string_view verb, std::string_view item,
                  std::span<const std::string_view> words);
  const redis_address& address() const noexcept { return server_.address(); }
  const std::string& key() const noexcept { return key_; }

 private:
  std::uint32_t shard_of(std::string_view item);

  redis_connection server_;
  std::string prefix_;  // "HEAT."
  std::string key_;
  std::uint32_t shards_;
};

// The number in a reply. Throws error(io).
double number_of(const redis_reply& reply);

}  // namespace bloomtime::cli
