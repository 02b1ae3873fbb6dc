#include <string_view>

#include <fmt/format.h>

#include "cli/output/render.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

struct field_text {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return in_tsv(text); }
  std::string operator()(const std::vector<std::string>& texts) const {
    return in_tsv(fmt::format("{}", fmt::join(texts, " ")));
  }
  std::string operator()(const std::vector<std::uint64_t>& numbers) const {
    return fmt::format("{}", fmt::join(numbers, " "));
  }
  template <class Number>
  std::string operator()(Number x) const {
    return fmt::format("{}", x);
  }
};

template <class Text>
void add_line(std::string& out, const table& what, Text text_of) {
  bool first = true;
  for (std::size_t c = 0; c < what.columns.size(); ++c) {
    if (what.columns[c].readers == audience::people) continue;
    if (!first) out += '\t';
    out += text_of(c);
    first = false;
  }
  out += '\n';
}

}  // namespace

std::string render_tsv(const report& what) {
  std::string out;
  for (const table& t : what.tables) {
    if (!out.empty()) out += '\n';
    add_line(out, t, [&](std::size_t c) { return t.columns[c].key; });
    for (const row& r : t.rows) {
      add_line(out, t, [&](std::size_t c) { return std::visit(field_text{}, r.cells[c].data); });
    }
  }
  return out;
}

}  // namespace bloomtime::cli
