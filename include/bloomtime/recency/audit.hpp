#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/math/posterior.hpp>
#include <bloomtime/recency/calibration.hpp>
#include <bloomtime/recency/learned_ages.hpp>

namespace bloomtime {

// The ways to answer that an audit compares. Priors: `empirical` is what the audit itself learned,
// `geometric` what the caller knows about the item (recency/age_prior.hpp). Likelihoods: `census`
// is counted in the filter, `analytic` the paper's.
enum class arm : std::uint8_t {
  standard,
  empirical_census,
  empirical_analytic,
  geometric_census,
  geometric_analytic,
};
inline constexpr std::size_t arm_count = 5;
std::string_view name_of(arm a) noexcept;

// The possible answers of a filter to one query: the standard answer, and the posteriors it has. A
// geometric arm without a posterior (the item's share is not known) answers like the empirical arm
// of the same likelihood, and an empirical arm without one like the standard.
struct opinions {
  bool standard = false;
  std::array<std::optional<math::masses>, arm_count> posterior = {};

  std::optional<math::masses>& operator[](arm a) noexcept {
    return posterior[static_cast<std::size_t>(a)];
  }
  const std::optional<math::masses>& operator[](arm a) const noexcept {
    return posterior[static_cast<std::size_t>(a)];
  }
  // The arm that answers in place of a.
  arm resolved(arm a) const noexcept;
  bool answer(arm a, const math::penalties& costs) const noexcept;
};

struct audit_config {
  std::uint64_t window = 0;      // "within" means age < window, in insertions or microseconds
  std::uint32_t entries = 3072;  // exact last positions, 64 to 65536; 21 to 43 bytes each
  bool strict = false;           // the standard answer always: never "no" on mere likelihood
};

// Keeps the exact last positions of a sample of items beside a filter. From them it learns an age
// prior, measures calibration, and determines which way to answer has been the cheapest. The sample
// is chosen by hash and starts with all items. When the entries are used up, those older than four
// windows are removed; if that is not enough, every other item leaves the sample.
//
// Positions are insertions counted so far, this one included, or microseconds; ages are differences
// between them. Queries in the first window after the first insertion are not learned from: more
// items are new then than ever after. Only observe() and add_if_new() of a filter call question().
// Memory is fixed from the start, so only construction and copies can fail.
class audit {
 public:
  explicit audit(const audit_config& config);
  BLOOMTIME_VALUE(audit);

  // The other calls do nothing for an item outside the sample, so a caller that checks first need
  // not compute opinions.
  bool samples(digest d) const noexcept { return in_sample(key_of(d), shift_); }
  void insertion(digest d, std::int64_t position) noexcept;
  // The filter was queried at this position, before the insertion if there is one. Costs must pass
  // math::check(); above 1e100 they count as 1e100.
  void question(digest d, std::int64_t position, const opinions& said,
                const math::penalties& costs) noexcept;

  // The exact age of a sampled item; none if never inserted, or four windows or longer ago.
  std::optional<std::uint64_t> age(digest d, std::int64_t position) const noexcept;

  // The age prior, or null while there are fewer than 256 samples.
  const learned_ages* ages() const noexcept { return ages_.ready() ? &ages_ : nullptr; }

  // The arm that has been cheapest, by these rules. `standard` until there are 500 samples, and in
  // place of an arm whose calibration error exceeds 0.05. Another arm must be cheaper by 2 %.
  // Errors are rare, and which arm makes fewer of them is known late; so what the learned posterior
  // expects counts as much as the first 100 errors, unless penalties turn out otherwise by more
  // than three standard deviations: then nothing counts but penalties, and 50 errors at least must
  // be known for anything but `standard`.
  arm choice() const noexcept { return choice_; }
  bool decide(const opinions& said, const math::penalties& costs) const noexcept {
    return said.answer(choice_, costs);
  }
  const calibration& calibration_of(arm a) const noexcept {
    return arms_[static_cast<std::size_t>(a)].calibrated;
  }
  // Penalties of sampled questions, older ones halved from time to time: comparable among arms.
  double cost_of(arm a) const noexcept { return arms_[static_cast<std::size_t>(a)].realised; }
  double questions() const noexcept { return questions_; }  // behind these costs
  double errors() const noexcept { return errors_; }        // of them, standard or chosen ones

  // The audit of both streams, if positions are times.
  void merge(const audit& other);
  // Forgets everything, because two streams of counted insertions were merged and positions have
  // lost their meaning. Learning begins a window after `position`.
  void restart(std::int64_t position) noexcept;

  const audit_config& config() const noexcept { return config_; }
  std::uint64_t entries() const noexcept { return keys_.size(); }
  unsigned shift() const noexcept { return shift_; }  // one item in 2^shift is in the sample
  std::uint64_t memory() const noexcept;

  // For a section of the filter's container.
  std::vector<std::byte> encode() const;
  static audit decode(std::span<const std::byte> bytes);

 private:
  struct record {
    double realised = 0;
    double expected = 0;
    calibration calibrated;
  };

  // 63 bits of the digest: what the table takes.
  static std::uint64_t key_of(digest d) noexcept { return d.lo >> 1; }
  static bool in_sample(std::uint64_t key, unsigned shift) noexcept {
    return shift == 0 || key * detail::golden >> (64 - shift) == 0;
  }
  std::uint64_t horizon() const noexcept { return ages_.horizon(); }
  bool keeps_truth(std::int64_t position) const noexcept;
  void put(std::uint64_t key, std::int64_t position) noexcept;
  void make_room(std::int64_t position) noexcept;
  void halve_sample() noexcept;
  void judge(const opinions& said, const math::penalties& costs, bool inside) noexcept;
  void fade() noexcept;
  void add_records(const audit& other);
  void choose() noexcept;
  bool as_expected() const noexcept;
  double cost(std::size_t i) const noexcept;
  bool trusted(std::size_t i) const noexcept;

  audit_config config_;
  detail::side_table keys_;  // to the last position
  unsigned shift_ = 0;
  std::optional<std::int64_t> since_;  // what was inserted before this is not known
  learned_ages ages_;
  std::array<record, arm_count> arms_{};
  double surprise_ =
      0;  // what the learned posterior did not expect the arm that follows it to cost
  double variance_ = 0;  // of that, if the posterior is right
  double questions_ = 0;
  double errors_ = 0;
  arm choice_ = arm::standard;
};

}  // namespace bloomtime
