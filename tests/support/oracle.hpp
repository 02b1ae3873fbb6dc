#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <bloomtime/any.hpp>

#include "support/files.hpp"

// The shape of every oracle test. A twin owns a filter and an exact structure, hands every
// operation to both, and its check() compares all that the filter promises. Operations draw their
// arguments from rapidcheck, so a failing walk shrinks to a short one.
namespace bloomtime::oracle {

template <class Twin>
struct operation {
  const char* name;
  std::size_t weight;
  void (*run)(Twin&);
};

template <class Twin>
void random_walk(Twin& twin, std::span<const operation<Twin>> operations) {
  std::vector<std::size_t> choices;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    choices.insert(choices.end(), operations[i].weight, i);
  }
  twin.check();
  for (const std::size_t i :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::elementOf(choices))) {
    RC_LOG() << operations[i].name << '\n';
    operations[i].run(twin);
    twin.check();
  }
}

// Compared as a whole: a failure should not print thousands of bytes.
template <class Filter>
bool identical(const Filter& one, const Filter& other) {
  return one.serialize() == other.serialize();
}

// Ways to get a second filter out of one. Each has to give the same bytes.

template <class Filter>
Filter same(const Filter& original, Filter replica) {
  RC_ASSERT(identical(replica, original));
  return replica;
}

template <class Filter>
Filter copied(const Filter& f) {
  Filter copy = f;
  return same(f, std::move(copy));
}

// Also over an older value, which has to disappear without a trace.
template <class Filter>
Filter assigned(const Filter& f, Filter older) {
  Filter moved_over = older;
  older = f;
  moved_over = Filter(f);
  RC_ASSERT(identical(moved_over, older));
  return same(f, std::move(older));
}

template <class Filter>
Filter reloaded(const Filter& f) {
  const std::vector<std::byte> bytes = f.serialize();
  RC_ASSERT(identical(std::get<Filter>(load_any(bytes)), f));
  return same(f, Filter::load(bytes));
}

template <class Filter>
Filter remapped(const Filter& f) {
  const support::temporary_directory directory;
  f.save(directory / "filter");
  RC_ASSERT(identical(Filter::load(directory / "filter"), f));
  const auto mapped = Filter::map(directory / "filter");
  mapped.verify();
  return same(f, Filter(*mapped));
}

}  // namespace bloomtime::oracle
