#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <bloomtime/tally/any_tally.hpp>

#include "family.hpp"
#include "parameters.hpp"

namespace bloomtime::redis {

// How many are there, when items are added and removed?
struct tally_family : family_of<any_tally> {
  static inline const family_names names{"bt-taly-1", "TALLY"};
  static constexpr bool is_timed = false;
  static constexpr bool weighs_items = true;

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
};

}  // namespace bloomtime::redis
