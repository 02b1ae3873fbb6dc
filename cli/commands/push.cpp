#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/filter_bytes.hpp"
#include "cli/command.hpp"
#include "cli/redis/transfer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::vector<std::string> words;  // the store or file, then the server
  std::string field;
  std::string family;
  std::string key;
};

constexpr const char* try_this =
    "Try bloomtime push access.bloomtime --family heat --field path redis://localhost --key pages";

exit_status push(const typed& given, const printer& out) {
  if (given.words.size() != 2) {
    refuse("push needs a store or a file, and a server. {}", try_this);
  }
  if (given.key.empty()) refuse("push needs --key. {}", try_this);
  const redis_address address = parse_redis_address(given.words[1]);
  const filter_bytes filter = read_filter(given.words[0], given.family, given.field);
  redis_connection server(address);
  load_key(server, filter.family, given.key, filter.bytes);
  out.print({.command = "push",
             .fields = {{"server", address.text()}},
             .tables = {list_of("keys", {{"key", "key", text_cell(given.key)},
                                         {"family", "family",
                                          text_cell(std::string(name_of(filter.family)))},
                                         {"bytes", "bytes", bytes_cell(filter.bytes.size())}})}});
  return yes;
}

constexpr const char* examples =
    "bloomtime push access.bloomtime --family heat --field path redis://localhost --key pages\n"
    "bloomtime push access.bloomtime --family history --field host redis://10.0.0.5:6380/2 --key "
    "hosts\n"
    "bloomtime push stock redis://localhost --key stock                  a store of bloomtime tally\n"
    "bloomtime push hooks.state redis://localhost --key hooks            a state of bloomtime dedupe\n"
    "REDISCLI_AUTH=secret bloomtime push users.filter redis://app@cache --key users";

constexpr const char* details =
    "The server must have loaded the module bloomtime (docs/redis.md). The key gets the bytes of\n"
    "the filter as they are; the questions of the module then have the same answers as those of\n"
    "this command. Events that wait to be confirmed (see profile) stay in the store.\n"
    "The password is taken from the environment variable REDISCLI_AUTH.";

}  // namespace

void add_push(command& root, output_options& asked) {
  command& self = root.add("push", "copy a filter of a store or file to a Redis server");
  self.usage = "STORE redis://[USER@]HOST[:PORT][/DB] --key NAME [--family FAMILY] [--field FIELD]";
  self.examples = examples;
  self.details = details;
  self.keys = {{"key", "the new key"},
               {"family", "heat, history, recency or tally"},
               {"bytes", "size of the filter as it is stored"}};
  self.fields = {{"server", "its address"}, {"keys", "one object"}};
  const auto given = std::make_shared<typed>();
  self.arguments("STORE", given->words,
                 "a store, a state of bloomtime dedupe or a filter file, followed by the server");
  self.text("--key", given->key, "NAME", "the key; there must be none of this name");
  self.text("--family", given->family, "FAMILY", "which filter of a store, if it has several",
            {"heat", "history", "tally"});
  self.text("--field", given->field, "FIELD", "which field, if the store has several");
  self.output(asked);
  self.act = [given](const printer& out) { return push(*given, out); };
}

}  // namespace bloomtime::cli
