#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/detail/hyperloglog.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/recency/age_prior.hpp>

// Sources of shares (docs/math.md, Priors learned by an audit): each is called with a digest and
// returns the probability p that any one insertion is this item, as prior_of() takes it.
namespace bloomtime::published {

// A source of shares: anything that can be called with a digest and returns p, or NaN if p is
// unknown. A lambda is one.
template <class Source>
concept share_source = requires(const Source& source, digest d) {
  { source(d) } -> std::convertible_to<double>;
};

template <share_source Source>
BLOOMTIME_PER_ISA age_prior prior_of(const Source& source, digest d) {
  return age_prior::share(source(d));
}

// A table of shares. Items that are not in it are unknown.
class share_table {
 public:
  explicit share_table(const hash_seed& seed = {}) noexcept : seed_(seed) {}
  BLOOMTIME_VALUE(share_table);

  // NaN: unknown from now on. Throws unless p is in [0, 1] otherwise.
  template <item T>
  BLOOMTIME_PER_ISA void set(const T& x, double p) {
    put(detail::as_digest(x, seed_), p);
  }
  double operator()(digest d) const noexcept;

  std::uint64_t size() const noexcept { return shares_.size(); }
  std::uint64_t memory() const noexcept { return shares_.bytes(); }

 private:
  void put(digest d, double p);

  detail::side_table shares_;  // by 63 bits of the digest
  hash_seed seed_;
};

// The same share for all: one over the number of different items in a window. For streams in which
// all items are about equally frequent.
class equal_share {
 public:
  explicit equal_share(std::uint64_t window,
                       unsigned precision = detail::hyperloglog::default_precision);
  BLOOMTIME_VALUE(equal_share);

  void add(digest d) noexcept;
  // From the last complete window, or from the first one so far; unknown before the first
  // insertion.
  double operator()(digest = {}) const noexcept { return share_; }
  std::uint64_t memory() const noexcept { return current_.registers().size(); }

 private:
  detail::hyperloglog current_;
  std::uint64_t window_;
  std::uint64_t added_ = 0;  // of the current window
  bool first_ = true;
  double share_ = std::numeric_limits<double>::quiet_NaN();
};

struct sketch_config {
  std::uint64_t window = 0;  // insertions; frequencies are those of about twelve of them
  std::uint64_t memory = 0;  // bytes of counters
};

// The share of an item among all insertions, from decaying counters: a heat filter whose clock
// counts insertions. Items too rare to stand out from the noise of their counters get the
// smallest share, one over the number of counted insertions and one more.
class frequency_sketch {
 public:
  explicit frequency_sketch(const sketch_config& config);
  BLOOMTIME_VALUE(frequency_sketch);

  // Throws only if memory runs out; nothing changes then.
  void add(digest d);
  // Unknown before the first insertion.
  double operator()(digest d) const noexcept;

  std::uint64_t insertions() const noexcept { return insertions_; }
  std::uint64_t memory() const noexcept { return counts_.memory(); }

 private:
  instant now() const noexcept { return instant(static_cast<std::int64_t>(insertions_)); }
  void measure_noise() noexcept;

  heat_filter counts_;
  std::uint64_t epoch_;
  std::uint64_t insertions_ = 0;
  double noise_ = 0;  // the mean count of items that were never inserted
};

}  // namespace bloomtime::published
