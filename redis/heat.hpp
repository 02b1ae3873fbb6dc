#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/heat/any_listed_heat.hpp>

#include "family.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// How hot is it, and what is hot? Or, with a window, how many hits did it have?
struct heat_family : family_of<any_listed_heat> {
  static inline const family_names names{"bt-heat-1", "HEAT"};
  static constexpr bool weighs_items = true;
  static constexpr bool weighs_sources = true;

  struct parameters : basic_parameters {
    std::optional<std::uint64_t> half_life_ms;
    std::optional<std::uint64_t> window_ms;
    std::optional<std::uint64_t> slots;
    std::optional<std::uint64_t> top;

    bool read_decay(arguments& in);  // HALFLIFE
    bool read_option(arguments& in);
    void expect_same(const content& filter) const;
    void resolve();
    void write_options(canonical_form& form) const;
    content make() const;
  };

  static std::uint64_t growth(const content& filter, const additions& items, std::uint64_t memory);
  static std::uint64_t time_of(const write_request& asked, const content& filter);
  static void record(content& filter, const additions& items, std::span<const digest> digests,
                     instant when);
  static void reply(const call& c, const content& filter, std::size_t count, instant when);
  static double cardinality(const content& filter, instant) { return filter.heat().cardinality(); }
  static void merge(content& sum, const content& other, double weight) { sum.merge(other, weight); }
};

}  // namespace bloomtime::redis
