#include <bloomtime/history/sightings.hpp>

#include <algorithm>

namespace bloomtime {

std::vector<std::uint64_t> histogram(const sightings& seen, interval within, std::size_t parts) {
  std::vector<std::uint64_t> counts(parts, 0);
  if (within.empty() || parts == 0) return counts;
  const auto offset = [&](tick t) {
    return static_cast<std::uint64_t>(t.number) - static_cast<std::uint64_t>(within.first.number);
  };
  const std::uint64_t last = offset(within.last);
  if (parts == 1) {  // which may have 2^64 ticks
    const std::vector<std::uint64_t> halves = histogram(seen, within, 2);
    return {halves[0] + halves[1]};
  }
  const std::uint64_t part = last / parts + 1;  // ticks, so that `parts` of them reach the end
  for (const interval& i : seen) {
    if (i.last < within.first || i.first > within.last) continue;
    std::uint64_t from = offset(std::max(i.first, within.first));
    const std::uint64_t to = offset(std::min(i.last, within.last));
    while (from <= to) {
      const std::uint64_t end = std::min(to, from / part * part + (part - 1));
      counts[from / part] += end - from + 1;
      from = end + 1;
      if (from == 0) break;
    }
  }
  return counts;
}

void extend(sightings& seen, interval more) {
  if (!seen.empty() &&
      (more.first <= seen.back().last || more.first.number - 1 == seen.back().last.number)) {
    if (more.last > seen.back().last) seen.back().last = more.last;
  } else {
    seen.push_back(more);
  }
}

std::uint64_t count_ticks(const sightings& seen) noexcept {
  std::uint64_t ticks = 0;
  for (const interval& i : seen) {
    ticks +=
        static_cast<std::uint64_t>(i.last.number) - static_cast<std::uint64_t>(i.first.number) + 1;
  }
  return ticks;
}

}  // namespace bloomtime
