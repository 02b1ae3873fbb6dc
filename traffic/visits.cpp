#include "traffic/visits.hpp"

#include <algorithm>

#include <bloomtime/digest.hpp>

#include "traffic/rhythm.hpp"

namespace bloomtime::traffic {
namespace {

constexpr std::uint64_t seconds_between_pages = 30;
constexpr std::uint64_t pages_of_people = 6;  // on average
constexpr std::uint64_t pages_of_crawlers = 200;
constexpr std::uint64_t most_sessions = 1 << 16;
constexpr std::uint64_t seconds_between_crowds = 7200;
constexpr std::uint64_t seconds_of_crowd = 600;

item_law law_of(const visits_config& config) {
  expect_valid(config.when);
  expect_valid_items(config.clients);
  return item_law(config.clients);
}

}  // namespace

visits::visits(const visits_config& config, std::uint64_t seed)
    : random_(seed),
      clients_(law_of(config)),
      popularity_(pages, 1),
      when_(config.when),
      left_(config.records),
      end_weight_(weight_before(static_cast<std::uint64_t>(when_.start) + when_.seconds)) {}

std::optional<visit> visits::operator()() {
  if (left_ == 0) return std::nullopt;
  while (in_this_second_ == 0) begin_second();
  --in_this_second_;
  --left_;
  visit now = look_around();
  now.second = when_.start + static_cast<std::int64_t>(passed_) - 1;
  return now;
}

// Spreads the remaining records over the remaining weight, so that crowds and randomness change the
// times of records, not their number.
void visits::begin_second() {
  change_crowd();
  const std::uint64_t now = static_cast<std::uint64_t>(when_.start) + passed_;
  const std::uint64_t weight_left = end_weight_ - weight_before(now);
  const wide share = wide{left_} * weight_at(now);
  ++passed_;
  const std::uint64_t calm = rounded_by_chance(share * seconds_between_pages, weight_left, random_);
  sessions_wanted_ = std::clamp<std::uint64_t>(calm, 1, most_sessions);
  while (sessions_.size() < sessions_wanted_) sessions_.push_back(new_session());
  constexpr std::uint64_t unit = 1024;
  const std::uint64_t mood = (unit / 2 + random_.below(unit)) * (crowded_page_ == no_page ? 1 : 3);
  const std::uint64_t drawn = rounded_by_chance(share * mood / unit, weight_left, random_);
  in_this_second_ = passed_ == when_.seconds ? left_ : std::min(drawn, left_);
}

void visits::change_crowd() {
  if (crowded_page_ == no_page) {
    if (one_in(seconds_between_crowds, random_)) {
      crowded_page_ = static_cast<std::uint32_t>(random_.below(pages));
    }
  } else if (one_in(seconds_of_crowd, random_)) {
    crowded_page_ = no_page;
  }
}

visits::session visits::new_session() {
  const item_number client = clients_(random_);
  return {client, is_crawler(client)};
}

visit visits::look_around() {
  if (assets_left_ != 0) {
    visit part = view_;
    part.page = asset_of(view_.page, --assets_left_);
    part.referer = view_.page;
    part.status = one_in(3, random_) ? 304 : 200;
    part.bytes = part.status == 304 ? 0 : bytes_of(part.page);
    return part;
  }
  const std::size_t which = random_.below(sessions_.size());
  session& who = sessions_[which];
  view_ = {.client = who.client, .page = next_page(who)};
  view_.referer = who.crawler ? no_page : who.last_page;
  view_.status = status_of(view_.page);
  view_.bytes = view_.status == 200 ? bytes_of(view_.page) : 512;
  if (!who.crawler && view_.status == 200) {
    assets_left_ = static_cast<std::uint32_t>(random_.below(4));
  }
  who.last_page = view_.page;
  if (one_in(who.crawler ? pages_of_crawlers : pages_of_people, random_)) {
    who = new_session();
    if (sessions_.size() > sessions_wanted_) {
      // Another session ends in its place: crawlers stay long, and would be the only ones left in
      // the evening.
      sessions_[random_.below(sessions_.size())] = sessions_.back();
      sessions_.pop_back();
    }
  }
  return view_;
}

std::uint32_t visits::next_page(const session& who) {
  if (who.crawler) {
    if (who.last_page == no_page) return robots_txt;
    if (who.last_page == robots_txt) return static_cast<std::uint32_t>(random_.below(pages));
    return (who.last_page + 1) % pages;
  }
  if (crowded_page_ != no_page && one_in(2, random_)) return crowded_page_;
  return static_cast<std::uint32_t>(popularity_(random_) - 1);
}

std::uint16_t visits::status_of(std::uint32_t page) {
  if (is_missing(page)) return 404;
  if (one_in(2000, random_)) return 500;
  return one_in(100, random_) ? 301 : 200;
}

visit visit_of(const event& seen) {
  const std::uint64_t chance =
      detail::mix(static_cast<std::uint64_t>(seen.second) ^ std::uint64_t{seen.item} << 32);
  const auto page = static_cast<std::uint32_t>(chance % pages);
  return {.second = seen.second, .client = seen.item, .page = page, .bytes = bytes_of(page)};
}

}  // namespace bloomtime::traffic
