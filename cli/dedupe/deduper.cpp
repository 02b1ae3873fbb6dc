#include "cli/dedupe/deduper.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "store/seed.hpp"

namespace bloomtime::cli {
namespace {

bool is_doubted(std::optional<instant> clock, instant at) {
  return !clock || logs::time_gate::is_far(*clock, at);
}

constexpr std::uint64_t least_between_errors = 16;  // lines
constexpr std::uint64_t most_when_overloaded = 4096;
constexpr double tolerated = 1.25;  // times the error that was asked for; the filter is measured

std::string text_of(digest key) {
  std::string bytes(sizeof key, '\0');
  std::memcpy(bytes.data(), &key.lo, sizeof key.lo);
  std::memcpy(bytes.data() + sizeof key.lo, &key.hi, sizeof key.hi);
  return bytes;
}

digest digest_in(const std::string& bytes) {
  digest key{};
  std::memcpy(&key.lo, bytes.data(), sizeof key.lo);
  std::memcpy(&key.hi, bytes.data() + sizeof key.lo, sizeof key.hi);
  return key;
}

bool is_overloaded(const any_recency& filter) {
  const auto* const old = std::get_if<age_partitioned_filter>(&filter.get());
  return old != nullptr && old->overloaded();
}

bool within(instant a, instant b, std::chrono::microseconds window) {
  return logs::micros_between(std::min(a, b), std::max(a, b)) <=
         static_cast<std::uint64_t>(window.count());
}

}  // namespace

deduper::deduper(const dedupe_settings& settings, any_recency filter)
    : settings_(settings), filter_(std::move(filter)), suppressed_(settings.most_counted_keys()) {}

deduper::deduper(const dedupe_settings& settings)
    : deduper(settings, any_recency(recency_table(settings.filter()))) {}

deduper deduper::fresh(dedupe_settings settings) {
  if (!settings.seed) settings.seed = store::random_seed();
  return deduper(settings);
}

// Lines whose time is believed are judged together, as far as they go.
void deduper::judge(std::span<const judged_line> lines, instant now,
                    std::span<line_verdict> verdicts) {
  const bool stamped = settings_.time == time_source::lines;
  // A clock that is set back would make all of them too late to be remembered.
  const instant newest = filter_.newest().value_or(now);
  times_.clear();
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!stamped) {
      times_.push_back(std::max(lines[i].at, newest));
      continue;
    }
    const instant clock = clock_at(lines[i].at);
    const bool late = lines[i].at < clock;
    const bool aside = late && settings_.late != late_policy::now;
    counts_.late += late;
    const bool believed = gate_.passes(lines[i].at);
    if (believed && !aside) {
      times_.push_back(clock);
      continue;
    }
    judge_alike(lines.subspan(first, i - first), times_, now, verdicts.subspan(first, i - first));
    times_.clear();
    first = i + 1;
    if (aside && !believed) ask_gate(lines[i].at, {});
    const bool drop = aside ? settings_.late == late_policy::drop : judge_doubted(lines[i], clock);
    settle(lines[i], drop, gate_.clock().value_or(lines[i].at), verdicts[i]);
  }
  judge_alike(lines.subspan(first), times_, now, verdicts.subspan(first));
  const losses& lost = filter_.losses();
  counts_.forgotten = forgotten_before_ + lost.full + lost.forgot_early -
                      (counts_.crowded_out - crowded_out_before_);
}

// A few at a time: the error that a line meets is asked for between them.
void deduper::judge_alike(std::span<const judged_line> lines, std::span<const instant> times,
                          instant now, std::span<line_verdict> verdicts) {
  const auto at_once = static_cast<std::size_t>(
      std::clamp<std::uint64_t>(settings_.expect / 64, least_between_errors, 256));
  for (std::size_t first = 0; first < lines.size(); first += at_once) {
    const std::size_t size = std::min(at_once, lines.size() - first);
    judge_some(lines.subspan(first, size), times.subspan(first, size), now,
               verdicts.subspan(first, size));
  }
}

void deduper::judge_some(std::span<const judged_line> lines, std::span<const instant> times,
                         instant now, std::span<line_verdict> verdicts) {
  if (counts_.passed + counts_.dropped >= error_due_) refresh_error();
  keys_.clear();
  for (const judged_line& line : lines) keys_.push_back(line.key);
  answers_.resize(lines.size());
  const bool timed = settings_.time != time_source::none;
  if (settings_.costs) {
    for (std::size_t i = 0; i < lines.size(); ++i) answers_[i] = judge_costs(lines[i], times[i]);
  } else {
    filter_.add_if_new_bulk(keys_, timed ? times : std::span<const instant>(), answers_);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool drop = !answers_[i].fresh || crowds_out(answers_[i].became);
    settle(lines[i], drop, timed ? times[i] : now, verdicts[i]);
  }
  const std::uint64_t judged = counts_.passed + counts_.dropped;
  if (is_overloaded(filter_)) error_due_ = std::min(error_due_, judged + most_when_overloaded);
}

// Whether a new line that became this is to be dropped.
bool deduper::crowds_out(outcome became) noexcept {
  const bool drop = became == outcome::full && settings_.when_full == full_policy::drop;
  counts_.crowded_out += drop;
  return drop;
}

// -- minimum penalty -----------------------------------------------------------------------------

// Of all lines judged so far, without those that were dropped wrongly; one of each kind to begin
// with.
double deduper::duplicate_share() const noexcept {
  const auto dropped = static_cast<double>(counts_.dropped - counts_.crowded_out);
  return (std::max(0., dropped - counts_.wrong) + 1) /
         (static_cast<double>(counts_.dropped + counts_.passed) + 2);
}

// A "no" is certain and needs no weighing. Before the filter is asked a line is a duplicate with
// the share that duplicates had, of one at any time of the window.
bool deduper::seems_seen(const judged_line& line, instant at) {
  const digest key = line.key;
  const bool seen = filter_.seen(key, at);
  if (!settings_.costs) return seen;
  mistakes_ += expected_mistakes(seen);
  if (!seen) return false;
  const double share = duplicate_share();
  const auto window = static_cast<double>(filter_.window());
  const auto prior = [&](double age) { return share * std::min(1., age / window); };
  math::penalties costs = *settings_.costs;
  costs.false_positive = line.loss.value_or(costs.false_positive);
  return ask_engine(filter_, [&](const auto& engine) {
    const bool drop = engine.decide(key, at, prior, costs);
    weigh(1 - engine.posterior(key, at, prior), drop);
    return drop;
  });
}

// Posteriors tell which seen lines are likely to be new, and the error of the filter how many: what
// was dropped has its share of the mistakes. The posteriors alone would trust a prior that counts
// wrong drops as duplicates.
void deduper::weigh(double doubt, bool drop) noexcept {
  constexpr double least = 1e-12;  // so that lines without a doubt have the same share
  doubts_ += std::max(doubt, least);
  if (drop) doubts_dropped_ += std::max(doubt, least);
  const double lost = mistakes_ * doubts_dropped_ / doubts_;
  counts_.wrong = std::max(0., counts_.wrong + lost - lost_);
  lost_ = lost;
}

novelty deduper::judge_costs(const judged_line& line, instant at) {
  const bool drop = seems_seen(line, at);
  return {!drop, !drop || settings_.refresh ? filter_.add(line.key, at) : outcome::added};
}

// -- times that are doubted ----------------------------------------------------------------------

// Time does not go back for a line at `at`, neither behind what is believed nor behind lines that
// wait; but for those that lie so far ahead of it that they may be wrong.
instant deduper::clock_at(instant at) const noexcept {
  instant clock = std::max(at, gate_.clock().value_or(at));
  for (const logs::held_event& e : gate_.held()) {
    if (!logs::time_gate::is_far(at, e.at)) clock = std::max(clock, e.at);
  }
  return clock;
}

// A line far ahead is judged by its own time, and waits in the gate, where those after it see it;
// once it is believed the filter knows it as well.
bool deduper::judge_doubted(const judged_line& line, instant at) {
  const digest key = line.key;
  const std::string text = text_of(key);
  const auto same = [&](const logs::held_event& e) {
    return e.line == text && within(e.at, at, settings_.window);
  };
  const bool drop =
      std::any_of(gate_.held().begin(), gate_.held().end(), same) || seems_seen(line, at);
  const bool remembered = !drop || settings_.refresh;
  const bool believed = !is_doubted(gate_.clock(), at);
  const bool no_room = remembered && believed && crowds_out(filter_.add(key, at));
  ask_gate(at, remembered && !no_room ? text : std::string());
  return drop || no_room;
}

void deduper::ask_gate(instant at, std::string remembered) {
  const auto clock = gate_.clock();
  auto verdict = gate_.judge({.at = at, .items = {}, .line = std::move(remembered)});
  std::sort(verdict.believed.begin(), verdict.believed.end(),
            [](const logs::held_event& a, const logs::held_event& b) { return a.at < b.at; });
  for (const logs::held_event& e : verdict.believed) {
    if (!e.line.empty() && is_doubted(clock, e.at)) filter_.add(digest_in(e.line), e.at);
  }
}

// -- lines that were not written -----------------------------------------------------------------

void deduper::take_back(std::span<const judged_line> lines, std::span<const line_verdict> verdicts,
                        std::uint64_t unjudged) {
  counts_.unjudged -= unjudged;
  // Those that have left the window pass anyway.
  const instant now = filter_.newest().value_or(instant{});
  std::erase_if(unwritten_, [&](digest key) {
    const std::string text = text_of(key);
    const auto& held = gate_.held();
    return !filter_.seen(key, now) &&
           std::none_of(held.begin(), held.end(),
                        [&](const logs::held_event& e) { return e.line == text; });
  });
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (verdicts[i].drop) continue;
    --counts_.passed;
    unwritten_.push_back(lines[i].key);
    if (verdicts[i].suppressed != 0) suppressed_.add(lines[i].key, verdicts[i].suppressed);
  }
  std::sort(unwritten_.begin(), unwritten_.end(), is_before);
  unwritten_.erase(std::unique(unwritten_.begin(), unwritten_.end()), unwritten_.end());
}

bool deduper::take_unwritten(digest key) {
  const auto found = std::lower_bound(unwritten_.begin(), unwritten_.end(), key, is_before);
  if (found == unwritten_.end() || *found != key) return false;
  unwritten_.erase(found);
  return true;
}

// -- counts --------------------------------------------------------------------------------------

// New lines that the filter takes for seen ones, for each line that it is asked about. A new line
// is taken for seen with probability p, so n lines that are not imply n p / (1 - p) that are. If p
// is large hardly any line tells, and the share of new lines is taken to be what it was so far.
double deduper::expected_mistakes(bool seen) const noexcept {
  if (error_now_ >= 0.5) return error_now_ * (1 - duplicate_share());
  return seen ? 0 : error_now_ / (1 - error_now_);
}

void deduper::settle(const judged_line& line, bool drop, instant minute, line_verdict& verdict) {
  verdict = {};
  if (!unwritten_.empty() && take_unwritten(line.key) && drop) {
    drop = false;
    const bool doubted = settings_.time == time_source::lines && !gate_.clock();
    if (!doubted) filter_.add(line.key, minute);
  }
  if (!settings_.costs) counts_.wrong += expected_mistakes(drop);
  verdict.drop = drop;
  if (drop) {
    ++counts_.dropped;
    most_drops_ = std::max(most_drops_, drops_.add(minute));
    drops_.keep_newest(days_of_drops);
    if (settings_.count) suppressed_.add(line.key);
    return;
  }
  ++counts_.passed;
  if (settings_.count) verdict.suppressed = suppressed_.take(line.key);
}

double deduper::current_error() const {
  return ask_engine(filter_, [](const auto& engine) { return engine.current_error(); });
}

void deduper::refresh_error() {
  constexpr double nearly_all = 0.999999;
  const double before = std::exchange(error_now_, std::min(nearly_all, current_error()));
  overloaded_ = overloaded_ || error_now_ > tolerated * settings_.error;
  error_due_ = 0;
  if (std::holds_alternative<recency_table>(filter_.get())) return;
  // It takes as long as many lines do, and so waits twice as long where it hardly changes.
  std::uint64_t often = std::max(least_between_errors, settings_.expect / 64);
  if (is_overloaded(filter_)) often = std::min(often, most_when_overloaded);
  const bool steady = std::abs(error_now_ - before) <= 0.02 * before;
  between_errors_ =
      steady ? std::min(2 * between_errors_, std::max(often, most_when_overloaded)) : often;
  between_errors_ = std::max(between_errors_, often);
  error_due_ = counts_.passed + counts_.dropped + between_errors_;
}

}  // namespace bloomtime::cli
