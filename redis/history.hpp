#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/history/any_history.hpp>

#include "family.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// Was it seen between two times, and when?
struct history_family : family_of<any_history> {
  static inline const family_names names{"bt-hist-1", "HISTORY"};

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
};

}  // namespace bloomtime::redis
