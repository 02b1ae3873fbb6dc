#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/tally/any_tally.hpp>

#include "api.hpp"
#include "arguments.hpp"
#include "call.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// How many are there, when items are added and removed?
struct tally_family {
  using content = any_tally;

  static constexpr const char* type_name = "bt-taly-1";
  static constexpr const char* prefix = "TALLY";
  static constexpr const char* add_name = "TALLY.ADD";
  static constexpr const char* insert_name = "TALLY.INSERT";
  static constexpr const char* reserve_name = "TALLY.RESERVE";
  static constexpr const char* add_event = "tally.add";
  static constexpr const char* reserve_event = "tally.reserve";
  static constexpr const char* reset_event = "tally.reset";
  static constexpr const char* load_event = "tally.load";
  static constexpr const char* merge_event = "tally.merge";
  static constexpr bool is_timed = false;
  static constexpr bool weighs_items = true;
  static constexpr bool weighs_sources = false;
  static inline rm::Type* type = nullptr;

  struct parameters : basic_parameters {
    bool non_scaling = false;
    std::optional<std::uint64_t> expansion;
    std::optional<std::uint64_t> max_count;

    bool read_option(arguments& in);
    void expect_same(const content& filter) const { expect_basic(filter); }
    void resolve() { resolve_basic(content::engines().front()); }
    void write_options(canonical_form& form) const;
    content make() const;
  };

  static std::uint64_t growth(const content& filter, const additions& items, std::uint64_t memory);
  static void record(content& filter, const additions& items, std::span<const digest> digests,
                     instant when);
  static void reply(const call& c, const content& filter, std::size_t count, instant when);
  static double cardinality(const content& filter, instant) { return filter.cardinality(); }
  static void merge(content& sum, const content& other, double) { sum.merge(other); }
};

}  // namespace bloomtime::redis
