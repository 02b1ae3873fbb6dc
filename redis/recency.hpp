#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/recency/any_recency.hpp>

#include "api.hpp"
#include "arguments.hpp"
#include "call.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// Was it seen within the window?
struct recency_family {
  using content = any_recency;

  static constexpr const char* type_name = "bt-recn-1";
  static constexpr const char* prefix = "RECENCY";
  static constexpr const char* add_name = "RECENCY.ADD";
  static constexpr const char* insert_name = "RECENCY.INSERT";
  static constexpr const char* reserve_name = "RECENCY.RESERVE";
  static constexpr const char* add_event = "recency.add";
  static constexpr const char* reserve_event = "recency.reserve";
  static constexpr const char* reset_event = "recency.reset";
  static constexpr const char* load_event = "recency.load";
  static constexpr const char* merge_event = "recency.merge";
  static constexpr bool is_timed = true;
  static constexpr bool weighs_items = false;
  static constexpr bool weighs_sources = false;
  static inline rm::Type* type = nullptr;

  struct parameters : basic_parameters {
    std::optional<std::uint64_t> window_ms;
    std::optional<std::uint64_t> last;
    std::optional<std::uint64_t> slices;
    bool no_refresh = false;

    bool read_window(arguments& in);  // WINDOW or LAST
    bool read_option(arguments& in);  // these and all others that RESERVE has
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
  static double cardinality(const content& filter, instant now);
  static void merge(content& sum, const content& other, double) { sum.merge(other); }
};

}  // namespace bloomtime::redis
