#include "cli/redis/shards.hpp"

#include <bit>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <bloomtime/any.hpp>
#include <bloomtime/shard.hpp>

#include "cli/redis/transfer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

// use(std::type_identity<Handle>) of a family that has shards.
template <class Use>
auto with_handle(family f, Use&& use) {
  switch (f) {
    case family::heat: return use(std::type_identity<any_heat>());
    case family::history: return use(std::type_identity<any_history>());
    case family::recency: return use(std::type_identity<any_recency>());
    case family::tally: return use(std::type_identity<any_tally>());
    default: refuse("the Redis module has heat, history, recency and tally, but no {}", name_of(f));
  }
}

}  // namespace

std::uint32_t parse_shards(const std::string& typed) {
  if (typed.empty()) return 1;
  const auto count = number_in<std::uint32_t>(typed);
  if (!count || !std::has_single_bit(*count) || *count > shard::most) {
    refuse("--shards must be a power of two up to {}; got {}", shard::most, shown(typed));
  }
  return *count;
}

std::string shard_key(std::string_view name, std::uint32_t number, std::uint32_t shards) {
  return shards == 1 ? std::string(name) : fmt::format("{}:{{{}}}", name, number);
}

std::vector<std::vector<std::byte>> divided(const filter_bytes& filter, std::uint32_t shards) {
  if (shards == 1) return {filter.bytes};
  return with_handle(filter.family, [&]<class Handle>(std::type_identity<Handle>) {
    const Handle whole = Handle::load(containers_in(filter.bytes).filter);
    std::vector<std::vector<std::byte>> parts;
    for (std::uint32_t i = 0; i < shards; ++i) parts.push_back(whole.part({i, shards}).serialize());
    return parts;
  });
}

std::vector<std::byte> joined(family f, std::span<const std::vector<std::byte>> shards) {
  if (shards.size() == 1) return shards.front();
  return with_handle(f, [&]<class Handle>(std::type_identity<Handle>) {
    Handle sum = Handle::load(containers_in(shards.front()).filter);
    for (const auto& each : shards.subspan(1)) sum.merge(Handle::load(containers_in(each).filter));
    return sum.serialize();
  });
}

redis_filter::redis_filter(const redis_address& address, family f, const std::string& key,
                           std::uint32_t shards)
    : server_(address), prefix_(redis_prefix(f)), key_(key), shards_(shards) {
  if (key.empty()) refuse("a question to a server needs --key, the name of the filter there");
  prefix_ += '.';
  expect_key(server_, f, shard_key(key_, 0, shards_));
}

std::uint32_t redis_filter::shard_of(std::string_view item) {
  if (shards_ == 1) return 0;
  const redis_reply reply =
      server_.ask({prefix_ + "SHARD", shard_key(key_, 0, shards_), std::to_string(shards_), item});
  if (reply.list.size() != 1) throw_error(errc::io, "{}: no shard", address().text());
  return static_cast<std::uint32_t>(reply.list.front().number);
}

redis_reply redis_filter::ask(std::string_view verb, std::string_view item,
                              std::span<const std::string_view> words) {
  const std::string command = fmt::format("{}{}", prefix_, verb);
  const std::string key = shard_key(key_, shard_of(item), shards_);
  std::vector<std::string_view> all{command, key};
  all.insert(all.end(), words.begin(), words.end());
  return server_.ask(all);
}

double number_of(const redis_reply& reply) {
  if (reply.what == redis_reply::kind::number) return static_cast<double>(reply.number);
  double number = 0;
  const char* const end = reply.text.data() + reply.text.size();
  if (std::from_chars(reply.text.data(), end, number).ptr != end || reply.text.empty()) {
    throw_error(errc::io, "the server answered {}, which is no number", shown(reply.text));
  }
  return number;
}

}  // namespace bloomtime::cli
