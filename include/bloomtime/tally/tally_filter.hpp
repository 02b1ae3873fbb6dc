#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <variant>

#include <bloomtime/detail/bulk.hpp>
#include <bloomtime/math/rows.hpp>
#include <bloomtime/tally/detail/escaping_cells.hpp>
#include <bloomtime/tally/detail/tally_face.hpp>

namespace bloomtime {

// Size by accuracy: `items` different items at one time, and `error`, the probability that an
// absent item shows a count or a present one too much. Or by memory, with `items` if known.
struct tally_config {
  static constexpr std::uint64_t no_limit = ~std::uint64_t{0};  // for large_memory

  std::uint64_t items = 0;
  std::optional<double> error = {};
  // The most bytes of cells and large counts together, divided as math::tally_lines() says.
  std::optional<std::uint64_t> memory = {};
  std::uint64_t total = 0;  // of all counts, if known
  // 4 or 8, instead of what math::tally_cell_bits() chooses.
  std::optional<unsigned> cell_bits = {};
  // The most bytes of large counts. If it is given, `memory` is the size of the cells alone.
  std::optional<std::uint64_t> large_memory = {};
  hash_seed seed = 0;
};

// Which of an item's cells an arrival raises.
enum class tally_rule {
  all,      // all of them; items can be removed
  minimum,  // those below the new count; answers are better, but nothing can be removed
};

// Counts items that are added and removed, in fixed memory. Answers are never too low if only what
// was added is removed. An answer is too high if other items share all cells of the item.
//
// All cells of an item lie in one cache line. Small counts are stored in the cells. The high bits
// of large counts are stored in a table, so that counts are exact up to 2^64 - 1 and a frequent
// item costs a few entries instead of wider cells for all. Const members may run concurrently.
template <tally_rule Rule>
class basic_tally_filter : public detail::tally_face<basic_tally_filter<Rule>> {
  using face = detail::tally_face<basic_tally_filter<Rule>>;

 public:
  static constexpr bool removes = Rule == tally_rule::all;
  static constexpr bool one_sided = true;
  static constexpr std::string_view name = removes ? "tally_filter" : "rising_tally";
  static constexpr detail::stored_kind kind{
      family::tally, {removes ? 4 : 5}, removes ? "a tally filter" : "a rising tally", true};
  static constexpr unsigned most_k = 8;

  explicit basic_tally_filter(const tally_config& config);
  BLOOMTIME_VALUE(basic_tally_filter);

  // The value of count() without its lower bound, which takes longer to compute than it.
  template <item T>
  BLOOMTIME_PER_ISA std::uint64_t value_of(const T& x) const noexcept {
    return value_of_digest(detail::as_digest(x, this->seed()));
  }

  // Many items, one of each, in their order. The result is the same as one by one; it is faster if
  // the filter exceeds the cache. If memory runs out, the items before have been counted.
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void add_bulk(const Items& items, std::span<outcome> outcomes) {
    in_bulk(*this, items, outcomes, &basic_tally_filter::add_block);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void remove_bulk(const Items& items,
                                     std::span<outcome> outcomes) requires(removes) {
    in_bulk(*this, items, outcomes, &basic_tally_filter::remove_block);
  }
  template <std::ranges::contiguous_range Items>
  BLOOMTIME_PER_ISA void count_bulk(const Items& items, std::span<counted> answers) const {
    in_bulk(*this, items, answers, &basic_tally_filter::count_block);
  }

  // The filter of both streams. Both need the same cells, k and seed.
  void merge(const basic_tally_filter& other);
  void clear() noexcept;

  tally_statistics statistics() const;

  std::uint64_t cell(std::uint64_t i) const noexcept;
  std::uint64_t position(digest d, unsigned i) const noexcept;  // of its cells
  std::uint64_t cells() const noexcept { return lines_ * per_line(); }
  unsigned cell_bits() const noexcept { return std::holds_alternative<narrow>(cells_) ? 4 : 8; }
  unsigned k() const noexcept { return k_; }
  std::uint64_t lines() const noexcept { return lines_; }
  // Cells with an entry in the table.
  std::uint64_t large() const noexcept;
  std::uint64_t memory() const noexcept;  // bytes of cells and table
  double confidence() const noexcept { return math::rows_confidence(k_); }
  // The probability that an absent item shows a count, or a present one too much, when there are
  // `items` different ones.
  double predicted_error(std::uint64_t items) const;

 private:
  friend face;
  friend detail::stored<basic_tally_filter>;
  using narrow = detail::escaping_cells<4>;
  using wide = detail::escaping_cells<8>;

  using spots = std::array<std::uint64_t, most_k>;
  using block = detail::digest_block;

  basic_tally_filter() noexcept = default;

  unsigned per_line() const noexcept { return 512 / cell_bits(); }
  std::uint64_t line_of(digest d) const noexcept;
  // A line is divided into k parts, each with one cell of an item; this is where part i begins.
  unsigned part(unsigned i) const noexcept { return i * per_line() / k_; }
  // use(cells, k) with the kind of cells and their number known to the compiler. Throws if the
  // filter was moved from.
  template <class Self, class Use>
  static decltype(auto) dispatch(Self& self, Use&& use);
  template <unsigned k, class Cells>
  spots spots_of(const Cells& cells, digest d) const noexcept;

  template <class Self, class Items, class Answer, class Step>
  BLOOMTIME_PER_ISA static void in_bulk(Self& self, const Items& items, std::span<Answer> answers,
                                        Step step) {
    const std::span<const std::ranges::range_value_t<Items>> all(items);
    detail::expect_as_many(all.size(), answers.size());
    detail::in_blocks<1>(all, self.seed_,
                         [&](const block& now, const block& next, std::size_t first) {
                           (self.*step)(now, next, answers.subspan(first));
                         });
  }
  void add_block(const block& now, const block& next, std::span<outcome> outcomes);
  void remove_block(const block& now, const block& next, std::span<outcome> outcomes);
  void count_block(const block& now, const block& next, std::span<counted> answers) const noexcept;

  outcome add_digest(digest d, std::uint64_t amount);
  outcome remove_digest(digest d, std::uint64_t amount);
  counted count_digest(digest d) const noexcept;
  template <unsigned k, class Cells>
  outcome add_one(Cells& cells, digest d);
  template <unsigned k, class Cells>
  outcome add_alone(Cells& cells, digest d);
  template <unsigned k, class Cells>
  outcome remove_one(Cells& cells, digest d);
  template <unsigned k, class Cells>
  outcome add_amount(Cells& cells, digest d, std::uint64_t amount);
  template <class Cells>
  outcome remove_amount(Cells& cells, const spots& where, std::uint64_t amount);
  template <unsigned k, class Cells>
  counted count_in(const Cells& cells, digest d) const noexcept;
  std::uint64_t value_of_digest(digest d) const noexcept;
  template <unsigned k, class Cells>
  std::uint64_t value_in(const Cells& cells, digest d) const noexcept;
  template <unsigned k, class Cells>
  std::uint64_t lower_of(const Cells& cells, std::uint64_t line,
                         std::uint64_t value) const noexcept;
  template <class Cells>
  bool adds_up(const Cells& cells) const noexcept;

  void write(detail::container_writer& out) const;
  static basic_tally_filter read(const detail::container_view& view);
  void expect_sound() const;

  std::variant<narrow, wide> cells_;
  detail::zero_when_moved<unsigned> k_;
  detail::zero_when_moved<std::uint64_t> lines_;
  std::uint64_t most_large_ = ~std::uint64_t{0};  // entries of the table
};

extern template class basic_tally_filter<tally_rule::all>;
extern template class basic_tally_filter<tally_rule::minimum>;

using tally_filter = basic_tally_filter<tally_rule::all>;

}  // namespace bloomtime
