#include "cli/output/report.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cli/text.hpp"

namespace bloomtime::cli {

cell text_cell(std::string text) { return {text, text}; }
cell texts_cell(const std::vector<std::string>& texts) {
  return {texts, fmt::format("{}", fmt::join(texts, " "))};
}
cell count_cell(std::uint64_t n) { return {n, count_text(n)}; }
cell bytes_cell(std::uint64_t bytes) { return {bytes, bytes_text(bytes)}; }
cell probability_cell(double p) { return {p, probability_text(p)}; }
cell nanoseconds_cell(double ns) { return {ns, nanoseconds_text(ns)}; }
cell yes_no_cell(bool yes) { return {yes, yes ? "yes" : "no"}; }
cell nothing() { return {}; }

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

table list_of(std::string key, const std::vector<list_entry>& list) {
  table t{.key = std::move(key), .columns = {}, .rows = {row{}}, .as_list = true};
  for (const list_entry& e : list) {
    t.columns.push_back({e.key, e.title});
    t.rows.front().cells.push_back(e.value);
  }
  return t;
}

}  // namespace bloomtime::cli
