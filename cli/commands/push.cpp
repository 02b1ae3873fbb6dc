#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/filter_bytes.hpp"
#include "cli/command.hpp"
#include "cli/redis/shards.hpp"
#include "cli/redis/transfer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed_push {
  std::vector<std::string> words;  // the store or file, then the server
  std::string field;
  std::string family;
  std::string key;
  std::string shards;
};

constexpr const char* try_this =
    "Try bloomtime push access.bloomtime --family heat --field path redis://localhost --key pages";

exit_status push(const typed_push& given, const printer& out) {
  if (given.words.size() != 2) {
    refuse("push needs a store or a file, and a server. {}", try_this);
  }
  if (given.key.empty()) refuse("push needs --key. {}", try_this);
  const redis_address address = parse_redis_address(given.words[1]);
  const filter_bytes filter = read_filter(given.words[0], given.family, given.field);
  const std::vector<std::vector<std::byte>> parts = divided(filter, parse_shards(given.shards));
  redis_connection server(address);
  table keys = list_of("keys", {{"key", "key", text_cell("")},
                                {"family", "family", text_cell("")},
                                {"bytes", "bytes", bytes_cell(0)}});
  keys.as_list = parts.size() == 1;
  keys.rows.clear();
  for (const std::vector<std::byte>& part : parts) {
    const auto number = static_cast<std::uint32_t>(keys.rows.size());
    const std::string key = shard_key(given.key, number, static_cast<std::uint32_t>(parts.size()));
    try {
      load_key(server, filter.family, key, part);
    } catch (...) {
      for (const row& made : keys.rows) server.ask({"DEL", made.cells.front().text});
      throw;
    }
    keys.rows.push_back({{text_cell(key), text_cell(std::string(name_of(filter.family))),
                          bytes_cell(part.size())}});
  }
  out.print(
      {.command = "push", .fields = {{"server", address.text()}}, .tables = {std::move(keys)}});
  return yes;
}

constexpr const char* push_examples =
    "bloomtime push access.bloomtime --family heat --field path redis://localhost --key pages\n"
    "bloomtime push access.bloomtime --family history --field host redis://10.0.0.5:6380/2 --key "
    "hosts\n"
    "bloomtime push stock redis://localhost --key stock                  a store of bloomtime "
    "tally\n"
    "bloomtime push hooks.state redis://localhost --key hooks            a state of bloomtime "
    "dedupe\n"
    "bloomtime push access.bloomtime --family heat --field path redis://10.0.0.5 --key pages \\\n"
    "    --shards 16                                                     over a cluster\n"
    "REDISCLI_AUTH=secret bloomtime push users.filter redis://app@cache --key users";

constexpr const char* push_details =
    "The server must have loaded the module bloomtime (docs/redis.md). The key gets the bytes of\n"
    "the filter as they are; the questions of the module then have the same answers as those of\n"
    "this command. Events that wait to be confirmed (see profile) stay in the store.\n"
    "--shards divides a table or a history into keys NAME:{0}, NAME:{1} ... by the digests of\n"
    "items; each item has one of them, and heat, seen and count find it. A shard has no list of\n"
    "the hottest items. If one of the keys cannot be made, none is left behind.\n"
    "The password is taken from the environment variable REDISCLI_AUTH.";

}  // namespace

void add_push(command& root, output_options& asked) {
  command& self = root.add("push", "copy a filter of a store or file to a Redis server");
  self.usage = "STORE redis://[USER@]HOST[:PORT][/DB] --key NAME [--shards N] [OPTIONS]";
  self.examples = push_examples;
  self.details = push_details;
  self.keys = {{"key", "the new key"},
               {"family", "heat, history, recency or tally"},
               {"bytes", "size of the filter as it is stored"}};
  self.fields = {{"server", "its address"}, {"keys", "one object per key"}};
  const auto given = std::make_shared<typed_push>();
  self.arguments("STORE", given->words,
                 "a store, a state of bloomtime dedupe or a filter file, followed by the server");
  self.text("--key", given->key, "NAME", "the key; there must be none of this name");
  self.text("--shards", given->shards, "N", "how many keys, a power of two up to 64");
  self.text("--family", given->family, "FAMILY", "which filter of a store, if it has several",
            {"heat", "history", "tally"});
  self.text("--field", given->field, "FIELD", "which field, if the store has several");
  self.output(asked);
  self.act = [given](const printer& out) { return push(*given, out); };
}

}  // namespace bloomtime::cli
