#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/recency/any_recency.hpp>

#include "family.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// Was it seen within the window?
struct recency_family : family_of<any_recency> {
  static inline const family_names names{"bt-recn-1", "RECENCY"};

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
};

}  // namespace bloomtime::redis
