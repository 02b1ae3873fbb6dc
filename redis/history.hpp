#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/history/any_history.hpp>

#include "api.hpp"
#include "arguments.hpp"
#include "call.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// Was it seen between two times, and when?
struct history_family {
  using content = any_history;

  static constexpr const char* type_name = "bt-hist-1";
  static constexpr const char* prefix = "HISTORY";
  static constexpr const char* add_name = "HISTORY.ADD";
  static constexpr const char* insert_name = "HISTORY.INSERT";
  static constexpr const char* reserve_name = "HISTORY.RESERVE";
  static constexpr const char* add_event = "history.add";
  static constexpr const char* reserve_event = "history.reserve";
  static constexpr const char* reset_event = "history.reset";
  static constexpr const char* load_event = "history.load";
  static constexpr const char* merge_event = "history.merge";
  static constexpr bool is_timed = true;
  static constexpr bool weighs_items = false;
  static constexpr bool weighs_sources = false;
  static inline rm::Type* type = nullptr;

  struct parameters : basic_parameters {
    std::optional<std::uint64_t> granularity_ms;
    std::optional<std::uint64_t> retention_ms;
    std::optional<std::uint64_t> start_ms;

    bool read_granularity(arguments& in);
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
  static double cardinality(const content& filter, instant) { return filter.cardinality(); }
  static void merge(content& sum, const content& other, double) { sum.merge(other); }
};

}  // namespace bloomtime::redis
