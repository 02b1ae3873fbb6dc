#include "profile/merging.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "profile/profiler.hpp"
#include "store/ledger.hpp"
#include "store/log_zone.hpp"
#include "store/web_totals.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::profile {
namespace {

using stores = std::vector<merged_store>;

const store::facts& facts_of(const merged_store& s) { return s.parts.about().read; }

void expect_same(const merged_store& a, const merged_store& b, std::string_view what,
                 const std::string& in_a, const std::string& in_b) {
  if (in_a == in_b) return;
  text::refuse("{} and {} cannot be merged: {} is {} in the first and {} in the second", a.name,
               b.name, what, in_a, in_b);
}

std::string pseudonyms_text(const store::facts& read) {
  return read.pseudonyms ? "that of check " + read.pseudonyms->check : "none";
}

std::string keep_text(const store::facts& read) {
  return read.keep.count() == 0 ? "all" : text::span_text(read.keep);
}

std::string roles_text(const merged_store& s) {
  std::vector<std::string> roles;
  for (const store::part& p : s.parts.about().containers) {
    if (p.role != store::web_role) roles.push_back(text::shown(p.role));
  }
  std::sort(roles.begin(), roles.end());
  return fmt::format("{}", fmt::join(roles, ", "));
}

std::optional<store::ledger> ledger_of(const merged_store& s) {
  if (!s.parts.has(store::ledger_role)) return std::nullopt;
  return store::load_part<store::ledger>(s.parts.container(store::ledger_role));
}

std::string limit_text(std::uint64_t bytes) {
  return bytes == 0 ? "none" : fmt::format("{} bytes", bytes);
}

void expect_settings(const merged_store& a, const merged_store& b) {
  const auto of_a = ledger_of(a);
  const auto of_b = ledger_of(b);
  if (!of_a || !of_b) return;
  const store::profile_settings& mine = of_a->settings;
  const store::profile_settings& other = of_b->settings;
  expect_same(a, b, "the half-life", text::span_text(mine.half_life),
              text::span_text(other.half_life));
  expect_same(a, b, "the resolution", text::span_text(mine.resolution),
              text::span_text(other.resolution));
  expect_same(a, b, "the memory limit", limit_text(mine.memory), limit_text(other.memory));
}

void expect_mergeable(const merged_store& a, const merged_store& b) {
  expect_same(a, b, "the list of items", fmt::format("{}", fmt::join(facts_of(a).items, " and ")),
              fmt::format("{}", fmt::join(facts_of(b).items, " and ")));
  expect_settings(a, b);
  expect_same(a, b, "the key of pseudonyms", pseudonyms_text(facts_of(a)),
              pseudonyms_text(facts_of(b)));
  expect_same(a, b, "the history that is kept (--keep)", keep_text(facts_of(a)),
              keep_text(facts_of(b)));
  expect_same(a, b, "the list of containers", roles_text(a), roles_text(b));
}

// -- what was read -------------------------------------------------------------------------------

template <class Choose>
std::optional<instant> chosen(const std::optional<instant>& a, const std::optional<instant>& b,
                              Choose choose) {
  return a && b ? std::optional(choose(*a, *b)) : a ? a : b;
}

void add(store::facts& into, const merged_store& from) {
  const store::facts& more = facts_of(from);
  if (!into.last_event || (more.last_event && *into.last_event < *more.last_event)) {
    into.zone = more.zone;
  }
  into.records += more.records;
  into.bad_lines += more.bad_lines;
  into.first_event = chosen(into.first_event, more.first_event,
                            [](instant a, instant b) { return std::min(a, b); });
  into.last_event =
      chosen(into.last_event, more.last_event, [](instant a, instant b) { return std::max(a, b); });
  const auto ledger = ledger_of(from);
  const store::offset_spans offsets =
      store::offsets_of(more, ledger ? ledger->held : std::vector<logs::held_event>());
  for (const store::offset_span& s : offsets.spans()) into.offsets->add(s);
  if (more.sources) {
    into.sources->insert(into.sources->end(), more.sources->begin(), more.sources->end());
  }
}

// -- containers ----------------------------------------------------------------------------------

any_filter filter_of(const merged_store& s, const std::string& role) {
  const store::part_bytes file = s.parts.container(role);
  try {
    return load_any(file->bytes());
  } catch (const error& e) {
    if (e.code() != errc::unknown_kind) throw;
    text::refuse("{} has a container {}, which cannot be merged", s.name, text::shown(role));
  }
}

void put_merged(const stores& from, const std::string& role, store::writer& into) {
  any_filter all = filter_of(from.front(), role);
  for (std::size_t i = 1; i < from.size(); ++i) {
    try {
      merge(all, filter_of(from[i], role));
    } catch (const error& e) {
      text::throw_error(e.code(), "{} and {} cannot be merged, because of {}: {}",
                        from.front().name, from[i].name, text::shown(role), e.what());
    }
  }
  std::visit([&](const auto& filter) { into.put(role, filter); }, all);
}

// Logs other than those of web servers have none.
void put_web(const stores& from, store::writer& into) {
  store::web_totals all;
  for (const merged_store& s : from) {
    if (!s.parts.has(store::web_role)) continue;
    all.merge(store::load_part<store::web_totals>(s.parts.container(store::web_role)));
  }
  if (all.records() != 0) into.put(store::web_role, all.serialize());
}

// Returns the events that wait in any of them.
std::vector<logs::held_event> put_ledger(const stores& from, store::writer& into) {
  std::optional<store::ledger> all;
  for (const merged_store& s : from) {
    store::ledger more = *ledger_of(s);
    if (!all) {
      all = std::move(more);
      continue;
    }
    for (std::size_t i = 0; i < all->fields.size(); ++i) {
      all->fields[i].distinct.merge(more.fields.at(i).distinct);
      all->fields[i].bytes += more.fields.at(i).bytes;
    }
    all->held.insert(all->held.end(), more.held.begin(), more.held.end());
  }
  std::vector<logs::held_event> held = std::move(all->held);
  all->held.clear();
  into.put(store::ledger_role, all->serialize());
  return held;
}

// The events that waited are judged anew, by the time of all stores.
void add_held(std::vector<logs::held_event> held, store::writer& into) {
  if (held.empty()) return;
  std::stable_sort(held.begin(), held.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  profiler all = profiler::load(into, into.about(), profiler::wanted::everything);
  for (const logs::held_event& h : held) {
    std::vector<std::string_view> items;
    std::vector<char> present;
    for (const auto& item : h.items) {
      items.push_back(item ? std::string_view(*item) : std::string_view());
      present.push_back(item.has_value());
    }
    logs::event e;
    e.raw.text = h.line;
    e.items = items;
    e.present = present;
    e.at = h.at;
    if (h.web) e.web = h.web->facts();
    all.add(
        e, [&](instant t) { into.count(t); },
        [&](const logs::held_event&) { ++into.about().bad_lines; });
  }
  all.save(into);
}

}  // namespace

void merge(any_filter& into, const any_filter& other) {
  std::visit(
      [&]<class Filter>(Filter& mine) {
        const Filter* const same = std::get_if<Filter>(&other);
        if (same == nullptr) {
          text::throw_error(errc::incompatible, "filters of different kinds cannot be merged");
        }
        if constexpr (requires { mine.merge(*same); }) {
          mine.merge(*same);
        } else {
          text::throw_error(errc::incompatible, "filters of this kind cannot be merged");
        }
      },
      into);
}

void merge(const stores& from, store::writer& into) {
  for (const merged_store& s : from) expect_mergeable(from.front(), s);
  store::facts& read = into.about();
  read.items = facts_of(from.front()).items;
  read.pseudonyms = facts_of(from.front()).pseudonyms;
  read.keep = facts_of(from.front()).keep;
  for (const merged_store& s : from) {
    add(read, s);
    into.add(s.parts.totals());
  }
  store::keep_newest(*read.sources);
  for (const store::part& p : from.front().parts.about().containers) {
    if (p.role != store::ledger_role && p.role != store::web_role) put_merged(from, p.role, into);
  }
  put_web(from, into);
  if (from.front().parts.has(store::ledger_role)) add_held(put_ledger(from, into), into);
}

}  // namespace bloomtime::profile
