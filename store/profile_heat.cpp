#include "store/profile_heat.hpp"

#include <variant>

#include "text/usage_error.hpp"

namespace bloomtime::store {

any_heat profile_heat::load(std::span<const std::byte> container) {
  any_heat heat = any_heat::load(container);
  if (std::holds_alternative<heat_table>(heat.get())) return heat;
  if (std::holds_alternative<heat_filter>(heat.get())) return heat;
  text::corrupt("expected a {} or a {}, found a {}", heat_table::name, heat_filter::name,
                heat.engine());
}

any_tally profile_totals::load(std::span<const std::byte> container) {
  any_tally totals = any_tally::load(container);
  if (std::holds_alternative<tally_table>(totals.get())) return totals;
  if (std::holds_alternative<rising_tally>(totals.get())) return totals;
  text::corrupt("expected a {} or a {}, found a {}", tally_table::name, rising_tally::name,
                totals.engine());
}

}  // namespace bloomtime::store
