#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "call.hpp"

namespace bloomtime::redis {

// What a client may say about a filter of any family.
struct basic_parameters {
  std::optional<double> error;
  std::optional<std::uint64_t> capacity;
  std::optional<std::uint64_t> seed;
  std::string engine;

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
  bool weighted = false;

  bool read_time(call& c);  // TIMESTAMP
};

}  // namespace bloomtime::redis
