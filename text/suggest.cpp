#include "text/suggest.hpp"

#include <algorithm>

namespace bloomtime::text {

// Optimal string alignment: three rows of the dynamic programme are alive at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> here(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) here[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(here);
    here[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      here[j] = std::min({above[j] + 1, here[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        here[j] = std::min(here[j], two_above[j - 2] + 1);
      }
    }
  }
  return here[b.size()];
}

std::optional<std::string> nearest(std::string_view typed,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 40;  // nothing that long is a slip of the finger
  if (typed.empty() || typed.size() > longest) return std::nullopt;
  const auto begins = [&](const std::string& c) { return c.starts_with(typed); };
  if (std::count_if(candidates.begin(), candidates.end(), begins) == 1) {
    return *std::find_if(candidates.begin(), candidates.end(), begins);
  }
  std::optional<std::string> best;
  std::size_t least = 1 + std::max<std::size_t>(1, typed.size() / 3);
  for (const std::string& c : candidates) {
    if (const std::size_t distance = edit_distance(typed, c); distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& candidates) {
  const auto meant = nearest(typed, candidates);
  return meant ? " Did you mean " + *meant + "?" : "";
}

}  // namespace bloomtime::text
