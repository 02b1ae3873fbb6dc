#include <bloomtime/math/timing.hpp>
#include <bloomtime/published/inferential/timing_filter.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/bloom.hpp>

namespace bloomtime::published {
namespace {

constexpr std::uint32_t timers_section = 1;

timing_size size_of(const timing_config& c) {
  if (c.error.has_value() == c.memory.has_value()) {
    throw error(errc::invalid_argument,
                std::string("a timing filter is sized by error or by memory, and got ") +
                    (c.error ? "both" : "neither"));
  }
  const timing_choice choice{.k = c.k, .bits = c.bits, .sweep = c.sweep};
  if (c.error) return timing_for_error(c.window, *c.error, choice);
  if (*c.memory > detail::max_buffer_bytes) {
    throw error(errc::too_large, "a timing filter has at most " +
                                     std::to_string(detail::max_buffer_bytes) +
                                     " bytes of timers; got " + std::to_string(*c.memory));
  }
  return timing_for_memory(c.window, *c.memory * 8, choice);
}

detail::stamp_shape shape_of(const timing_size& s) {
  return {layout::flat, s.bits, s.k, s.timers, s.oldest};
}

// Whether the blocks divide the window, and sweeps reach every expired stamp before it looks new.
bool fits_together(const timing_size& s) {
  constexpr std::uint64_t most_window = std::uint64_t{1} << 40;
  if (s.window == 0 || s.window > most_window || s.block == 0 || s.block > s.window) return false;
  const std::uint64_t oldest = (s.window - 1) / s.block + 1;
  const detail::stamp_shape shape = shape_of(s);
  return s.oldest == oldest && shape.padding() == s.padding && s.sweep >= 1 &&
         s.sweep >= (shape.quota() - 1) / s.block + 1;
}

// The number of timers that sweeps still examine in the present block. The insertion that fills the
// block sweeps for the next one.
std::uint64_t due_in_block(const timing_size& s, std::uint64_t filled, std::uint64_t swept) {
  const std::uint64_t quota = shape_of(s).quota();
  const std::uint64_t left = quota - std::min(swept, quota);
  const std::uint64_t sweeps = s.block - filled - 1;
  return left / s.sweep < sweeps ? left : s.sweep * sweeps;
}

}  // namespace

timing_filter::timing_filter(const timing_config& config)
    : timing_filter(size_of(config), config.seed) {}

timing_filter::timing_filter(const timing_size& size, const hash_seed& seed) : seed_(seed) {
  check(shape_of(size));
  if (!fits_together(size)) {
    throw error(errc::invalid_argument,
                "a window of " + std::to_string(size.window) + " insertions in blocks of " +
                    std::to_string(size.block) + " and " + std::to_string(size.timers) +
                    " timers of " + std::to_string(size.bits) +
                    " bits do not fit an oldest age of " + std::to_string(size.oldest) +
                    ", a padding of " + std::to_string(size.padding) + " and a sweep of " +
                    std::to_string(size.sweep) + "; use the result of plan_timing()");
  }
  cells_ = detail::stamp_cells(shape_of(size));
  set_size(size);
}

void timing_filter::set_size(const timing_size& size) {
  size_ = size;
  cut_ = size.window - (size.oldest - 1) * size.block;
}

timing_filter::analytic timing_filter::analytic_with(const distinct_items& distinct) const {
  const double in_block = distinct(static_cast<double>(size_.block));
  return {distinct, math::touched(in_block, size_.timers, size_.k)};
}

std::optional<age_bracket> timing_filter::bracket(detail::stamp_cells::sight seen) const noexcept {
  if (cells_.empty() || seen.age > oldest_alive()) return std::nullopt;
  const math::evidence block = block_evidence(seen.age, filled_, size_.block, 1);
  return age_bracket{static_cast<std::uint64_t>(block.a),
                     static_cast<std::uint64_t>(std::max(block.a, block.e - 1))};
}

void timing_filter::clear() noexcept {
  if (cells_.empty()) return;
  cells_.clear();
  insertions_ = 0;
  filled_ = 0;
}

// The item is in no block that overlaps the window (docs/math.md, Posterior of a timing filter,
// "Expired").
math::evidence timing_filter::expired_evidence() const noexcept {
  return math::older_than(static_cast<double>(oldest_alive() * size_.block + filled_));
}

math::evidence timing_filter::census_evidence(detail::stamp_cells::sight seen) const noexcept {
  if (seen.age > oldest_alive()) return expired_evidence();
  return block_evidence(
      seen.age, filled_, size_.block,
      math::stamp_census(cells_.with_age(seen.age), cells_.at_least(seen.age), seen.count));
}

math::evidence timing_filter::analytic_evidence(detail::stamp_cells::sight seen,
                                                const analytic& likelihood) const noexcept {
  if (seen.age > oldest_alive()) return expired_evidence();
  const double each =
      seen.age != 0
          ? likelihood.block
          : math::touched(likelihood.distinct(static_cast<double>(filled_)), size_.timers, size_.k);
  return block_evidence(seen.age, filled_, size_.block, std::pow(each, seen.count));
}

double timing_filter::fill() const noexcept {
  if (cells_.empty()) return 0;
  return static_cast<double>(cells_.younger_than(oldest_alive() + 1)) /
         static_cast<double>(size_.timers);
}

double timing_filter::alive_items() const noexcept {
  if (cells_.empty()) return 0;
  return math::fill_items(cells_.younger_than(oldest_alive() + 1), size_.timers, size_.k,
                          layout::flat);
}

// In the worst case the whole block at the end of the window is alive.
double timing_filter::predicted_error(std::uint64_t items) const {
  return math::timers_error(std::min(items, size_.window) + size_.block - 1, size_.timers, size_.k);
}

double timing_filter::current_error() const { return std::pow(fill(), size_.k); }

// -- storage -----------------------------------------------------------------------------------

void timing_filter::write(detail::container_writer& out) const {
  detail::expect_not_moved_from(!cells_.empty(), "timing filter");
  out.info().seed = seed_;
  out.info().layout = static_cast<std::uint8_t>(layout::flat);
  auto& p = out.parameters();
  for (const std::uint64_t value :
       {size_.window, size_.timers, std::uint64_t{size_.bits}, std::uint64_t{size_.k}, size_.block,
        size_.sweep, insertions_, filled_, std::uint64_t{cells_.now()}, cells_.cursor(),
        cells_.swept()}) {
    p.u64(value);
  }
  out.section(timers_section, cells_.codes());
}

timing_filter timing_filter::read(const detail::container_view& view) {
  view.expect_sections(1);
  timing_filter f;
  f.seed_ = view.info().seed;
  timing_size size;
  detail::byte_reader in = view.parameters();
  size.window = in.u64();
  size.timers = in.u64();
  const std::uint64_t bits = in.u64();
  const std::uint64_t k = in.u64();
  size.block = in.u64();
  size.sweep = in.u64();
  f.insertions_ = in.u64();
  f.filled_ = in.u64();
  const std::uint64_t now = in.u64();
  const std::uint64_t cursor = in.u64();
  const std::uint64_t swept = in.u64();
  in.expect_end();
  expect(!view.info().clock && view.info().layout == static_cast<std::uint8_t>(layout::flat) &&
         bits >= 2 && bits <= 32 && k >= 1 && k <= detail::max_stamp_k && size.block != 0 &&
         size.block <= size.window && (size.window - 1) / size.block < (1ULL << bits) - 3);
  size.bits = static_cast<unsigned>(bits);
  size.k = static_cast<unsigned>(k);
  size.oldest = static_cast<std::uint32_t>((size.window - 1) / size.block + 1);
  size.padding = shape_of(size).padding();
  expect(size.timers != 0 && size.timers <= detail::max_buffer_bytes * 8 / bits &&
         fits_together(size) && f.filled_ < size.block && f.insertions_ >= f.filled_);
  f.set_size(size);
  f.cells_ = detail::stamp_cells::read(shape_of(size), view.section(timers_section), now, cursor,
                                       swept, due_in_block(size, f.filled_, swept));
  expect((f.filled_ != 0 || !f.cells_.holds(0)) &&
         (f.insertions_ != 0 || f.cells_.younger_than(detail::stamp_cells::expired) == 0));
  return f;
}

BLOOMTIME_VALUE_OF(timing_filter);

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::timing_filter>;
