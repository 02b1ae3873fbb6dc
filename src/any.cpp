#include <bloomtime/any.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>

namespace bloomtime {
namespace {

std::vector<fact> facts_of(const bloom_filter& f) {
  return {
      {"family", std::string(name_of(family::bloom))},
      {"engine", "bloom_filter"},
      {"layout", std::string(name_of(f.layout()))},
      {"memory", f.memory()},
      {"bits", f.bits()},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"capacity", f.capacity()},
      {"insertions", f.insertions()},
      {"distinct", f.distinct()},
      {"fill", f.fill()},
      {"error_at_capacity", f.predicted_error(f.capacity())},
      {"error_now", f.current_error()},
  };
}

double seconds(std::chrono::microseconds span) { return static_cast<double>(span.count()) / 1e6; }

// A decay is rounded. What gives the same one in whole seconds or microseconds is what was meant.
double half_life_seconds(const decay& d, const clock& c) {
  const double exact = d.half_life() * seconds(c.resolution());
  for (const double unit : {1e6, 1.}) {
    const double micros = std::round(exact * 1e6 / unit) * unit;
    if (micros < static_cast<double>(c.resolution().count()) || micros > 0x1p62) continue;
    const std::chrono::microseconds round(static_cast<std::int64_t>(micros));
    if (decay::by_half_life(round, c.resolution()) == d) return seconds(round);
  }
  return exact;
}

std::vector<fact> facts_of(const heat_filter& f) {
  return {
      {"family", std::string(name_of(family::heat))},
      {"engine", "heat_filter"},
      {"layout", std::string(name_of(layout::rows))},
      {"memory", f.memory()},
      {"cells", f.cells()},
      {"cell_bits", std::uint64_t{f.cell_bits()}},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"epoch_seconds", seconds(f.clock().resolution())},
      {"half_life_seconds", half_life_seconds(f.decay(), f.clock())},
      {"events", f.events()},
      {"mass", f.newest() ? f.mass(*f.newest()) : 0.0},
  };
}

std::string_view engine_of(const decaying_filter&) { return "decaying_filter"; }
std::string_view engine_of(const pooled_decaying_filter&) { return "pooled_decaying_filter"; }

template <class Cells>
std::vector<fact> facts_of(const basic_decaying_filter<Cells>& f) {
  return {
      {"family", std::string(name_of(family::heat))},
      {"engine", std::string(engine_of(f))},
      {"layout", std::string(name_of(layout::rows))},
      {"memory", f.memory()},
      {"cells", f.cells()},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"epoch_seconds", seconds(f.clock().resolution())},
      {"half_life_seconds", half_life_seconds(f.decay(), f.clock())},
      {"events", f.events()},
      {"mass", f.newest() ? f.mass(*f.newest()) : 0.0},
      {"saturated", f.saturated()},
  };
}

std::vector<fact> facts_of(const hot_list& l) {
  return {
      {"family", std::string(name_of(family::heat))},
      {"engine", "hot_list"},
      {"memory", l.memory()},
      {"entries", l.entries()},
      {"listed", l.listed()},
      {"seed", l.seed()},
      {"epoch_seconds", seconds(l.clock().resolution())},
      {"half_life_seconds", half_life_seconds(l.decay(), l.clock())},
      {"bucket_seconds", seconds(l.bucket())},
      {"buckets", std::uint64_t{l.buckets()}},
      {"events", l.events()},
      {"mass", l.newest() ? l.mass(*l.newest()) : 0.0},
  };
}

std::string name_of(decay_ring::kind k) {
  return k == decay_ring::kind::window    ? "window"
         : k == decay_ring::kind::weights ? "weights"
                                          : "polynomial";
}

std::vector<fact> facts_of(const decay_ring& r) {
  return {
      {"family", std::string(name_of(family::heat))},
      {"engine", "decay_ring"},
      {"layout", std::string(name_of(layout::rows))},
      {"memory", r.memory()},
      {"cells", r.cells()},
      {"k", std::uint64_t{r.k()}},
      {"seed", r.seed()},
      {"decay", name_of(r.decay())},
      {"slots", std::uint64_t{r.slots()}},
      {"epoch_seconds", seconds(r.clock().resolution())},
      {"events", r.events()},
      {"mass", r.newest() ? r.mass(*r.newest()) : 0.0},
  };
}

any_filter load_heat(std::uint8_t engine, std::span<const std::byte> container) {
  if (engine == decaying_filter::engine_id) return decaying_filter::load(container);
  if (engine == pooled_decaying_filter::engine_id) return pooled_decaying_filter::load(container);
  if (engine == heat_filter::engine_id) return heat_filter::load(container);
  if (engine == hot_list::engine_id) return hot_list::load(container);
  if (engine == decay_ring::engine_id) return decay_ring::load(container);
  throw error(errc::unknown_kind, "this container holds a filter of family 2 (heat), engine " +
                                      std::to_string(engine) +
                                      ", which this bloomtime does not know");
}

}  // namespace

any_filter load_any(std::span<const std::byte> container) {
  const auto info = detail::container_view::parse(container).info();
  if (info.family == family::bloom) return bloom_filter::load(container);
  if (info.family == family::heat) return load_heat(info.engine, container);
  if (info.family == family::totals) {
    throw error(
        errc::unknown_kind,
        "this container (family 6) holds the totals per minute of a store and no filter; name "
        "the directory of the store instead");
  }
  throw error(errc::unknown_kind, "this container holds a filter of family " +
                                      std::to_string(static_cast<unsigned>(info.family)) +
                                      ", which this bloomtime does not know");
}

any_filter load_any(const std::filesystem::path& path) {
  return load_any(detail::mapped_file::open(path)->bytes());
}

std::vector<fact> describe(const any_filter& filter) {
  return std::visit([](const auto& f) { return facts_of(f); }, filter);
}

}  // namespace bloomtime
