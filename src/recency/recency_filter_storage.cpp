#include <bloomtime/recency/recency_filter.hpp>

#include <utility>

#include <bloomtime/detail/moved.hpp>
#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

constexpr std::uint32_t timers_section = 1;
constexpr std::uint32_t arrivals_section = 2;
constexpr std::uint32_t audit_section = 3;

constexpr std::uint64_t no_bound = ~std::uint64_t{0};

}  // namespace

void recency_filter::write(detail::container_writer& out) const {
  detail::expect_not_moved_from(!cells_.empty(), "recency filter");
  out.info().layout = static_cast<std::uint8_t>(size_.layout);
  out.info().seed = seed_;
  if (timed_) out.info().clock = clock_;
  auto& p = out.parameters();
  p.u64(window_);
  p.u64(static_cast<std::uint64_t>(clock_.resolution().count()));
  p.u64(size_.bits);
  p.u64(size_.k);
  p.u64(size_.cells);
  p.u64(items_);
  p.u64((refresh_ ? 1 : 0) | (started_ ? 2 : 0) | (audit_ ? 4 : 0));
  p.u64(ahead_.value_or(no_bound));
  p.u64(insertions_);
  p.i64(started_ ? now_ : 0);
  p.u64(cells_.now());
  p.u64(cells_.cursor());
  p.u64(cells_.swept());
  out.section(timers_section, cells_.codes());
  if (timed_) {
    detail::byte_writer arrivals;
    for (const std::uint64_t before : arrivals_.values()) arrivals.u64(before);
    out.section(arrivals_section, std::move(arrivals).written());
  }
  if (audit_) out.section(audit_section, audit_->encode());
}

recency_filter recency_filter::read(const detail::container_view& file) {
  const detail::container_info& info = file.info();
  recency_filter f;
  f.seed_ = info.seed;
  f.timed_ = info.clock.has_value();
  detail::byte_reader in = file.parameters();
  const std::uint64_t window = in.u64();
  const std::uint64_t tick = in.u64();
  expect(window >= 1 && window <= math::most_recent_window && tick >= 1 && tick <= window &&
         (window - 1) / tick < (std::uint64_t{1} << 32) - 4);
  f.set_window(window, tick);
  expect(!f.timed_ || *info.clock == f.clock_);
  f.size_.layout = static_cast<bloomtime::layout>(info.layout);
  const std::uint64_t bits = in.u64();
  const std::uint64_t k = in.u64();
  expect(bits >= 2 && bits <= 32 && k >= 1 && k <= detail::max_stamp_k);
  f.size_.bits = static_cast<unsigned>(bits);
  f.size_.k = static_cast<unsigned>(k);
  f.size_.cells = in.u64();
  f.items_ = in.u64();
  const std::uint64_t flags = in.u64();
  expect(flags < 8 && (f.timed_ || (flags & 2) != 0));
  f.refresh_ = (flags & 1) != 0;
  const bool started = (flags & 2) != 0;
  const bool audited = (flags & 4) != 0;
  const std::uint64_t ahead = in.u64();
  if (ahead != no_bound) f.ahead_ = ahead;
  f.insertions_ = in.u64();
  const std::int64_t now = in.i64();
  expect(f.insertions_ <= most_insertions && (started || (f.insertions_ == 0 && now == 0)));
  expect(f.timed_ || (now >= 0 && static_cast<std::uint64_t>(now) <= f.insertions_));
  file.expect_sections(std::size_t{1} + (f.timed_ ? 1 : 0) + (audited ? 1 : 0));
  if (started) {
    f.now_ = now;
    f.set_tick(f.clock_.tick_of(instant(now)).number);
  }
  f.read_cells(in, file);
  f.read_arrivals(file);
  if (audited) {
    f.audit_ = audit::decode(file.section(audit_section));
    expect(f.audit_->config().window == f.window_ + (f.timed_ ? 1 : 0));
  }
  return f;
}

void recency_filter::read_cells(detail::byte_reader& in, const detail::container_view& file) {
  const std::uint64_t now = in.u64();
  const std::uint64_t cursor = in.u64();
  const std::uint64_t swept = in.u64();
  in.expect_end();
  sweep_ = 4 * std::uint64_t{size_.k};
  try {
    check(shape());
  } catch (const error&) {
    contradict();
  }
  cells_ = detail::stamp_cells::read(shape(), file.section(timers_section), now, cursor, swept);
  expect(insertions_ != 0 || cells_.younger_than(detail::stamp_cells::expired) == 0);
}

void recency_filter::read_arrivals(const detail::container_view& file) {
  if (!timed_) return;
  const std::uint64_t ticks = std::uint64_t{size_.oldest} + 1;
  detail::byte_reader in(file.section(arrivals_section, ticks * sizeof(std::uint64_t)));
  std::vector<std::uint64_t> before(ticks);
  std::uint64_t later = insertions_;
  for (std::uint64_t& value : before) {
    value = in.u64();
    if (value > later) {
      throw error(errc::corrupt, "there were " + std::to_string(value) +
                                     " insertions before a tick, and " + std::to_string(later) +
                                     " before the next one");
    }
    later = value;
  }
  arrivals_ = detail::arrival_counts(before, insertions_);
}

template class detail::stored<recency_filter>;

}  // namespace bloomtime
