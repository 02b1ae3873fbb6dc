#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/heat/any_heat.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/mapped.hpp>

namespace bloomtime {

// A heat engine that is chosen at run time, and beside it, unless there is none, a hot list of the
// same stream. Stored, it is the container of the one and then that of the other.
class any_listed_heat {
 public:
  any_listed_heat(any_heat&& heat, std::optional<hot_list>&& hot)
      : heat_(std::move(heat)), hot_(std::move(hot)) {}

  // To both. The list gets an event only if the engine counted it.
  outcome add(digest d, std::string_view item, instant when, std::uint64_t weight = 1);

  any_heat& heat() noexcept { return heat_; }
  const any_heat& heat() const noexcept { return heat_; }
  std::optional<hot_list>& hot() noexcept { return hot_; }
  const std::optional<hot_list>& hot() const noexcept { return hot_; }

  // The hottest items, with the bounds that both know. Throws error(unsupported) without a list.
  std::vector<hot_item> top(std::size_t n, instant when) const;

  // As a handle of the library.
  std::string_view engine() const noexcept { return heat_.engine(); }
  const hash_seed& seed() const noexcept { return heat_.seed(); }
  std::optional<instant> newest() const noexcept { return heat_.newest(); }
  const bloomtime::losses& losses() const noexcept { return heat_.losses(); }
  std::uint64_t memory() const noexcept { return heat_.memory() + (hot_ ? hot_->memory() : 0); }
  void clear();
  void merge(const any_listed_heat& other, double weight);
  std::uint32_t shard_of(digest d, std::uint32_t shards) const { return heat_.shard_of(d, shards); }
  void relocate();
  std::vector<fact> describe() const { return with_list(heat_.describe()); }
  std::vector<fact> examine() const { return with_list(heat_.examine()); }
  std::uint64_t identity() const;
  std::vector<std::byte> serialize() const;
  std::uint64_t serialized_size() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static any_listed_heat load(std::span<const std::byte> containers);
  static void verify(std::span<const std::byte> containers) { (void)load(containers); }
  // Loaded as well: no heat engine answers from a file.
  static mapped<any_listed_heat> map(const std::filesystem::path& path);

 private:
  std::vector<fact> with_list(std::vector<fact> facts) const;

  any_heat heat_;
  std::optional<hot_list> hot_;
};

}  // namespace bloomtime
