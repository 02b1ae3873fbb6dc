#pragma once

#include <string>

#include "cli/asking/batch.hpp"
#include "cli/command.hpp"

// The questions of heat, seen and count about a filter that a Redis server has. The address stands
// in place of the store.
namespace bloomtime::cli {

// Which filter of the server, as typed.
struct asked_key {
  std::string key;
  std::string shards;

  // Adds --key and --shards.
  void add_to(command& self);
  // Throws usage_error if either is given without a server.
  void expect_server(const std::string& store) const;
};

exit_status heat_in_redis(const asked_items& given, const asked_key& where, const std::string& at,
                          const output_options& asked, const printer& out);

exit_status seen_in_redis(const std::string& server, const asked_key& where,
                          const std::string& item, const std::string& from, const std::string& to,
                          const printer& out);

exit_status count_in_redis(const asked_items& given, const asked_key& where,
                           const output_options& asked, const printer& out);

}  // namespace bloomtime::cli
