#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/fact.hpp>
#include <bloomtime/mapped.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/shard.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::detail {

// What all run-time handles (any_heat, any_history, any_recency, any_tally) do: they hold one of
// the family's Engines, a std::variant, and call it. An act that the engine cannot do throws
// error(unsupported). Const members may run concurrently. Each handle's .cpp includes
// src/detail/handle.hpp, which defines these members, and instantiates its handle.
template <class Handle, class Engines>
class handle {
 public:
  using engines_type = Engines;

  static std::span<const std::string_view> engines() noexcept;  // their names; the default first

  explicit handle(engines_type engine) : engine_(std::move(engine)) {}

  std::string_view engine() const noexcept;  // its name
  const engines_type& get() const noexcept { return engine_; }

  template <item T>
  BLOOMTIME_PER_ISA digest digest_of(const T& x) const noexcept {
    return as_digest(x, seed());
  }
  const hash_seed& seed() const noexcept;
  std::optional<instant> newest() const noexcept;  // none if the engine has no clock
  const bloomtime::losses& losses() const noexcept;
  std::uint64_t memory() const noexcept;

  void advance(instant now) noexcept;  // lets time pass; ignored by engines without a clock
  void clear();
  void merge(const Handle& other);  // both need the same engine
  // The filter of the items of one shard. Tables and histories of timelines have shards: their
  // answers about items of theirs cover those of the whole, and merge() puts them together.
  Handle part(const shard& s) const;
  std::uint32_t shard_of(digest d, std::uint32_t shards) const;
  void relocate();  // moves everything into newly allocated memory

  std::vector<fact> describe() const;  // in constant time
  std::vector<fact> examine() const;   // what describe() says, and what takes a scan
  std::uint64_t identity() const;      // a hash of parameters and contents

  std::vector<std::byte> serialize() const;
  std::uint64_t serialized_size() const;
  void write_to(const byte_sink& sink) const;
  void save(const std::filesystem::path& path) const;
  static Handle load(std::span<const std::byte> container);
  static Handle load(const std::filesystem::path& path);
  // Throws what load() would throw, without keeping anything.
  static void verify(std::span<const std::byte> container);
  // Answers from the file itself if the engine can; only the head is checked then.
  static mapped<Handle> map(const std::filesystem::path& path);

 protected:
  // make(std::type_identity<Engine>) of the engine of this name.
  template <class Make>
  static Handle make_named(std::string_view name, Make&& make);
  // The engine of `other`, which must be of the same class.
  template <class Engine>
  const Engine& same(const Handle& other) const;
  // Throws: "a tree_history cannot <act>".
  [[noreturn]] void unsupported(std::string_view act) const;

  engines_type engine_;
};

}  // namespace bloomtime::detail
