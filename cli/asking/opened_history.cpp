#include "cli/asking/opened_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <bloomtime/history/detail/timelines.hpp>

#include "cli/asking/field_choice.hpp"
#include "cli/asking/opened_profile.hpp"
#include "profile/past.hpp"
#include "store/ledger.hpp"
#include "store/reader.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

std::optional<instant> opened_history::first() const {
  std::optional<instant> earliest = read.first_event;
  for (const held_event& e : gate.held()) {
    if (!earliest || e.at < *earliest) earliest = e.at;
  }
  return earliest;
}

double opened_history::error(interval asked) const {
  double expected = 0;
  past.for_each([&](const timeline_history& part) {
    const auto begin = static_cast<std::int64_t>(part.first());
    const std::int64_t end = begin + static_cast<std::int64_t>(part.ticks()) - 1;
    const std::int64_t from = std::max(begin, asked.first.number);
    const std::int64_t to = std::min(end, asked.last.number);
    if (from > to) return;
    expected +=
        part.current_error(static_cast<std::uint64_t>(to - from) + 1) +
        std::ldexp(static_cast<double>(part.items()), -static_cast<int>(detail::timeline_key_bits));
  });
  return std::min(expected, 1.0);
}

opened_history open_history(const std::string& directory, const std::string& field) {
  const store::reader from(directory);
  expect_profile(from.about(), directory);
  const store::facts& read = from.about().read;
  const std::size_t number = chosen_field(read.items, field);
  const std::string role = store::history_role(read.items[number]);
  if (!from.has(role)) {
    throw usage_error(
        fmt::format("the store {} has no history: it was begun by a bloomtime that kept none. "
                    "bloomtime profile with another --store makes one that has",
                    directory));
  }
  store::ledger kept = store::load_part<store::ledger>(from.container(store::ledger_role));
  opened_history opened{read,
                        zone_of(read, kept.held, tick_clock(kept.settings.resolution)),
                        read.items[number],
                        store::load_part<history>(from.container(role)),
                        {read.last_event, std::move(kept.held)}};
  for (const held_event& e : opened.gate.held()) {
    const std::optional<std::string>& item = e.items.at(number);
    if (!item) continue;
    const digest d = digest_of(*item, opened.past.seed());
    remember(opened.past, {&d, 1}, {&e.at, 1});
  }
  return opened;
}

}  // namespace bloomtime::cli
