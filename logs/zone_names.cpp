#include "logs/zone_names.hpp"

#include <algorithm>
#include <array>

namespace bloomtime::logs {
namespace {

struct named_zone {
  std::string_view name;
  std::int32_t minutes;  // east of UTC
};

constexpr std::int32_t several = 1 << 20;  // offsets

// The abbreviations that the IANA time zone database uses today, and common ones of Java for zones
// that have none there; sorted. Those of RFC 5322 (4.3) have its meaning, except CST and CDT, which
// China and Cuba use too. GST is used in the Gulf and in the Atlantic, IST in India, Ireland and
// Israel, and MSK was +0400 from 2011 to 2014.
constexpr std::array zones{
    named_zone{"ACDT", 630},    named_zone{"ACST", 570},    named_zone{"ADT", -180},
    named_zone{"AEDT", 660},    named_zone{"AEST", 600},    named_zone{"AKDT", -480},
    named_zone{"AKST", -540},   named_zone{"ART", -180},    named_zone{"AST", -240},
    named_zone{"AWST", 480},    named_zone{"BRST", -120},   named_zone{"BRT", -180},
    named_zone{"BST", 60},      named_zone{"CAT", 120},     named_zone{"CDT", several},
    named_zone{"CEST", 120},    named_zone{"CET", 60},      named_zone{"COT", -300},
    named_zone{"CST", several}, named_zone{"EAT", 180},     named_zone{"EDT", -240},
    named_zone{"EEST", 180},    named_zone{"EET", 120},     named_zone{"EST", -300},
    named_zone{"GMT", 0},       named_zone{"GST", several}, named_zone{"HDT", -540},
    named_zone{"HKT", 480},     named_zone{"HST", -600},    named_zone{"ICT", 420},
    named_zone{"IDT", 180},     named_zone{"IRST", 210},    named_zone{"IST", several},
    named_zone{"JST", 540},     named_zone{"KST", 540},     named_zone{"MDT", -360},
    named_zone{"MSK", several}, named_zone{"MST", -420},    named_zone{"MYT", 480},
    named_zone{"NDT", -150},    named_zone{"NPT", 345},     named_zone{"NST", -210},
    named_zone{"NZDT", 780},    named_zone{"NZST", 720},    named_zone{"PDT", -420},
    named_zone{"PET", -300},    named_zone{"PHT", 480},     named_zone{"PKT", 300},
    named_zone{"PST", -480},    named_zone{"SAST", 120},    named_zone{"SGT", 480},
    named_zone{"SST", -660},    named_zone{"TRT", 180},     named_zone{"UT", 0},
    named_zone{"UTC", 0},       named_zone{"WAT", 60},      named_zone{"WEST", 60},
    named_zone{"WET", 0},       named_zone{"WIB", 420},     named_zone{"WIT", 540},
    named_zone{"WITA", 480},    named_zone{"Z", 0},
};

const named_zone* zone_called(std::string_view name) noexcept {
  const auto* const found =
      std::lower_bound(zones.begin(), zones.end(), name,
                       [](const named_zone& z, std::string_view n) { return z.name < n; });
  return found != zones.end() && found->name == name ? found : nullptr;
}

}  // namespace

bool is_zone_name(std::string_view name) noexcept { return zone_called(name) != nullptr; }

std::optional<std::int32_t> offset_of_zone(std::string_view name) noexcept {
  const named_zone* const found = zone_called(name);
  if (found == nullptr || found->minutes == several) return std::nullopt;
  return 60 * found->minutes;
}

}  // namespace bloomtime::logs
