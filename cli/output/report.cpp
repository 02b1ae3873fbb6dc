#include "cli/output/report.hpp"

#include <fmt/format.h>

#include "text/number.hpp"

namespace bloomtime::cli {

using namespace text;

cell text_cell(std::string text) { return {text, text}; }
cell texts_cell(const std::vector<std::string>& texts) {
  return {texts, fmt::format("{}", fmt::join(texts, " "))};
}
cell count_cell(std::uint64_t n) { return {n, count_text(n)}; }
cell bytes_cell(std::uint64_t bytes) { return {bytes, bytes_text(bytes)}; }
cell chance_cell(double p) { return {p, chance_text(p)}; }
cell nanoseconds_cell(double ns) { return {ns, nanoseconds_text(ns)}; }
cell yes_no_cell(bool yes) { return {yes, yes ? "yes" : "no"}; }
cell nothing() { return {}; }

}  // namespace bloomtime::cli
