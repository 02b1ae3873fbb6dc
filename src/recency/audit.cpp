#include <bloomtime/recency/audit.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/error.hpp>
#include <bloomtime/math/timing.hpp>

namespace bloomtime {
namespace {

constexpr std::uint64_t windows_kept = 4;
constexpr std::uint32_t fewest_entries = 64;
constexpr std::uint32_t most_entries = 65536;
constexpr unsigned most_shift = 63;  // of 63 bits of the key

constexpr double samples_to_trust = 500;
constexpr double most_calibration_error = 0.05;
constexpr double errors_expected = 100;
constexpr double errors_to_compare = 50;
constexpr double errors_to_remember = 1024;
constexpr double hysteresis = 0.98;
constexpr double most_penalty = 1e100;     // sums of squares stay finite
constexpr std::uint64_t choose_each = 32;  // samples

constexpr std::size_t index(arm a) noexcept { return static_cast<std::size_t>(a); }

// Positions as the table keeps them: 64 bits whose order nobody asks for.
std::uint64_t stored(std::int64_t position) noexcept {
  return static_cast<std::uint64_t>(position);
}
std::int64_t position_in(std::uint64_t value) noexcept { return static_cast<std::int64_t>(value); }

// Zero if the clock went back.
std::uint64_t elapsed(std::int64_t from, std::int64_t to) noexcept {
  return to > from ? stored(to) - stored(from) : 0;
}

bool possible(const audit_config& c) noexcept {
  return c.window > 0 && c.window <= math::most_recent_window && c.entries >= fewest_entries &&
         c.entries <= most_entries;
}

audit_config checked(const audit_config& c) {
  if (possible(c)) return c;
  throw error(errc::invalid_argument,
              "an audit has a window of 1 to 2^60 and 64 to 65536 entries, got " +
                  std::to_string(c.window) + " and " + std::to_string(c.entries));
}

bool finite(double x) noexcept { return x >= 0 && std::isfinite(x); }

}  // namespace

std::string_view name_of(arm a) noexcept {
  switch (a) {
    case arm::standard: return "standard";
    case arm::empirical_census: return "empirical_census";
    case arm::empirical_analytic: return "empirical_analytic";
    case arm::geometric_census: return "geometric_census";
    case arm::geometric_analytic: return "geometric_analytic";
  }
  return "unknown";
}

arm opinions::resolved(arm a) const noexcept {
  const auto& all = *this;
  if (a == arm::geometric_census && !all[a]) a = arm::empirical_census;
  if (a == arm::geometric_analytic && !all[a]) a = arm::empirical_analytic;
  return all[a] ? a : arm::standard;
}

bool opinions::answer(arm a, const math::penalties& costs) const noexcept {
  const arm by = resolved(a);
  return by == arm::standard ? standard : math::positive(*(*this)[by], costs, standard);
}

audit::audit(const audit_config& config)
    : config_(checked(config)), ages_(windows_kept * config.window) {
  keys_.reserve(config_.entries);
}

// -- the sample --------------------------------------------------------------------------------

void audit::insertion(digest d, std::int64_t position) noexcept {
  if (!since_) since_ = position;
  if (samples(d)) put(key_of(d), position);
}

void audit::put(std::uint64_t key, std::int64_t position) noexcept {
  if (!in_sample(key, shift_)) return;
  if (std::uint64_t* const last = keys_.find(key)) {
    *last = stored(std::max(position_in(*last), position));
    return;
  }
  if (keys_.size() == config_.entries) make_room(position);
  if (in_sample(key, shift_)) keys_.set(key, stored(position));
}

void audit::make_room(std::int64_t position) noexcept {
  keys_.erase_if([&](std::uint64_t, std::uint64_t last) {
    return elapsed(position_in(last), position) >= horizon();
  });
  // A quarter of the room, or entries would be looked through again soon.
  while (keys_.size() > config_.entries / 4 * 3 && shift_ < most_shift) halve_sample();
}

// What was learned so far counts half: as much as the stream it comes from.
void audit::halve_sample() noexcept {
  ++shift_;
  ages_.halve();
  for (record& r : arms_) r.calibrated.halve();
  fade();
  keys_.erase_if([&](std::uint64_t key, std::uint64_t) { return !in_sample(key, shift_); });
}

std::optional<std::uint64_t> audit::age(digest d, std::int64_t position) const noexcept {
  const std::uint64_t* const last = keys_.find(key_of(d));
  if (last == nullptr) return std::nullopt;
  const std::uint64_t passed = elapsed(position_in(*last), position);
  if (passed >= horizon()) return std::nullopt;
  return passed;
}

// -- learning ----------------------------------------------------------------------------------

// Before a window has passed, what was not seen may have been inserted earlier; and of a stream
// that has just begun more items are new than will be.
bool audit::keeps_truth(std::int64_t position) const noexcept {
  return since_ && elapsed(*since_, position) >= config_.window;
}

void audit::question(digest d, std::int64_t position, const opinions& said,
                     const math::penalties& costs) noexcept {
  if (!samples(d) || !keeps_truth(position)) return;
  const auto true_age = age(d, position);
  judge(
      said,
      {std::min(costs.false_positive, most_penalty), std::min(costs.false_negative, most_penalty)},
      true_age && *true_age < config_.window);
  ages_.add(true_age);  // last: what is judged must not know the truth
  if (ages_.samples() % choose_each == 0) choose();
}

void audit::judge(const opinions& said, const math::penalties& costs, bool inside) noexcept {
  // Expects by the learned posterior, as far as there is one.
  const arm reference =
      said[arm::empirical_census] ? arm::empirical_census : said.resolved(arm::empirical_analytic);
  const bool expects = reference != arm::standard;
  const double belief = expects ? said[reference]->probability() : 0;
  bool wrong = false;
  for (std::size_t i = 0; i < arm_count; ++i) {
    const arm by = said.resolved(static_cast<arm>(i));
    const bool yes = said.answer(by, costs);
    const double at_stake = yes ? costs.false_positive : costs.false_negative;
    const double doubt = yes ? 1 - belief : belief;
    const double penalty = yes != inside ? at_stake : 0;
    arms_[i].realised += penalty;
    if (expects) arms_[i].expected += at_stake * doubt;
    if (expects && static_cast<arm>(i) == reference) {
      surprise_ += penalty - at_stake * doubt;
      variance_ += at_stake * at_stake * doubt * (1 - doubt);
    }
    wrong = wrong || (yes != inside && (i == index(arm::standard) || i == index(choice_)));
    if (by != arm::standard) arms_[i].calibrated.add(said[by]->probability(), inside);
  }
  questions_ += 1;
  errors_ += wrong ? 1 : 0;
  if (errors_ >= errors_to_remember) fade();
}

void audit::fade() noexcept {
  for (record& r : arms_) {
    r.realised /= 2;
    r.expected /= 2;
  }
  surprise_ /= 2;
  variance_ /= 2;
  questions_ /= 2;
  errors_ /= 2;
}

// Are penalties no more than the learned posterior expects, within three standard deviations?
bool audit::as_expected() const noexcept {
  return surprise_ <= 0 || surprise_ * surprise_ <= 9 * variance_;
}

// Errors may be too rare to be compared; what posteriors expect is known sooner.
double audit::cost(std::size_t i) const noexcept {
  const record& r = arms_[i];
  if (!as_expected()) return r.realised;
  return (errors_ * r.realised + errors_expected * r.expected) / (errors_ + errors_expected);
}

bool audit::trusted(std::size_t i) const noexcept {
  if (i == index(arm::standard)) return true;
  const calibration& c = arms_[i].calibrated;
  return c.samples() >= samples_to_trust && c.error() <= most_calibration_error;
}

void audit::choose() noexcept {
  if (config_.strict) return;
  if (!trusted(index(choice_))) choice_ = arm::standard;
  const bool comparable = errors_ >= errors_to_compare || as_expected();
  std::size_t best = index(choice_);
  for (std::size_t i = 0; i < (comparable ? arm_count : 1); ++i) {
    if (trusted(i) && cost(i) < cost(best)) best = i;
  }
  if (cost(best) < hysteresis * cost(index(choice_))) choice_ = static_cast<arm>(best);
}

// -- several streams ---------------------------------------------------------------------------

void audit::merge(const audit& other) {
  if (config_.window != other.config_.window) {
    throw error(errc::incompatible, "audits merge if their windows are equal; here they are " +
                                        std::to_string(config_.window) + " and " +
                                        std::to_string(other.config_.window));
  }
  audit sum(*this);
  audit more(other);
  while (sum.shift_ < more.shift_) sum.halve_sample();
  while (more.shift_ < sum.shift_) more.halve_sample();
  sum.add_records(more);
  if (more.since_) sum.since_ = std::max(*more.since_, sum.since_.value_or(*more.since_));
  // May halve the sample again, with all that has been learned from both. When it does depends on
  // the order, and that of the table differs from process to process.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> entries;
  entries.reserve(more.keys_.size());
  more.keys_.for_each(
      [&](std::uint64_t key, std::uint64_t last) { entries.emplace_back(key, last); });
  std::sort(entries.begin(), entries.end());
  for (const auto& [key, last] : entries) sum.put(key, position_in(last));
  sum.choose();
  *this = std::move(sum);
}

void audit::add_records(const audit& other) {
  ages_.merge(other.ages_);
  for (std::size_t i = 0; i < arm_count; ++i) {
    arms_[i].realised += other.arms_[i].realised;
    arms_[i].expected += other.arms_[i].expected;
    arms_[i].calibrated.merge(other.arms_[i].calibrated);
  }
  surprise_ += other.surprise_;
  variance_ += other.variance_;
  questions_ += other.questions_;
  errors_ += other.errors_;
  if (errors_ >= errors_to_remember) fade();
}

void audit::restart(std::int64_t position) noexcept {
  keys_.erase_if([](std::uint64_t, std::uint64_t) { return true; });
  shift_ = 0;
  since_ = position;
  ages_.clear();
  arms_ = {};
  surprise_ = 0;
  variance_ = 0;
  questions_ = 0;
  errors_ = 0;
  choice_ = arm::standard;
}

std::uint64_t audit::memory() const noexcept {
  return keys_.bytes() + ages_.memory() + sizeof(arms_);
}

// -- storage -----------------------------------------------------------------------------------

std::vector<std::byte> audit::encode() const {
  detail::byte_writer out;
  out.u64(config_.window);
  out.u32(config_.entries);
  out.u8(config_.strict ? 1 : 0);
  out.u8(static_cast<std::uint8_t>(choice_));
  out.u8(static_cast<std::uint8_t>(shift_));
  out.u8(since_ ? 1 : 0);
  out.i64(since_.value_or(0));
  out.f64(questions_);
  out.f64(errors_);
  out.f64(surprise_);
  out.f64(variance_);
  for (const record& r : arms_) {
    out.f64(r.realised);
    out.f64(r.expected);
    r.calibrated.write(out);
  }
  ages_.write(out);
  out.u64(keys_.size());
  keys_.write(out);
  return out.written();
}

audit audit::decode(std::span<const std::byte> bytes) {
  const auto require = [](bool holds) {
    if (!holds) throw error(errc::corrupt, "the parts of this audit contradict each other");
  };
  detail::byte_reader in(bytes);
  audit_config config{.window = in.u64(), .entries = in.u32(), .strict = false};
  const unsigned strict = in.u8();
  const unsigned choice = in.u8();
  const unsigned shift = in.u8();
  const unsigned has_since = in.u8();
  const std::int64_t since = in.i64();
  require(possible(config) && strict <= 1 && choice < arm_count && shift <= most_shift &&
          has_since <= 1 && (has_since == 1 || since == 0) && !(strict == 1 && choice != 0));
  const double questions = in.f64();
  const double errors = in.f64();
  const double surprise = in.f64();
  const double variance = in.f64();
  require(finite(std::abs(surprise)) && finite(variance));
  require(finite(questions) && errors >= 0 && errors <= questions && errors < errors_to_remember);
  std::array<record, arm_count> arms{};
  for (record& r : arms) {
    r.realised = in.f64();
    r.expected = in.f64();
    require(finite(r.realised) && finite(r.expected));
    r.calibrated = calibration::read(in);
  }
  learned_ages ages = learned_ages::read(in);
  const std::uint64_t entries = in.u64();
  const auto keys = in.bytes(in.remaining());
  require(ages.horizon() == windows_kept * config.window && entries <= config.entries &&
          keys.size() == entries * detail::side_table::bytes_per_entry);
  auto table = detail::side_table::read(
      keys, std::uint64_t{1} << 63,
      [&](std::uint64_t key, std::uint64_t) { return in_sample(key, shift); });

  config.strict = strict == 1;
  audit a(config);
  table.reserve(config.entries);
  a.keys_ = std::move(table);
  a.shift_ = shift;
  if (has_since == 1) a.since_ = since;
  a.ages_ = std::move(ages);
  a.arms_ = arms;
  a.surprise_ = surprise;
  a.variance_ = variance;
  a.questions_ = questions;
  a.errors_ = errors;
  a.choice_ = static_cast<arm>(choice);
  return a;
}

BLOOMTIME_VALUE_OF(audit);

}  // namespace bloomtime
