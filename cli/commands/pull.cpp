#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/detail/file.hpp>

#include "cli/asking/filter_bytes.hpp"
#include "cli/command.hpp"
#include "cli/redis/shards.hpp"
#include "cli/redis/transfer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct typed_pull {
  std::vector<std::string> words;  // the server, then the file
  std::string key;
  std::string shards;
};

constexpr const char* try_this = "Try bloomtime pull redis://localhost pages.filter --key pages";

exit_status pull(const typed_pull& given, const printer& out) {
  if (given.words.size() != 2) refuse("pull needs a server and a file. {}", try_this);
  if (given.key.empty()) refuse("pull needs --key. {}", try_this);
  const redis_address address = parse_redis_address(given.words[0]);
  redis_connection server(address);
  const std::uint32_t shards = parse_shards(given.shards);
  std::vector<std::vector<std::byte>> parts;
  family kept{};
  for (std::uint32_t i = 0; i < shards; ++i) {
    const dumped_key dumped = dump_key(server, shard_key(given.key, i, shards));
    const auto part = std::as_bytes(std::span(dumped.bytes));
    (void)facts_of_filter(part);  // throws if they are damaged
    parts.emplace_back(part.begin(), part.end());
    kept = dumped.family;
  }
  const std::vector<std::byte> bytes = joined(kept, parts);
  const std::array<std::span<const std::byte>, 1> pieces{bytes};
  detail::replace_file(given.words[1], pieces);
  out.print(
      {.command = "pull",
       .fields = {{"server", address.text()}},
       .tables = {list_of("files", {{"file", "file", text_cell(given.words[1])},
                                    {"family", "family", text_cell(std::string(name_of(kept)))},
                                    {"bytes", "bytes", bytes_cell(bytes.size())}})}});
  return yes;
}

constexpr const char* pull_examples =
    "bloomtime pull redis://localhost pages.filter --key pages && bloomtime info pages.filter\n"
    "REDISCLI_AUTH=secret bloomtime pull redis://app@cache:6380/2 users.filter --key users";

constexpr const char* pull_details =
    "The file gets the bytes of the key as they are, after a check of all of them; bloomtime push\n"
    "moves it back. If others write to a key of more than 16 MiB while it is read, the check\n"
    "fails, and nothing is written.\n"
    "--shards N reads the keys NAME:{0} to NAME:{N-1} that push --shards has made, and joins "
    "them.\n"
    "The password is taken from the environment variable REDISCLI_AUTH.";

}  // namespace

void add_pull(command& root, output_options& asked) {
  command& self = root.add("pull", "copy a filter of a Redis server to a file");
  self.usage = "redis://[USER@]HOST[:PORT][/DB] FILE --key NAME [--shards N]";
  self.examples = pull_examples;
  self.details = pull_details;
  self.keys = {
      {"file", "the file"}, {"family", "heat, history, recency or tally"}, {"bytes", "its size"}};
  self.fields = {{"server", "its address"}, {"files", "one object"}};
  const auto given = std::make_shared<typed_pull>();
  self.arguments("FILE", given->words, "the server, followed by the file to write");
  self.text("--key", given->key, "NAME", "the key");
  self.text("--shards", given->shards, "N", "into how many keys push has divided it");
  self.output(asked);
  self.act = [given](const printer& out) { return pull(*given, out); };
}

}  // namespace bloomtime::cli
