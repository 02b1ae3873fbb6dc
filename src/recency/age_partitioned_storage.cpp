#include <bloomtime/recency/age_partitioned_filter.hpp>

#include <string>
#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/layout.hpp>

namespace bloomtime {
namespace {

constexpr std::uint8_t own_bits_engine = 6;
constexpr std::uint8_t shared_bits_engine = 4;

// Follow the parameters if any of them is set: duplicates do not renew their item; ends were
// raised, and the first tick before follows.
constexpr std::uint64_t no_refresh = 1;
constexpr std::uint64_t raised = 2;

constexpr std::uint32_t bits_section = 1;
constexpr std::uint32_t ends_section = 2;
constexpr std::uint32_t counts_section = 3;

// Beyond what any stream reaches, so that nothing overflows.
constexpr std::uint64_t most_insertions = std::uint64_t{1} << 62;

}  // namespace

void age_partitioned_filter::write(detail::container_writer& out) const {
  detail::expect_not_moved_from(bits_.size() != 0, "age-partitioned filter");
  out.info().engine = own_bits_ ? own_bits_engine : shared_bits_engine;
  out.info().layout = static_cast<std::uint8_t>(layout::line);
  out.info().seed = seed_;
  if (timed_) out.info().clock = clock_;
  auto& p = out.parameters();
  for (const std::uint64_t value : {std::uint64_t{k_}, generations_, quota_, bands_, lines_,
                                    window_, items_, insertions_, current_, in_current_, oldest_}) {
    p.u64(value);
  }
  p.i64(newest_);
  p.i64(crowded_);
  if (own_bits_) p.i64(overloaded_);
  const bool was_raised = crowded() && since_ != not_raised;
  const std::uint64_t flags = (refresh_ ? 0 : no_refresh) | (was_raised ? raised : 0);
  if (flags != 0) p.u64(flags);
  if (was_raised) p.i64(since_);
  detail::byte_writer ends;
  detail::byte_writer counts;
  for (const std::int64_t end : ends_) ends.i64(end);
  for (const std::uint64_t count : counts_) counts.u64(count);
  out.section(bits_section, bits_.bytes());
  out.section(ends_section, std::move(ends).written());
  if (own_bits_) out.section(counts_section, std::move(counts).written());
}

void age_partitioned_filter::read_parameters(const detail::container_view& view) {
  const detail::container_info& info = view.info();
  expect(info.layout == static_cast<std::uint8_t>(layout::line));
  timed_ = info.clock.has_value();
  own_bits_ = info.engine == own_bits_engine;
  if (timed_) clock_ = *info.clock;
  seed_ = info.seed;
  detail::byte_reader in = view.parameters();
  const std::uint64_t k = in.u64();
  expect(k >= 1 && k <= math::most_age_k);
  k_ = static_cast<unsigned>(k);
  for (std::uint64_t* value : {&generations_, &quota_, &bands_, &lines_, &window_, &items_,
                               &insertions_, &current_, &in_current_, &oldest_}) {
    *value = in.u64();
    expect(*value < most_insertions);
  }
  newest_ = in.i64();
  crowded_ = in.i64();
  overloaded_ = own_bits_ ? in.i64() : crowded_;
  const bool flagged = in.remaining() != 0;
  const std::uint64_t flags = flagged ? in.u64() : 0;
  expect(flags <= (no_refresh | raised) && flagged == (flags != 0));
  refresh_ = (flags & no_refresh) == 0;
  if ((flags & raised) != 0) since_ = in.i64();
  in.expect_end();
  expect(generations_ >= 1 && generations_ <= math::most_generations &&
         bands_ == math::bands_for(k_, generations_) && quota_ >= 1 && items_ >= 1 && window_ >= 1);
  expect(lines_ >= 1 && lines_ <= detail::max_buffer_bytes / detail::line_bytes / bands_);
  if (timed_) {
    const auto resolution = static_cast<std::uint64_t>(clock_.resolution().count());
    const std::uint64_t ticks = (window_ - 1) / resolution + 1;
    expect(clock_.origin() == instant{} && resolution <= window_ && ticks < generations_);
    ticks_ = static_cast<std::int64_t>(ticks);
  } else {
    expect(items_ == window_ && (window_ - 1) / quota_ < generations_);
  }
  place_ = current_ / per_band % bands_;
  choose_stride();
}

// What insertions and questions rely on.
void age_partitioned_filter::expect_state() const {
  expect(current_ >= k_ - 1 && oldest_ >= k_ - 1 && oldest_ <= current_ + 1);
  expect(lowest_slice(oldest_) / per_band + bands_ > current_ / per_band);
  expect(in_current_ <= insertions_);
  for (const std::int64_t tick : {crowded_, overloaded_}) {
    expect(tick == never || (timed_ && insertions_ != 0 && tick <= newest_));
  }
  for (const std::uint64_t count : counts_) expect(count <= insertions_);
  if (insertions_ == 0) {
    expect(current_ == k_ - 1 && oldest_ == current_ && newest_ == 0 &&
           detail::all_zero(bits_.bytes()));
  } else {
    expect(in_current_ != 0);
  }
  if (timed_) {
    for (std::uint64_t g = oldest_; g < current_; ++g) expect(end_of(g) <= end_of(g + 1));
    const bool any = insertions_ != 0 && oldest_ <= current_;
    expect(!any || (end_of(oldest_) >= window_begin(newest_) && end_of(current_) <= newest_));
    expect(since_ == not_raised || (crowded() && since_ <= window_begin(end_of(oldest_))));
  } else {
    expect(since_ == not_raised);
    const std::uint64_t opened = current_ + 1 - k_;
    expect(newest_ == 0 && in_current_ <= quota_ && opened <= insertions_ / quota_ &&
           insertions_ == opened * quota_ + in_current_);
    expect(oldest_ == k_ - 1 + (opened > generations_ ? opened - generations_ : 0));
  }
  // Slices that are not open yet.
  for (std::uint64_t s = current_ + 1; s % per_band != 0; ++s) {
    expect(ones_[place_ * per_band + s % per_band] == 0);
  }
}

void age_partitioned_filter::count_ones() noexcept {
  for (std::uint64_t word = 0; word < bits_.size() / 8; ++word) {
    const std::uint64_t place = word / per_band / lines_;
    ones_[place * per_band + word % per_band] += static_cast<unsigned>(
        std::popcount(detail::load_le64(bits_.data() + 8 * static_cast<std::size_t>(word))));
  }
}

// Older files have none: they take what is late as if nothing had come yet.
void age_partitioned_filter::read_counts(const detail::container_view& view) {
  counts_.assign(ends_.size(), 0);
  if (!own_bits_) return;
  detail::byte_reader in(view.section(counts_section, 8 * counts_.size()));
  for (std::uint64_t& count : counts_) count = in.u64();
}

age_partitioned_filter age_partitioned_filter::read(const detail::container_view& view) {
  view.expect_sections(view.info().engine == shared_bits_engine ? 2 : 3);
  age_partitioned_filter f;
  f.read_parameters(view);
  const auto bits = view.section(bits_section, f.bands_ * f.lines_ * detail::line_bytes);
  const std::uint64_t slices = f.bands_ * per_band;
  detail::byte_reader ends(view.section(ends_section, f.timed_ ? 8 * slices : 0));
  f.bits_ = detail::buffer::copy_of(bits);
  f.ones_.resize(slices);
  f.count_ones();
  f.ends_.resize(f.timed_ ? slices : 0);
  for (std::int64_t& end : f.ends_) end = ends.i64();
  f.read_counts(view);
  f.expect_state();
  return f;
}

template class detail::stored<age_partitioned_filter>;

}  // namespace bloomtime
