#include <bloomtime/history/detail/history_base.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {
namespace {

constexpr std::uint32_t sizes_section = 1;
constexpr std::uint32_t bits_section = 2;
constexpr std::uint32_t sketches_section = 3;
constexpr std::uint64_t size_bytes = 17;  // of one filter: bits, ones, k

std::string text(std::uint64_t n) { return std::to_string(n); }

std::string text(const tick_clock& c) {
  return "ticks of " + std::to_string(c.resolution().count()) + " microseconds from " +
         std::to_string(c.origin().micros);
}

[[noreturn]] void incompatible(const std::string& why) { throw error(errc::incompatible, why); }

}  // namespace

void history_parts::add(const flat_filter& filter) {
  sizes.u64(filter.size().bits);
  sizes.u64(filter.ones());
  sizes.u8(static_cast<std::uint8_t>(filter.size().k));
  bits.bytes(filter.storage().bytes());
}

filter_reader::filter_reader(const container_view& view, std::uint64_t filters)
    : sizes_({}), bits_(view.section(bits_section)) {
  // Compared by division, lest the product of a forged number overflow.
  const auto sizes = view.section(sizes_section);
  if (sizes.size() % size_bytes != 0 || sizes.size() / size_bytes != filters) {
    throw error(errc::corrupt, "this history should have the sizes of " + text(filters) +
                                   " filters in " + text(size_bytes) + " bytes each, and has " +
                                   text(sizes.size()) + " bytes of them");
  }
  sizes_ = byte_reader(sizes);
}

flat_filter filter_reader::next() {
  const std::uint64_t bits = sizes_.u64();
  const std::uint64_t ones = sizes_.u64();
  const unsigned k = sizes_.u8();
  if ((bits == 0) != (k == 0) || k > max_flat_k || ones > bits) {
    throw error(errc::corrupt,
                "a filter has bits, at most as many ones, and 1 to 64 hash functions, or nothing; "
                "found " +
                    text(bits) + ", " + text(ones) + " and " + text(k));
  }
  const std::uint64_t bytes = flat_filter::bytes_for(bits);
  if (bytes > bits_.remaining()) {
    throw error(errc::corrupt, "the filters of this history say they have more bits than it holds");
  }
  return flat_filter::borrow({bits, k}, ones, bits_.bytes(bytes));
}

void history_parts::put_into(container_writer& out) const {
  out.parameters().bytes(parameters.written());
  out.section(sizes_section, sizes.written());
  out.section(bits_section, bits.written());
  if (!sketches.written().empty()) out.section(sketches_section, sketches.written());
}

container_writer history_base::writer(std::uint8_t engine, std::uint8_t layout) const {
  container_writer out({.family = family::history,
                        .engine = engine,
                        .layout = layout,
                        .seed = seed_,
                        .clock = clock_});
  out.parameters().u64(first_);
  out.parameters().u64(ticks_);
  out.parameters().u64(records_);
  return out;
}

byte_reader history_base::read_span(const container_view& view, std::uint8_t engine,
                                    std::uint8_t layout, std::string_view name) {
  view.expect_kind(family::history, engine, name);
  const container_info& info = view.info();
  byte_reader in = view.parameters();
  first_ = in.u64();
  ticks_ = in.u64();
  records_ = in.u64();
  if (info.layout != layout || !info.clock || first_ > most_ticks || ticks_ == 0 ||
      ticks_ > most_ticks) {
    refuse_parameters(name);
  }
  seed_ = info.seed;
  clock_ = *info.clock;
  return in;
}

void refuse_parameters(std::string_view name) {
  throw error(errc::corrupt,
              "the parameters of " + std::string(name) + " contradict each other here");
}

void history_base::expect_consistent(const flat_filter& filter) const {
  // Every record sets at most max_flat_k bits of a filter.
  const std::uint64_t fewest = (filter.ones() + max_flat_k - 1) / max_flat_k;
  if (filter.consistent() && fewest <= records_) return;
  throw error(errc::corrupt, "a filter of this history says that " + text(records_) +
                                 " records set " + text(filter.ones()) + " of its " +
                                 text(filter.size().bits) + " bits, and its bits say otherwise");
}

void history_base::expect_same_keys(const history_base& other) const {
  expect_ticks();
  other.expect_ticks();
  if (seed_ == other.seed_ && clock_ == other.clock_) return;
  incompatible("histories merge if seed and clock are equal; here they are (seed " + text(seed_) +
               ", " + text(clock_) + ") and (seed " + text(other.seed_) + ", " +
               text(other.clock_) + ")");
}

void history_base::expect_same_span(const history_base& other) const {
  expect_same_keys(other);
  if (first_ == other.first_ && ticks_ == other.ticks_) return;
  incompatible("histories merge if they are about the same ticks; here they are about " +
               text(ticks_) + " from " + text(first_) + " and " + text(other.ticks_) + " from " +
               text(other.first_));
}

void history_base::expect_next(const history_base& other) const {
  expect_same_keys(other);
  if (ticks_ + other.ticks_ > most_ticks) {
    incompatible("a history spans at most 2^62 ticks, and these two have " +
                 text(ticks_ + other.ticks_) + " together");
  }
  if (other.first_ == first_ + ticks_) return;
  incompatible("a history of " + text(ticks_) + " ticks from " + text(first_) +
               " is joined by one that begins at " + text(first_ + ticks_) +
               ", and this one begins at " + text(other.first_));
}

}  // namespace bloomtime::detail
