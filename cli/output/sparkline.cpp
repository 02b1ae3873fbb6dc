#include "cli/output/sparkline.hpp"

#include <algorithm>
#include <array>

namespace bloomtime::cli {

std::string sparkline(std::span<const std::uint64_t> counts) {
  constexpr std::array bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint64_t most = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  std::string drawn;
  for (const std::uint64_t n : counts) {
    const double share =
        static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(most, 1));
    const auto height = static_cast<std::size_t>(share * (bars.size() - 1) + 0.5);
    drawn += n == 0 ? "·" : bars[height];
  }
  return drawn;
}

}  // namespace bloomtime::cli
