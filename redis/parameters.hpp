#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arguments.hpp"
#include "call.hpp"

namespace bloomtime::redis {

// What a client may say about a filter of any family.
struct basic_parameters {
  std::optional<double> error;
  std::optional<std::uint64_t> capacity;
  std::optional<std::uint64_t> seed;
  std::string_view engine;  // as it was typed, or a name of the library's

  bool read_size(arguments& in);   // ERROR or CAPACITY, which RESERVE has without these words
  bool read_basic(arguments& in);  // SEED or ENGINE
  void resolve_basic(std::string_view default_engine);
  void write_size(canonical_form& form) const;
  void write_basic(canonical_form& form) const;

  // Throws if an existing filter has another seed or engine.
  template <class Filter>
  void expect_basic(const Filter& filter) const {
    if (seed && *seed != filter.seed().value()) fail("bad seed: the key has another one");
    if (!engine.empty() && engine != filter.engine()) fail("bad engine: the key has another one");
  }
};

// A write, after its key: what INSERT and ADD may say besides parameters.
struct write_request {
  std::optional<std::uint64_t> time_ms;
  bool create = true;

  bool read_time(call& c);  // TIMESTAMP
};

// The items of a write, each alone or with a number after it.
struct additions {
  std::span<rm::String* const> words;  // as they were sent
  bool weighted = false;

  std::size_t step() const noexcept { return weighted ? 2 : 1; }
  std::size_t size() const noexcept { return words.size() / step(); }
  std::string_view text(std::size_t i) const { return text_of(words[i * step()]); }
  std::string_view weight(std::size_t i) const { return text_of(words[i * step() + 1]); }
};

}  // namespace bloomtime::redis
