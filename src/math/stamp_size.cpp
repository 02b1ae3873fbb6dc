#include <bloomtime/math/timing.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <bloomtime/math/bloom.hpp>

#include "expect.hpp"
#include "line_load.hpp"

namespace bloomtime::math {
namespace {

constexpr unsigned least_bits = 2;
constexpr unsigned most_bits = 32;
constexpr unsigned most_line_k = 16;
constexpr double least_line_error = 0.01;  // below, lines take much more memory than flat
constexpr std::uint64_t most_items = std::uint64_t{1} << 40;

unsigned per_line(unsigned bits) { return static_cast<unsigned>(line_bits / bits); }

// Those of the window and of the tick that it cuts.
std::uint64_t alive_at_worst(std::uint64_t items, std::uint32_t oldest) {
  return items + items / oldest + (items % oldest != 0);
}

// Whether a sweep of 4 k timers per insertion, or of 1024 per tick, comes around within the ages
// that so many bits leave over.
bool leaves_time(unsigned bits, const stamp_size& size, std::uint64_t items) {
  const double ages = std::ldexp(1., static_cast<int>(bits)) - 2 - size.oldest;
  const double per_tick = 4. * size.k * static_cast<double>(items) / size.oldest;
  return ages >= 1 && static_cast<double>(size.cells) <= ages * std::max(per_tick, 1024.);
}

void expect_load(std::uint64_t items, std::uint32_t oldest) {
  expect(items >= 1 && items <= most_items, "a window has 1 to 2^40 different items", items);
  expect(oldest >= 1 && oldest <= std::numeric_limits<std::uint32_t>::max() - 3,
         "a window has 1 to 2^32 - 4 ticks", std::uint64_t{oldest});
}

// Lines of timers of one width for a fixed number of items.
class line_sizer {
 public:
  line_sizer(std::uint64_t alive, unsigned bits) : alive_(alive), per_line_(per_line(bits)) {}

  unsigned most_k() const { return std::min(most_line_k, per_line_); }

  double error(std::uint64_t lines, unsigned k) const {
    return load_chances::of_cells(per_line_, k).mixed(alive_, lines);
  }

  // The k with the least error.
  stamp_size best(std::uint64_t lines) const {
    stamp_size size{.layout = layout::line, .cells = lines * per_line_};
    double least = 2;
    for (unsigned k = 1; k <= most_k(); ++k) {
      const double e = error(lines, k);
      if (e < least) {
        least = e;
        size.k = k;
      }
    }
    return size;
  }

  // The fewest lines with which some k keeps the error; none if more than `limit`.
  std::optional<stamp_size> fewest(double wanted, std::uint64_t limit) const {
    std::optional<stamp_size> found;
    for (unsigned k = 1; k <= most_k(); ++k) {
      load_chances chances = load_chances::of_cells(per_line_, k);
      const auto keeps = [&](std::uint64_t lines) {
        return chances.mixed(alive_, lines) <= wanted;
      };
      if (!keeps(limit)) continue;
      std::uint64_t too_few = 0;
      while (limit - too_few > 1) {
        const std::uint64_t middle = too_few + (limit - too_few) / 2;
        (keeps(middle) ? limit : too_few) = middle;
      }
      found = {.layout = layout::line, .k = k, .cells = limit * per_line_};
      if (limit == 1) break;
      --limit;
    }
    return found;
  }

 private:
  std::uint64_t alive_;
  unsigned per_line_;
};

stamp_size best_flat(std::uint64_t alive, std::uint64_t cells) {
  stamp_size size{.layout = layout::flat, .k = 1, .cells = cells};
  double least = 2;
  for (unsigned k = 1; k <= max_k(layout::flat); ++k) {
    const double e = flat_error(alive, cells, k);
    if (e < least) {
      least = e;
      size.k = k;
    }
  }
  return size;
}

// of(bits) with the fewest bits that leave time for the sweep.
template <class Of>
stamp_size narrowest(std::uint64_t items, std::uint32_t oldest, Of&& of) {
  for (unsigned bits = least_bits; bits <= most_bits; ++bits) {
    if ((std::uint64_t{1} << bits) - 2 <= oldest) continue;
    std::optional<stamp_size> size = of(bits);
    if (!size) continue;
    size->bits = bits;
    size->oldest = oldest;
    if (leaves_time(bits, *size, items)) return *size;
  }
  throw error(errc::too_large,
              "there are no timers for a window of " + std::to_string(oldest) + " ticks and " +
                  std::to_string(items) +
                  " items: they would need more than 32 bits each, more memory than was given or "
                  "more than 2^43 bits; take longer ticks");
}

stamp_size line_for_error(std::uint64_t items, double wanted, std::uint32_t oldest) {
  const std::uint64_t alive = alive_at_worst(items, oldest);
  return narrowest(items, oldest, [&](unsigned bits) {
    return line_sizer(alive, bits).fewest(wanted, max_bits / line_bits);
  });
}

stamp_size flat_for_error(std::uint64_t items, double wanted, std::uint32_t oldest) {
  const bloom_size size = size_for_error(layout::flat, alive_at_worst(items, oldest), wanted);
  return narrowest(items, oldest, [&](unsigned bits) -> std::optional<stamp_size> {
    if (size.bits > max_bits / bits) return std::nullopt;
    return stamp_size{.layout = layout::flat, .k = size.k, .cells = size.bits};
  });
}

stamp_size line_for_memory(std::uint64_t items, std::uint64_t bytes, std::uint32_t oldest) {
  const std::uint64_t alive = alive_at_worst(items, oldest);
  const std::uint64_t lines = bytes * 8 / line_bits;
  expect(lines >= 1, "lines of timers need 64 bytes or more", bytes);
  return narrowest(items, oldest, [&](unsigned bits) -> std::optional<stamp_size> {
    return line_sizer(alive, bits).best(lines);
  });
}

stamp_size flat_for_memory(std::uint64_t items, std::uint64_t bytes, std::uint32_t oldest) {
  const std::uint64_t alive = alive_at_worst(items, oldest);
  return narrowest(items, oldest, [&](unsigned bits) -> std::optional<stamp_size> {
    if (bytes * 8 < bits) return std::nullopt;
    return best_flat(alive, bytes * 8 / bits);
  });
}

double error_with(const stamp_size& size, std::uint64_t alive) {
  if (size.layout == layout::flat) return flat_error(alive, size.cells, size.k);
  return line_cells_error(alive, size.cells / per_line(size.bits), per_line(size.bits), size.k);
}

}  // namespace

stamp_size stamps_for_error(std::uint64_t items, double wanted, std::uint32_t oldest,
                            std::optional<layout> kind) {
  expect_load(items, oldest);
  expect(wanted > 0 && wanted < 1, "an error must lie strictly between 0 and 1", wanted);
  const layout chosen = kind.value_or(wanted >= least_line_error ? layout::line : layout::flat);
  return chosen == layout::line ? line_for_error(items, wanted, oldest)
                                : flat_for_error(items, wanted, oldest);
}

stamp_size stamps_for_memory(std::uint64_t items, std::uint64_t bytes, std::uint32_t oldest,
                             std::optional<layout> kind) {
  expect_load(items, oldest);
  expect(bytes >= 1 && bytes <= max_bits / 8, "timers take 1 byte to 2^40", bytes);
  if (kind == layout::line) return line_for_memory(items, bytes, oldest);
  if (kind == layout::flat || bytes * 8 < line_bits) return flat_for_memory(items, bytes, oldest);
  const stamp_size line = line_for_memory(items, bytes, oldest);
  return stamp_error(line, items) >= least_line_error ? line
                                                      : flat_for_memory(items, bytes, oldest);
}

double stamp_error(const stamp_size& size, std::uint64_t items) {
  return error_with(size, alive_at_worst(items, size.oldest));
}

double alive_items(const stamp_size& size, std::uint64_t alive) {
  const auto cells = static_cast<double>(size.cells);
  if (alive >= size.cells) return std::numeric_limits<double>::infinity();
  return std::log1p(-static_cast<double>(alive) / cells) /
         (size.layout == layout::flat ? size.k * std::log1p(-1 / cells)
                                      : std::log1p(-static_cast<double>(size.k) / cells));
}

double alive_error(const stamp_size& size, std::uint64_t alive) {
  if (size.layout == layout::flat) {
    return std::pow(static_cast<double>(alive) / static_cast<double>(size.cells), size.k);
  }
  const double items = alive_items(size, alive);
  return items < 0x1p62 ? error_with(size, static_cast<std::uint64_t>(std::llround(items))) : 1;
}

}  // namespace bloomtime::math
