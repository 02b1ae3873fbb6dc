#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/heat/any_listed_heat.hpp>

#include "api.hpp"
#include "arguments.hpp"
#include "call.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// How hot is it, and what is hot? Or, with a window, how many hits did it have?
struct heat_family {
  using content = any_listed_heat;

  static constexpr const char* type_name = "bt-heat-1";
  static constexpr const char* prefix = "HEAT";
  static constexpr const char* add_name = "HEAT.ADD";
  static constexpr const char* insert_name = "HEAT.INSERT";
  static constexpr const char* reserve_name = "HEAT.RESERVE";
  static constexpr const char* add_event = "heat.add";
  static constexpr const char* reserve_event = "heat.reserve";
  static constexpr const char* reset_event = "heat.reset";
  static constexpr const char* load_event = "heat.load";
  static constexpr const char* merge_event = "heat.merge";
  static constexpr bool is_timed = true;
  static constexpr bool weighs_items = true;
  static constexpr bool weighs_sources = true;
  static inline rm::Type* type = nullptr;

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
