#include "profile/comparing.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <bloomtime/math/binomial.hpp>

#include "profile/past.hpp"

namespace bloomtime::profile {
namespace {

using identity = std::pair<std::uint64_t, std::uint64_t>;

identity identity_of(digest d) { return {d.lo, d.hi}; }

// P(at least `there` of all hits fall into a period of this share) if their rates are equal.
double tail(std::uint64_t there, std::uint64_t elsewhere, double share) {
  return math::binomial_upper_tail(there + elsewhere, there, share);
}

// The change of one item, with its p_value as if it were the only one.
std::optional<std::pair<change, double>> change_of(const compared_item& i, double share) {
  const double up = tail(i.after.lower, i.before.upper, share);
  const double down = tail(i.before.lower, i.after.upper, 1 - share);
  if (i.before.upper == 0 && i.after.lower > 0) return {{change::fresh, up}};
  if (i.after.upper == 0 && i.before.lower > 0) return {{change::gone, down}};
  if (up == down) return std::nullopt;
  return up < down ? std::pair(change::hotter, up) : std::pair(change::cooler, down);
}

counted exactly(std::uint64_t n) { return {n, n, n, false}; }

// The digest of an item of one store in the other; nothing if only the beginning of its name is
// known and the seeds differ.
std::optional<digest> digest_in(const field_profile& other, const field_profile& own,
                                const kept_name& name) {
  if (own.heat.seed() == other.heat.seed()) return name.id;
  if (name.cut) return std::nullopt;
  return digest_of(name.item, other.heat.seed());
}

}  // namespace

comparable totals_of(const field_profile& before, const field_profile& after) {
  comparable all{.different = before.different() + after.different(),
                 .most_before = before.totals->unlisted(),
                 .most_after = after.totals->unlisted(),
                 .error = 2 - before.totals->confidence() - after.totals->confidence()};
  std::map<identity, bool> known;  // by the digest in `after`
  for (kept_name& name : kept_names_of(after)) {
    known.emplace(identity_of(name.id), true);
    const auto there = digest_in(before, after, name);
    all.unmatched += !there;
    if (!there) continue;
    all.items.push_back(
        {std::move(name.item), name.cut, before.totals->at(*there), after.totals->at(name.id)});
  }
  for (kept_name& name : kept_names_of(before)) {
    const auto there = digest_in(after, before, name);
    all.unmatched += !there;
    if (!there || known.contains(identity_of(*there))) continue;
    all.items.push_back(
        {std::move(name.item), name.cut, before.totals->at(name.id), after.totals->at(*there)});
  }
  return all;
}

comparable ticks_of(const field_profile& field, interval before, interval after) {
  const history& past = *field.past;
  comparable all{.different = field.different(),
                 .error = wrong_ticks(past, before) + wrong_ticks(past, after)};
  for (kept_name& name : kept_names_of(field)) {
    all.items.push_back({std::move(name.item), name.cut,
                         exactly(count_ticks(past.when(name.id, before))),
                         exactly(count_ticks(past.when(name.id, after)))});
  }
  return all;
}

std::vector<changed_item> changes(const comparable& field, const exposure& periods, double error) {
  const double share = periods.after / (periods.before + periods.after);
  const double tests = 2 * static_cast<double>(std::max<std::uint64_t>(1, field.different));
  std::vector<changed_item> found;
  for (const compared_item& i : field.items) {
    const auto changed = change_of(i, share);
    if (!changed) continue;
    const auto [what, alone] = *changed;
    const double p_value = std::min(1.0, tests * alone);
    const bool certain = what == change::fresh || what == change::gone;
    if (certain || p_value <= error) found.push_back({i, what, p_value});
  }
  const auto hits = [](const changed_item& i) { return i.before.value + i.after.value; };
  std::stable_sort(found.begin(), found.end(), [&](const changed_item& a, const changed_item& b) {
    return std::tuple(a.what, a.p_value, hits(b)) < std::tuple(b.what, b.p_value, hits(a));
  });
  return found;
}

}  // namespace bloomtime::profile
