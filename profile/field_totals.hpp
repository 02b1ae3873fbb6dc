#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/tally/any_tally.hpp>

namespace bloomtime::profile {

// Items to be added to a profile; their texts are stored one after the other.
class item_batch {
 public:
  void add(digest d, std::string_view text) {
    digests_.push_back(d);
    texts_.append(text);
    ends_.push_back(texts_.size());
  }
  void clear() noexcept {
    digests_.clear();
    texts_.clear();
    ends_.clear();
  }
  std::size_t size() const noexcept { return digests_.size(); }
  std::span<const digest> digests() const noexcept { return digests_; }
  std::string_view text(std::size_t i) const noexcept {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(texts_).substr(begin, ends_[i] - begin);
  }

 private:
  std::vector<digest> digests_;
  std::string texts_;
  std::vector<std::size_t> ends_;
};

// One of the items with the most hits in all.
struct large_item {
  std::string item;  // its first 1024 bytes
  bool cut = false;  // whether it was longer
  digest id;
  counted total;
  bool guaranteed = false;  // certainly one of the n largest
};

// How often each item of a field was seen in all, and the names of the items that were seen most.
//
// Promise: `upper` is never below the truth. A count is too high only if two items have the same
// fingerprint; `lower` holds with probability confidence(). No item whose name is not kept was seen
// more often than unlisted().
//
// The names are a hot_list that fades nothing. An item enters it only if its count exceeds the
// smallest one there. So the list has the items with the largest counts, and its own upper bounds
// are at most those counts: an item that is not listed had at most the smallest listed count when
// it was last seen, and that count never falls.
class field_totals {
 public:
  static constexpr std::uint64_t names = 150;

  // In a table that grows, or in cells of so many bytes.
  field_totals(std::optional<std::uint64_t> memory, const hash_seed& seed);
  // As stored in two containers. Throws error(corrupt) if they do not belong together.
  field_totals(any_tally counts, hot_list largest);

  // In order; the result does not depend on how the items are divided into batches.
  void add(const item_batch& items);

  counted at(digest d) const noexcept;
  std::vector<large_item> top(std::size_t n) const;
  std::uint64_t unlisted() const noexcept;
  // How many different items there are; nothing if only cells are kept.
  std::optional<std::uint64_t> different() const noexcept;
  double confidence() const { return counts_.confidence(); }  // of lower bounds

  const any_tally& counts() const noexcept { return counts_; }
  const hot_list& largest() const noexcept { return largest_; }
  std::uint64_t memory() const noexcept { return counts_.memory() + largest_.memory(); }

 private:
  any_tally counts_;
  hot_list largest_;
  std::vector<outcome> outcomes_;
  std::vector<std::uint64_t> after_;
};

// A list for the names of the items with the largest counts, of which none fades.
hot_list new_name_list(std::uint64_t entries, const hash_seed& seed);
// Counts are the same at any time.
inline constexpr instant any_time{};

// Lists an item that was added `amount` times if its count is now among the largest.
outcome note_count(hot_list& largest, digest d, std::string_view item, std::uint64_t count,
                   std::uint64_t amount = 1);

// The count of a listed item, and what it certainly is at least, for the order of all.
struct bounds {
  counted shown;
  std::uint64_t at_least = 0;
};
using total_bounds = std::function<bounds(const hot_item&)>;

// The n listed items with the largest upper bounds.
std::vector<large_item> largest_items(const hot_list& largest, const total_bounds& bounds_of,
                                      std::size_t n);

}  // namespace bloomtime::profile
