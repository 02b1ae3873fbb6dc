#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <bloomtime/detail/hooked.hpp>

namespace bloomtime::detail {

// How many insertions came before each of the latest ticks, by which a span of ticks becomes a
// number of insertions (docs/math.md, Windows of time). A tick is named by its age, 0 to `oldest`.
class arrival_counts {
 public:
  arrival_counts() noexcept = default;
  explicit arrival_counts(std::uint32_t oldest) : before_(std::size_t{oldest} + 1) {}
  // From what values() gave, of which there is at least one.
  arrival_counts(std::span<const std::uint64_t> values, std::uint64_t total)
      : before_(values.rbegin(), values.rend()), newest_(values.size() - 1), total_(total) {}

  std::uint64_t total() const noexcept { return total_; }
  std::uint64_t memory() const noexcept { return before_.capacity() * sizeof(std::uint64_t); }

  // Insertions before the tick of this age, and in it.
  std::uint64_t before(std::uint32_t age) const noexcept { return before_[slot(age)]; }
  std::uint64_t during(std::uint32_t age) const noexcept { return end(age) - before(age); }
  // Insertions in younger ticks.
  std::uint64_t after(std::uint32_t age) const noexcept { return total_ - end(age); }

  // Insertions in this tick and in younger ones.
  std::uint64_t since(std::uint32_t age) const noexcept { return total_ - before(age); }

  // The youngest tick with at least so many insertions since it began; the oldest one if there is
  // none.
  std::uint32_t reaching(std::uint64_t insertions) const noexcept {
    std::uint32_t low = 0;
    auto high = static_cast<std::uint32_t>(before_.size() - 1);
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (since(middle) >= insertions) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  void add(std::uint32_t age) noexcept {
    ++total_;
    for (std::uint32_t younger = 0; younger < age; ++younger) ++before_[slot(younger)];
  }

  void clear() noexcept {
    std::fill(before_.begin(), before_.end(), 0);
    newest_ = 0;
    total_ = 0;
  }

  void advance(std::uint64_t ticks) noexcept {
    if (ticks > before_.size()) ticks = before_.size();
    for (; ticks != 0; --ticks) {
      newest_ = newest_ + 1 == before_.size() ? 0 : newest_ + 1;
      before_[newest_] = total_;
    }
  }

  // Of both streams, if `behind` ticks more have passed here than there.
  void add(const arrival_counts& other, std::uint64_t behind) noexcept {
    for (std::uint32_t age = 0; age < before_.size(); ++age) {
      before_[slot(age)] +=
          age < behind ? other.total_ : other.before(static_cast<std::uint32_t>(age - behind));
    }
    total_ += other.total_;
  }

  // before() of ages 0, 1, ...
  std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> all(before_.size());
    for (std::uint32_t age = 0; age < all.size(); ++age) all[age] = before(age);
    return all;
  }

 private:
  std::size_t slot(std::uint32_t age) const noexcept {
    return age <= newest_ ? newest_ - age : newest_ + before_.size() - age;
  }
  std::uint64_t end(std::uint32_t age) const noexcept {
    return age == 0 ? total_ : before(age - 1);
  }

  std::vector<std::uint64_t, hooked<std::uint64_t>> before_;
  std::size_t newest_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bloomtime::detail
