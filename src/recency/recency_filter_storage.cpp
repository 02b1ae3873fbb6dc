#include <bloomtime/recency/recency_filter.hpp>

#include <optional>
#include <span>
#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>

#include "math/whole.hpp"

namespace bloomtime {
namespace {

constexpr std::uint32_t timers_section = 1;
constexpr std::uint32_t arrivals_section = 2;
constexpr std::uint32_t audit_section = 3;

constexpr std::uint64_t no_bound = ~std::uint64_t{0};

}  // namespace

void recency_filter::write(detail::container_writer& out) const {
  expect_usable();
  out.info().layout = static_cast<std::uint8_t>(size_.layout);
  out.info().seed = seed_;
  if (timed()) out.info().clock = clock();
  auto& p = out.parameters();
  p.u64(window());
  p.u64(static_cast<std::uint64_t>(clock().resolution().count()));
  p.u64(size_.bits);
  p.u64(size_.k);
  p.u64(size_.cells);
  p.u64(items_);
  p.u64((refresh_ ? 1 : 0) | (window_.started() ? 2 : 0) | (audit_ ? 4 : 0));
  p.u64(window_.ahead().value_or(no_bound));
  p.u64(insertions());
  p.i64(window_.started() ? window_.now() : 0);
  p.u64(cells_.now());
  p.u64(cells_.cursor());
  p.u64(cells_.swept());
  out.section(timers_section, cells_.codes());
  if (timed()) out.section(arrivals_section, window_.arrival_bytes());
  if (audit_) out.section(audit_section, audit_->encode());
}

recency_filter recency_filter::read(const detail::container_view& file) {
  const detail::container_info& info = file.info();
  recency_filter f;
  f.seed_ = info.seed;
  const bool timed = info.clock.has_value();
  detail::byte_reader in = file.parameters();
  const std::uint64_t window = in.u64();
  const std::uint64_t tick = in.u64();
  expect(window >= 1 && window <= math::most_recent_window && tick >= 1 && tick <= window &&
         (window - 1) / tick < (std::uint64_t{1} << 32) - 4);
  f.size_.layout = static_cast<bloomtime::layout>(info.layout);
  const std::uint64_t bits = in.u64();
  const std::uint64_t k = in.u64();
  expect(bits >= 2 && bits <= 32 && k >= 1 && k <= detail::max_stamp_k);
  f.size_.bits = static_cast<unsigned>(bits);
  f.size_.k = static_cast<unsigned>(k);
  f.size_.cells = in.u64();
  f.items_ = in.u64();
  const std::uint64_t flags = in.u64();
  expect(flags < 8);
  f.refresh_ = (flags & 1) != 0;
  const bool audited = (flags & 4) != 0;
  const std::uint64_t ahead = in.u64();
  const std::uint64_t insertions = in.u64();
  const std::int64_t now = in.i64();
  file.expect_sections(std::size_t{1} + (timed ? 1 : 0) + (audited ? 1 : 0));
  const std::uint64_t ticks = math::ratio_up(window, tick);
  const auto arrivals =
      timed ? file.section(arrivals_section, (ticks + 1) * 8) : std::span<const std::byte>();
  auto clock = detail::recent_window::read(window, tick, timed,
                                           ahead != no_bound ? std::optional(ahead) : std::nullopt,
                                           {(flags & 2) != 0, now, insertions}, arrivals);
  expect(clock.has_value());
  f.window_ = *std::move(clock);
  expect(!timed || *info.clock == f.clock());
  f.size_.oldest = f.window_.ticks();
  f.read_cells(in, file);
  if (audited) {
    f.audit_ = audit::decode(file.section(audit_section));
    expect(f.audit_->config().window == f.window() + (timed ? 1 : 0));
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
  expect(insertions() != 0 || cells_.younger_than(detail::stamp_cells::expired) == 0);
}

template class detail::stored<recency_filter>;

}  // namespace bloomtime
