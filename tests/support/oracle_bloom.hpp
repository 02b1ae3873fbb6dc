#pragma once

#include "support/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "support/bloom_chance.hpp"
#include "support/oracle_bits.hpp"

namespace bloomtime::oracle {

inline std::vector<std::byte> bits_of(const bloom_filter& f) {
  const std::vector<std::byte> bytes = f.serialize();
  const auto body = detail::container_view::parse(bytes).section(1);
  return {body.begin(), body.end()};
}

// What a new item meets, exactly, the bits being what they are.
inline double exact_error(const bloom_filter& f) {
  return support::chance_of_maybe(f.layout(), bits_of(f), f.k());
}

// A Bloom filter beside the list of what was inserted and the bits that this should have set.
class bloom_twin {
 public:
  explicit bloom_twin(const bloom_config& config)
      : config_(config),
        filter_(config),
        bits_(filter_.layout(), filter_.bits(), filter_.k()),
        capacity_(config.items) {}

  const bloom_filter& filter() const noexcept { return filter_; }
  const std::vector<digest>& inserted() const noexcept { return inserted_; }

  // A twin of the same shape that has seen nothing yet.
  bloom_twin sibling() const {
    bloom_twin other(config_);
    other.fold(other.filter_.bits() / filter_.bits());
    return other;
  }

  template <class T>
  void add(const T& x) {
    const bool known = std::ranges::find(inserted_, digest_for(x)) != inserted_.end();
    const bool changed = mirror(digest_for(x));
    const bool fresh = filter_.add(x);
    RC_ASSERT(fresh == changed);
    RC_ASSERT(!(fresh && known));
  }

  template <class T>
  void add_bulk(const std::vector<T>& items) {
    for (const T& x : items) mirror(digest_for(x));
    filter_.add_bulk(items);
  }

  template <class T>
  void query(const T& x) const {
    const bloom_filter before = filter_;
    RC_ASSERT(filter_.may_contain(x) == bits_.contains(digest_for(x)));
    RC_ASSERT(identical(filter_, before));
  }

  template <class T>
  void query_bulk(const std::vector<T>& items) const {
    const bloom_filter before = filter_;
    const auto answers = std::make_unique<bool[]>(items.size());
    filter_.may_contain_bulk(items, std::span(answers.get(), items.size()));
    for (std::size_t i = 0; i < items.size(); ++i) {
      RC_ASSERT(answers[i] == bits_.contains(digest_for(items[i])));
    }
    RC_ASSERT(identical(filter_, before));
  }

  void infer(digest d, double p, const math::penalties& costs) const {
    const bloom_filter before = filter_;
    for (const prior& known : {prior::membership(p), prior::share(p)}) {
      const double posterior = filter_.posterior(d, known);
      const double at_first = known.of(filter_.insertions(), 1).probability();
      RC_ASSERT(posterior >= 0 && posterior <= 1);
      if (!bits_.contains(d)) RC_ASSERT(posterior == 0);
      // Finding all bits set never speaks against an item; 1e-12 is for rounding.
      if (bits_.contains(d)) RC_ASSERT(posterior >= at_first - 1e-12);
      const double yes = costs.false_positive * (1 - posterior);
      const double no = costs.false_negative * posterior;
      const bool decided = filter_.decide(d, known, costs);
      if (std::abs(yes - no) > 1e-9 * (yes + no)) RC_ASSERT(decided == (yes < no));
    }
    RC_ASSERT(identical(filter_, before));
  }

  void merge(const bloom_twin& other) {
    filter_.merge(other.filter_);
    for (const digest d : other.inserted_) mirror(d);
    capacity_ = std::max(capacity_, other.capacity_);
  }

  void fold(std::uint64_t factor) {
    filter_.fold(factor);
    bits_ = {filter_.layout(), filter_.bits(), filter_.k()};
    for (const digest d : inserted_) bits_.insert(d);
  }

  void replace(bloom_filter f) { filter_ = std::move(f); }

  void check() const {
    RC_ASSERT(filter_.insertions() == inserted_.size());
    RC_ASSERT(filter_.ones() == bits_.ones());
    const bool bits_agree = bits_of(filter_) == bits_.bytes();
    RC_ASSERT(bits_agree);
    RC_ASSERT(filter_.capacity() == capacity_);
    RC_ASSERT(filter_.seed() == config_.seed);
    RC_ASSERT(filter_.memory() * 8 == filter_.bits());
    RC_ASSERT(std::ranges::all_of(inserted_, [&](digest d) { return filter_.may_contain(d); }));
    const double error_now = filter_.current_error();
    RC_ASSERT(error_now >= 0 && error_now <= 1);
    RC_ASSERT((error_now == 0) == inserted_.empty());
    if (filter_.ones() == filter_.bits()) RC_ASSERT(error_now == 1);
  }

 private:
  template <class T>
  digest digest_for(const T& x) const {
    return detail::as_digest(x, config_.seed);
  }

  bool mirror(digest d) {
    inserted_.push_back(d);
    return bits_.insert(d);
  }

  bloom_config config_;
  bloom_filter filter_;
  reference_bits bits_;
  std::vector<digest> inserted_;
  std::uint64_t capacity_;
};

}  // namespace bloomtime::oracle
