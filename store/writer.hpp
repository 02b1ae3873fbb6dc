#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "store/lock.hpp"
#include "store/manifest.hpp"
#include "store/reader.hpp"
#include "store/totals.hpp"

namespace bloomtime::store {

template <class T>
concept saves_itself = requires(const T& filter, const std::filesystem::path& path) {
  filter.save(path);
};

// Creates or continues a store, and locks it for other writers. Containers that are put become part
// of the store with the next checkpoint, all at once; without a checkpoint they are removed. What
// is created can be read by its owner only.
class writer {
 public:
  // `now` becomes the creation time of a new store.
  writer(const std::filesystem::path& directory, instant now);
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  ~writer();

  bool continues() const noexcept { return committed_.generation != 0; }
  facts& about() noexcept { return next_.read; }
  const minute_totals& totals() const noexcept { return totals_; }
  bool has(std::string_view role) const { return next_.find(role) != nullptr; }
  part_bytes container(std::string_view role) const;

  // Counts an event that was read: in the records, the totals, and the first and last event.
  void count(instant t);

  // Adds the events of other totals to the totals alone.
  void add(const minute_totals& more) { totals_.merge(more); }

  // Replaces or adds the container with this role. It is written at once, so that no copy has to be
  // kept in memory.
  template <saves_itself Filter>
  void put(std::string_view role, const Filter& filter) {
    const signals_held until_written;
    const std::string file = next_name();
    make_private(file);
    filter.save(directory_ / file);
    take(role, file);
  }
  void put(std::string_view role, std::span<const std::byte> container);
  void remove(std::string_view role);

  // Makes the changes durable. If it throws, the store is unchanged.
  void checkpoint();

 private:
  // The directory. If it was created here, it is removed again if it stays empty.
  class place {
   public:
    explicit place(const std::filesystem::path& directory);
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place();

   private:
    const std::filesystem::path& directory_;
    bool made_ = false;
  };

  void expect_in_place() const;
  std::string next_name();
  void save(const std::string& file, std::span<const std::byte> bytes) const;
  void make_private(const std::string& file) const;
  part described(std::string_view role, const std::string& file) const;
  void take(std::string_view role, const std::string& file);
  void remove_obsolete() noexcept;

  std::filesystem::path directory_;
  place place_;
  writer_lock lock_;
  manifest committed_;
  manifest next_;
  minute_totals totals_;
  std::uint64_t number_ = 0;  // of the last part written for the next checkpoint
};

}  // namespace bloomtime::store
