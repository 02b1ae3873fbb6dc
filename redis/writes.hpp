#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

#include "call.hpp"
#include "followers.hpp"
#include "parameters.hpp"
#include "value.hpp"
#include "write_target.hpp"

// ADD, MADD and INSERT of all families. A Family also has
//
//   // How many bytes it may need for these items, if it has `memory` at most.
//   static std::uint64_t growth(const content&, const additions&, std::uint64_t memory);
//   // If it is timed: the time of a write. Throws if nothing can be recorded then.
//   static std::uint64_t time_of(const write_request&, const content&);
//   // Adds all items, or throws and has added none.
//   static void record(content&, const additions&, std::span<const digest>, instant);
//   // What the last record() of so many items has found, as an array.
//   static void reply(const call&, const content&, std::size_t count, instant);
namespace bloomtime::redis {

// act(filter), which may fail half way, unless all of it `fits`. Then it is tried with a copy.
template <class Filter, class Act>
void all_or_nothing(Filter& filter, bool fits, const Act& act) {
  if (fits) return act(filter);
  Filter tried(filter);
  act(tried);
  filter = std::move(tried);
}

// Sends what was added now. ADD or INSERT with its time, or, if the key was made for it, INSERT
// with all parameters.
template <class Family>
void replicate_items(const call& c, const write_target<Family>& target,
                     const typename Family::parameters& given, std::optional<std::uint64_t> time_ms,
                     const additions& items) {
  rm::String* const timestamp = lasting_word(word::timestamp);
  if (target.created() || items.weighted) {
    canonical_form form(c.context());
    form.add(target.name());
    if (target.created()) {
      given.write_size(form);
      given.write_options(form);
    }
    if (time_ms) form.add(timestamp).add(time_word(*time_ms));
    if (items.weighted) form.add("WEIGHTED");
    form.add(lasting_word(word::items)).add(items.words).send(Family::names.insert);
  } else if (items.size() == 1) {
    rm::Replicate(c.context(), Family::names.add.c_str(), "ssss", target.name(), items.words[0],
                  timestamp, time_word(*time_ms));
  } else {
    rm::Replicate(c.context(), Family::names.insert.c_str(), "ssssv", target.name(), timestamp,
                  time_word(*time_ms), lasting_word(word::items), items.words.data(),
                  items.words.size());
  }
}

// Throws if the items might take the key beyond the limit. Replayed commands may.
template <class Family>
void expect_room(const call& c, const write_target<Family>& target, const additions& items) {
  const auto growth = [&](std::uint64_t memory) {
    return Family::growth(target.filter(), items, memory);
  };
  if (target.get().has_room(configured().max_object_bytes, growth) || c.is_replayed()) return;
  fail("operation exceeds memory limit");
}

// Adds the items, at this time if the family is timed. `verbatim`: the command said its time.
template <class Family>
void write_at(const call& c, write_target<Family>& target, const typename Family::parameters& given,
              const additions& items, std::optional<std::uint64_t> time_ms, bool verbatim) {
  auto& filter = target.filter();
  expect_room(c, target, items);
  Family::record(filter, items, digests_of(filter, items.words, items.step()),
                 from_ms(time_ms.value_or(0)));
  target.commit(c, Family::names.add_event);
  // What nobody gets need not have its time; a created key has its random seed whoever listens.
  if (!target.created() && (verbatim || !has_followers(c.context()))) {
    return c.replicate_verbatim();
  }
  replicate_items(c, target, given, time_ms, items);
}

// Returns the time that they got.
template <class Family>
instant write_items(const call& c, write_target<Family>& target,
                    const typename Family::parameters& given, const write_request& asked,
                    const additions& items) {
  std::optional<std::uint64_t> time_ms;
  if constexpr (Family::is_timed) time_ms = Family::time_of(asked, target.filter());
  write_at(c, target, given, items, time_ms, asked.time_ms || !Family::is_timed);
  return from_ms(time_ms.value_or(0));
}

template <class Family>
void write_and_reply(const call& c, rm::String* name, typename Family::parameters& given,
                     const write_request& asked, const additions& items) {
  write_target<Family> target(c, name, given, asked.create);
  const instant when = write_items(c, target, given, asked, items);
  Family::reply(c, target.filter(), items.size(), when);
}

// MADD, and INCRBY, which is weighted.
template <class Family, bool Weighted = false>
void add_many(call& c) {
  rm::String* const name = c.in.string();
  typename Family::parameters given;
  write_and_reply<Family>(c, name, given, {}, {c.in.items(Weighted ? 2 : 1), Weighted});
}

template <class Family>
void insert(call& c) {
  rm::String* const name = c.in.string();
  typename Family::parameters given;
  write_request asked;
  bool weighted = false;
  while (!c.in.option("ITEMS")) {
    if (!c.in.more()) throw wrong_arity();
    if (given.read_size(c.in) || given.read_option(c.in)) continue;
    if (Family::is_timed && asked.read_time(c)) continue;
    if (c.in.option("NOCREATE")) {
      asked.create = false;
    } else if (Family::weighs_items && c.in.option("WEIGHTED")) {
      weighted = true;
    } else {
      c.in.unknown();
    }
  }
  write_and_reply<Family>(c, name, given, asked, {c.in.items(weighted ? 2 : 1), weighted});
}

// The time of a write: TIMESTAMP, or now. If the server's clock is behind the newest event, because
// it was set back or that event was ahead, now is the time of that event.
template <class Filter>
std::uint64_t time_of_write(const write_request& asked, const Filter& filter) {
  if (asked.time_ms) return *asked.time_ms;
  const std::uint64_t now = now_ms();
  const auto newest = filter.newest();
  if (!newest || *newest <= from_ms(now) || *newest > from_ms(latest_time_ms)) return now;
  return static_cast<std::uint64_t>(newest->micros) / 1000;
}

}  // namespace bloomtime::redis
