#include "cli/redis/transfer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/output/progress.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

// Chunks are numbered downwards, and the last one is 1.
constexpr std::size_t chunk_bytes = std::size_t{16} << 20;

struct kind {
  bloomtime::family family;
  std::string_view prefix;
  std::string_view type;
};

constexpr std::array<kind, 4> kinds{{{family::heat, "HEAT", "bt-heat-1"},
                                     {family::history, "HISTORY", "bt-hist-1"},
                                     {family::recency, "RECENCY", "bt-recn-1"},
                                     {family::tally, "TALLY", "bt-taly-1"}}};

std::string command(family f, const char* verb) {
  return fmt::format("{}.{}", redis_prefix(f), verb);
}

[[noreturn]] void refuse_dump(std::string_view key) {
  throw_error(errc::corrupt, "the key {} changed while it was read; pull it again", shown(key));
}

}  // namespace

std::string_view redis_prefix(family f) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const kind& k) { return k.family == f; });
  if (found == kinds.end()) {
    refuse("the Redis module has heat, history, recency and tally, but no {}", name_of(f));
  }
  return found->prefix;
}

void load_key(redis_connection& server, family f, std::string_view key,
              std::span<const std::byte> bytes) {
  const std::string load = command(f, "LOADCHUNK");
  if (server.ask({"EXISTS", key}).number != 0) {
    refuse("{} has a key {} already; remove it with DEL, or choose another --key",
           server.address().text(), shown(key));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t left = (text.size() + chunk_bytes - 1) / chunk_bytes;
  progress shown_progress("push", text.size());
  for (std::size_t at = 0; at < text.size(); at += chunk_bytes, --left) {
    const std::string_view chunk = text.substr(at, chunk_bytes);
    try {
      server.ask({load, key, std::to_string(left), chunk});
    } catch (...) {
      // A key that lacks some of its chunks answers no query.
      if (at != 0) server.ask({"DEL", key});
      throw;
    }
    shown_progress.advance(chunk.size());
  }
}

family family_of_key(redis_connection& server, std::string_view key) {
  const std::string type = server.ask({"TYPE", key}).text;
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const kind& k) { return k.type == type; });
  if (found == kinds.end()) {
    refuse("{} {}", server.address().text(),
           type == "none" ? fmt::format("has no key {}", shown(key))
                          : fmt::format("keeps a {} in {}, not a filter", type, shown(key)));
  }
  return found->family;
}

void expect_key(redis_connection& server, family f, std::string_view key) {
  const family kept = family_of_key(server, key);
  if (kept == f) return;
  refuse("{} keeps a {} in {}, and this question needs a {}", server.address().text(),
         name_of(kept), shown(key), name_of(f));
}

dumped_key dump_key(redis_connection& server, std::string_view key) {
  const family f = family_of_key(server, key);
  dumped_key dumped{f, {}};
  const std::string dump = command(f, "SCANDUMP");
  std::int64_t last = 0;
  do {
    redis_reply reply = server.ask({dump, key, std::to_string(last)});
    if (reply.list.size() != 2) refuse_dump(key);
    const std::int64_t number = reply.list[0].number;
    if (last != 0 && number != last - 1) refuse_dump(key);
    dumped.bytes += std::move(reply.list[1].text);
    last = number;
  } while (last != 0);
  return dumped;
}

}  // namespace bloomtime::cli
