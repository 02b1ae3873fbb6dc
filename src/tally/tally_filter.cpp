#include <bloomtime/tally/tally_filter.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <bloomtime/detail/probes.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/math/bloom.hpp>
#include <bloomtime/math/tally.hpp>
#include <bloomtime/tally/rising_tally.hpp>

#include "detail/refuse.hpp"
#include "math/expect.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t lines_section = 1;
constexpr std::uint32_t large_section = 2;
constexpr std::uint64_t any_number = ~std::uint64_t{0};
__extension__ using wide_sum = unsigned __int128;

using std::to_string;

void expect_memory(std::uint64_t memory) {
  if (memory >= detail::line_bytes && memory <= detail::max_buffer_bytes) return;
  throw error(memory < detail::line_bytes ? errc::invalid_argument : errc::too_large,
              "a tally's memory is 64 to " + to_string(detail::max_buffer_bytes) + " bytes; got " +
                  to_string(memory));
}

math::tally_load load_of(const tally_config& c) {
  return {.items = c.items, .total = c.total, .error = c.error, .memory = c.memory};
}

unsigned cell_bits_for(const tally_config& c) {
  if (!c.cell_bits) return math::tally_cell_bits(load_of(c));
  if (*c.cell_bits == 4 || *c.cell_bits == 8) return *c.cell_bits;
  throw error(errc::invalid_argument,
              "a tally's cells have 4 or 8 bits, got " + to_string(*c.cell_bits));
}

math::line_size size_of(const tally_config& c, unsigned cell_bits) {
  if (c.memory && c.large_memory) return math::tally_cells_in(*c.memory, c.items, cell_bits);
  const math::line_size size = math::tally_lines(load_of(c), cell_bits);
  if (size.lines <= detail::max_buffer_bytes / detail::line_bytes) return size;
  throw error(errc::too_large, "a tally may have 2^40 bytes, and " + to_string(c.items) +
                                   " items with that error need more");
}

// The entries that the table may have.
std::uint64_t most_large_of(const tally_config& c, std::uint64_t lines) {
  if (c.large_memory == tally_config::no_limit) return any_number;
  if (c.large_memory) return detail::side_table::entries_in(*c.large_memory);
  if (!c.memory) return any_number;
  return detail::side_table::entries_in(*c.memory - lines * detail::line_bytes);
}

}  // namespace

// -- making one --------------------------------------------------------------------------------

template <tally_rule Rule>
basic_tally_filter<Rule>::basic_tally_filter(const tally_config& c) : face(c.seed) {
  static_assert(most_k == math::tally_line_k);
  math::expect_one(c.error.has_value() + c.memory.has_value(),
                   "a tally needs one size, error or memory");
  if (c.memory) expect_memory(*c.memory);
  const unsigned cell_bits = cell_bits_for(c);
  const math::line_size size = size_of(c, cell_bits);
  k_ = size.k;
  lines_ = size.lines;
  most_large_ = most_large_of(c, lines_);
  if (cell_bits == 4) {
    cells_ = narrow(lines_);
  } else {
    cells_ = wide(lines_);
  }
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::line_of(digest d) const noexcept {
  return detail::reduce(d.hi, lines_);
}

template <tally_rule Rule>
template <class Self, class Use>
decltype(auto) basic_tally_filter<Rule>::dispatch(Self& self, Use&& use) {
  const auto with_k = [&](auto& cells) {
    switch (self.k_) {
      case 1: return use(cells, std::integral_constant<unsigned, 1>());
      case 2: return use(cells, std::integral_constant<unsigned, 2>());
      case 3: return use(cells, std::integral_constant<unsigned, 3>());
      case 4: return use(cells, std::integral_constant<unsigned, 4>());
      case 5: return use(cells, std::integral_constant<unsigned, 5>());
      case 6: return use(cells, std::integral_constant<unsigned, 6>());
      case 7: return use(cells, std::integral_constant<unsigned, 7>());
      case most_k: return use(cells, std::integral_constant<unsigned, most_k>());
      default: detail::refuse_moved_from(kind.called);
    }
  };
  return std::visit(with_k, self.cells_);
}

template <tally_rule Rule>
template <unsigned k, class Cells>
BLOOMTIME_INLINE typename basic_tally_filter<Rule>::spots basic_tally_filter<Rule>::spots_of(
    const Cells&, digest d) const noexcept {
  const detail::line_probes probes{lines_, k, Cells::per_line};
  const std::uint64_t first = probes.line(d) * Cells::per_line;
  spots where;
#pragma GCC unroll 8
  for (unsigned i = 0; i < k; ++i) where[i] = first + probes.in_line(d, i);
  return where;
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::position(digest d, unsigned i) const noexcept {
  if (k_ == 0) return 0;
  return detail::line_probes{lines_, k_, per_line()}.position(d, i);
}

// -- counting ----------------------------------------------------------------------------------

// Most additions change the cells of one line and nothing else. This path is kept short, so that
// the processor overlaps the cache misses of many additions; rare cases are in add_amount().
template <tally_rule Rule>
template <unsigned k, class Cells>
BLOOMTIME_INLINE outcome basic_tally_filter<Rule>::add_one(Cells& cells, digest d) {
  if constexpr (removes) {
    const detail::line_probes probes{lines_, k, Cells::per_line};
    bool alone = this->total_ != any_number;
#pragma GCC unroll 8
    for (unsigned i = 0; i < k; ++i)
      alone &= Cells::counts_up_alone(cells.code(probes.position(d, i)));
    if (alone) [[likely]] {
#pragma GCC unroll 8
      for (unsigned i = 0; i < k; ++i) cells.count_up(probes.position(d, i));
      this->total_ += 1;
      return outcome::added;
    }
  }
  return add_amount<k>(cells, d, 1);
}

template <tally_rule Rule>
template <unsigned k, class Cells>
[[gnu::noinline]] outcome basic_tally_filter<Rule>::add_amount(Cells& cells, digest d,
                                                               std::uint64_t amount) {
  const spots where = spots_of<k>(cells, d);
  if (amount == 0) return outcome::added;
  if (this->exceeds_total(amount)) return outcome::full;
  std::array<std::uint64_t, most_k> value;
  std::uint64_t least = any_number;
  for (unsigned i = 0; i < k_; ++i) {
    value[i] = cells.get(where[i]);
    least = std::min(least, value[i]);
  }
  unsigned escaping = 0;
  for (unsigned i = 0; i < k_; ++i) {
    value[i] = removes ? value[i] + amount : std::max(value[i], least + amount);
    escaping += cells.escapes(where[i], value[i]);
  }
  if (escaping > 0) {
    if (escaping > most_large_ - std::min(most_large_, cells.large().size())) return outcome::full;
    cells.reserve(escaping);  // nothing below can fail
  }
  for (unsigned i = 0; i < k_; ++i) cells.set(where[i], value[i]);
  this->total_ += amount;
  return outcome::added;
}

template <tally_rule Rule>
template <unsigned k, class Cells>
BLOOMTIME_INLINE outcome basic_tally_filter<Rule>::remove_one(Cells& cells, digest d) {
  const spots where = spots_of<k>(cells, d);
  std::array<unsigned, k> code;
  bool alone = true;
  bool absent = false;
#pragma GCC unroll 8
  for (unsigned i = 0; i < k; ++i) {
    code[i] = cells.code(where[i]);
    absent |= code[i] == 0;
    alone &= Cells::counts_down_alone(code[i]);
  }
  if (absent) return outcome::refused;
  if (!alone) return remove_amount(cells, where, 1);
#pragma GCC unroll 8
  for (unsigned i = 0; i < k; ++i) cells.set_code(where[i], code[i] - 1);
  this->total_ -= 1;
  return outcome::added;
}

template <tally_rule Rule>
template <class Cells>
outcome basic_tally_filter<Rule>::remove_amount(Cells& cells, const spots& where,
                                                std::uint64_t amount) {
  std::array<std::uint64_t, most_k> value;
  for (unsigned i = 0; i < k_; ++i) {
    value[i] = cells.get(where[i]);
    if (value[i] < amount) return outcome::refused;
  }
  for (unsigned i = 0; i < k_; ++i) cells.set(where[i], value[i] - amount);
  cells.trim();
  this->total_ -= amount;
  return outcome::added;
}

// A function for each k, so that a call saves only the registers it uses.
template <tally_rule Rule>
template <unsigned k, class Cells>
[[gnu::noinline]] outcome basic_tally_filter<Rule>::add_alone(Cells& cells, digest d) {
  return add_one<k>(cells, d);
}

template <tally_rule Rule>
outcome basic_tally_filter<Rule>::add_digest(digest d, std::uint64_t amount) {
  return dispatch(*this, [&](auto& cells, auto k) {
    if (amount == 1) return add_alone<k()>(cells, d);
    return add_amount<k()>(cells, d, amount);
  });
}

template <tally_rule Rule>
outcome basic_tally_filter<Rule>::remove_digest(digest d, std::uint64_t amount) {
  return dispatch(*this, [&](auto& cells, auto k) {
    if (amount == 1) return remove_one<k()>(cells, d);
    return remove_amount(cells, spots_of<k()>(cells, d), amount);
  });
}

// -- answers -----------------------------------------------------------------------------------

// An upper bound of the sum of the counts of a line's items. Each of the k parts of the line sums
// to it; with minimum increase all parts together do, since an addition raises the smallest cell by
// its full amount.
//
// The positions of an item in the parts of its line are independent of those of other items, so the
// bound for rows holds within the line. It is 0 for every larger mass if it is 0 for the least that
// the codes allow; only otherwise the table is read.
template <tally_rule Rule>
template <unsigned k, class Cells>
std::uint64_t basic_tally_filter<Rule>::lower_of(const Cells& cells, std::uint64_t line,
                                                 std::uint64_t value) const noexcept {
  constexpr unsigned count = removes ? Cells::per_line / k : Cells::per_line;
  constexpr unsigned row = Cells::per_line / k;
  const auto codes = cells.template codes_of<count>(line);
  const auto of_mass = [&](std::uint64_t mass) {
    return math::count_at_least(value, std::min(mass, this->total()), row);
  };
  const std::uint64_t most = of_mass(codes.least_sum());
  if (codes.escaped == 0 || most == 0) return most;
  const std::uint64_t all = cells.template sum<count>(line * Cells::per_line);
  return of_mass(all);
}

template <tally_rule Rule>
template <unsigned k, class Cells>
counted basic_tally_filter<Rule>::count_in(const Cells& cells, digest d) const noexcept {
  const std::uint64_t least = value_in<k>(cells, d);
  if (least == 0) return {};
  return {least, lower_of<k>(cells, line_of(d), least), least, false};
}

template <tally_rule Rule>
template <unsigned k, class Cells>
BLOOMTIME_INLINE std::uint64_t basic_tally_filter<Rule>::value_in(const Cells& cells,
                                                                  digest d) const noexcept {
  return cells.template least<k>(spots_of<k>(cells, d).data());
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::value_of_digest(digest d) const noexcept {
  if (k_ == 0) [[unlikely]]
    return nothing_known.value;
  return dispatch(*this, [&](const auto& cells, auto k) { return value_in<k()>(cells, d); });
}

template <tally_rule Rule>
counted basic_tally_filter<Rule>::count_digest(digest d) const noexcept {
  if (k_ == 0) [[unlikely]]
    return nothing_known;
  return dispatch(*this, [&](const auto& cells, auto k) { return count_in<k()>(cells, d); });
}

template <tally_rule Rule>
tally_statistics basic_tally_filter<Rule>::statistics() const {
  tally_statistics s;
  s.total = this->total_;
  std::array<std::uint64_t, most_k> used{};
  std::visit(
      [&]<class Cells>(const Cells& cells) {
        for (std::uint64_t line = 0; line < lines_; ++line) {
          for (unsigned i = 0; i < k_; ++i) {
            for (unsigned c = part(i); c < part(i + 1); ++c) {
              const std::uint64_t value = cells.get(line * Cells::per_line + c);
              used[i] += value != 0;
              s.largest = std::max(s.largest, value);
            }
          }
        }
      },
      cells_);
  for (unsigned i = 0; i < k_; ++i) {
    s.distinct += math::fill_items(used[i], lines_ * (part(i + 1) - part(i)), 1) / k_;
  }
  return s;
}

template <tally_rule Rule>
double basic_tally_filter<Rule>::predicted_error(std::uint64_t items) const {
  this->expect_cells();
  return math::line_cells_error(items, lines_, per_line(), k_);
}

// -- many at once ------------------------------------------------------------------------------

template <tally_rule Rule>
void basic_tally_filter<Rule>::add_block(const block& now, const block& next,
                                         std::span<outcome> outcomes) {
  dispatch(*this, [&](auto& cells, auto k) {
    for (std::size_t i = 0; i < next.count; ++i) cells.prefetch_write(line_of(next[i]));
    for (std::size_t i = 0; i < now.count; ++i)
      outcomes[i] = this->noted(add_one<k()>(cells, now[i]));
  });
}

template <tally_rule Rule>
void basic_tally_filter<Rule>::remove_block(const block& now, const block& next,
                                            std::span<outcome> outcomes) {
  dispatch(*this, [&](auto& cells, auto k) {
    for (std::size_t i = 0; i < next.count; ++i) cells.prefetch_write(line_of(next[i]));
    for (std::size_t i = 0; i < now.count; ++i)
      outcomes[i] = this->noted(remove_one<k()>(cells, now[i]));
  });
}

template <tally_rule Rule>
void basic_tally_filter<Rule>::count_block(const block& now, const block& next,
                                           std::span<counted> answers) const noexcept {
  if (k_ == 0) [[unlikely]] {
    std::fill_n(answers.begin(), now.count, nothing_known);
    return;
  }
  dispatch(*this, [&](const auto& cells, auto k) {
    for (std::size_t i = 0; i < next.count; ++i) cells.prefetch_read(line_of(next[i]));
    for (std::size_t i = 0; i < now.count; ++i) answers[i] = count_in<k()>(cells, now[i]);
  });
}

// -- sets of filters ---------------------------------------------------------------------------

template <tally_rule Rule>
void basic_tally_filter<Rule>::merge(const basic_tally_filter& other) {
  this->expect_cells();
  if (cells_.index() != other.cells_.index() || lines_ != other.lines_ || k_ != other.k_ ||
      this->seed_ != other.seed_) {
    const auto describe = [](const basic_tally_filter& f) {
      return to_string(f.cells()) + " cells of " + to_string(f.cell_bits()) + " bits, k " +
             to_string(f.k_) + ", seed " + to_string(f.seed_);
    };
    this->refuse_merge(describe(*this), describe(other));
  }
  this->expect_sum_fits(other);
  auto sum = cells_;
  std::visit(
      [&]<class Cells>(Cells& cells) {
        const Cells& theirs = std::get<Cells>(other.cells_);
        for (std::uint64_t c = 0; c < cells.size(); ++c) {
          const std::uint64_t more = theirs.get(c);
          if (more == 0) continue;
          const std::uint64_t value = cells.get(c) + more;
          if (cells.escapes(c, value)) {
            if (cells.large().size() >= most_large_) {
              throw error(errc::too_large, "both filters together have more than " +
                                               to_string(most_large_) +
                                               " large counts, which is this one's limit");
            }
            cells.reserve(1);
          }
          cells.set(c, value);
        }
      },
      sum);
  cells_ = std::move(sum);
  this->total_ += other.total();
}

template <tally_rule Rule>
void basic_tally_filter<Rule>::clear() noexcept {
  std::visit([](auto& cells) { cells.clear(); }, cells_);
  this->total_ = 0;
}

// -- storage -----------------------------------------------------------------------------------

template <tally_rule Rule>
void basic_tally_filter<Rule>::write(detail::container_writer& out) const {
  this->write_head(out, layout::line);
  for (const std::uint64_t p :
       {std::uint64_t{cell_bits()}, std::uint64_t{k_}, lines(), this->total(), most_large_}) {
    out.parameters().u64(p);
  }
  std::visit(
      [&](const auto& cells) {
        out.section(lines_section, cells.storage().bytes());
        out.section(large_section, cells.large().written());
      },
      cells_);
}

template <tally_rule Rule>
basic_tally_filter<Rule> basic_tally_filter<Rule>::read(const detail::container_view& view) {
  view.expect_sections(2);
  detail::byte_reader in = view.parameters();
  const std::uint64_t bits = in.u64();
  const std::uint64_t k = in.u64();
  const std::uint64_t lines = in.u64();
  const std::uint64_t total = in.u64();
  const std::uint64_t most_large = in.u64();
  in.expect_end();
  if ((bits != 4 && bits != 8) || k < 1 || k > most_k || lines < 1 ||
      lines > detail::max_buffer_bytes / detail::line_bytes) {
    face::contradict();
  }
  basic_tally_filter stored;
  stored.read_head(view, layout::line);
  stored.k_ = static_cast<unsigned>(k);
  stored.lines_ = lines;
  stored.total_ = total;
  stored.most_large_ = most_large;
  if (bits == 8) stored.cells_ = wide();
  // Every entry of the table must belong to a cell that is marked.
  const auto read_cells = [&]<class Cells>(Cells& cells) {
    const auto bytes = view.section(lines_section, lines * detail::line_bytes);
    cells = Cells(detail::buffer::borrow(bytes, nullptr), {});
    const auto valid = [&](std::uint64_t c, std::uint64_t high) {
      return cells.code(c) >= Cells::escape && high >= 2 && high <= any_number >> Cells::low_bits;
    };
    auto large = detail::side_table::read(view.section(large_section), cells.size(), valid);
    cells = Cells(detail::buffer::borrow(bytes, nullptr), std::move(large));
  };
  std::visit(read_cells, stored.cells_);
  if (stored.large() > most_large) face::contradict();
  return stored;
}

// All parts of a line have the same sum, and all lines together sum to the total; with minimum
// increase, to at most the total.
template <tally_rule Rule>
template <class Cells>
bool basic_tally_filter<Rule>::adds_up(const Cells& cells) const noexcept {
  std::array<wide_sum, most_k> sums{};
  for (std::uint64_t line = 0; line < lines_; ++line) {
    for (unsigned i = 0; i < k_; ++i) {
      wide_sum mass = 0;
      for (unsigned c = part(i); c < part(i + 1); ++c) {
        mass += cells.get(line * Cells::per_line + c);
      }
      sums[i] += mass;
      if (removes && sums[i] != sums[0]) return false;
    }
  }
  return std::all_of(sums.begin(), sums.begin() + k_, [&](wide_sum sum) {
    return removes ? sum == this->total() : sum <= this->total();
  });
}

// Every entry belongs to a marked cell, so equal numbers mean that every marked cell has an entry.
template <tally_rule Rule>
void basic_tally_filter<Rule>::expect_sound() const {
  std::visit(
      [&]<class Cells>(const Cells& cells) {
        std::uint64_t escaped = 0;
        for (std::uint64_t c = 0; c < cells.size(); ++c) escaped += cells.code(c) >= Cells::escape;
        if (escaped != cells.large().size() || !adds_up(cells)) face::contradict();
      },
      cells_);
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::cell(std::uint64_t i) const noexcept {
  return std::visit([&](const auto& cells) { return cells.get(i); }, cells_);
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::large() const noexcept {
  return std::visit([](const auto& cells) { return cells.large().size(); }, cells_);
}

template <tally_rule Rule>
std::uint64_t basic_tally_filter<Rule>::memory() const noexcept {
  return std::visit([](const auto& cells) { return cells.memory(); }, cells_);
}

BLOOMTIME_VALUE_OF_TEMPLATE(template <tally_rule Rule>, basic_tally_filter,
                            basic_tally_filter<Rule>);

template class basic_tally_filter<tally_rule::all>;
template class basic_tally_filter<tally_rule::minimum>;
template class detail::stored<tally_filter>;
template class detail::stored<rising_tally>;

}  // namespace bloomtime
