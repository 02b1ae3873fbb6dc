#include <bloomtime/heat/any_heat.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include <bloomtime/heat/heat_engine.hpp>

#include "detail/handle.hpp"

namespace bloomtime {

using detail::seconds;
using published::decaying_filter;
using published::pooled_decaying_filter;

static_assert(heat_engine<heat_table> && heat_engine<window_table>);
static_assert(heat_cells_engine<heat_filter> && heat_cells_engine<decay_ring>);
static_assert(heat_cells_engine<decaying_filter> && heat_cells_engine<pooled_decaying_filter>);

// -- parameters --------------------------------------------------------------------------------

namespace {

template <class Config>
Config config_for(const any_heat_config& given, std::string_view engine) {
  Config own;
  own.items = given.items;
  own.seed = given.seed;
#define PASS(parameter) BLOOMTIME_PASS_PARAMETER(given, own, engine, parameter)
  PASS(error);
  PASS(epsilon);
  PASS(delta);
  PASS(memory);
  PASS(half_life);
  PASS(lambda);
  PASS(window);
  PASS(polynomial);
  PASS(weights);
  PASS(slots);
  PASS(reserve);
  PASS(per_octave);
  PASS(reach);
  PASS(ahead);
  PASS(cell_bits);
  PASS(rounding);
  PASS(increase);
  PASS(pool_memory);
  if constexpr (requires { own.epoch; }) {
    own.epoch = given.tick.value_or(own.epoch);
  } else {
    PASS(tick);
  }
#undef PASS
  return own;
}

heat_table made(const any_heat_config& c, std::type_identity<heat_table>) {
  return heat_table(config_for<heat_table_config>(c, heat_table::name));
}

heat_filter made(const any_heat_config& c, std::type_identity<heat_filter>) {
  return heat_filter(config_for<heat_config>(c, heat_filter::name));
}

window_table made(const any_heat_config& c, std::type_identity<window_table>) {
  return window_table(config_for<window_table_config>(c, window_table::name));
}

decay_ring made(const any_heat_config& c, std::type_identity<decay_ring>) {
  return decay_ring(config_for<decay_ring_config>(c, decay_ring::name));
}

// Both filters have the same configuration, but each ignores one of its parameters: refuse that
// one.
template <class Cells>
auto made(const any_heat_config& c,
          std::type_identity<published::basic_decaying_filter<Cells>> type) {
  using filter = typename decltype(type)::type;
  constexpr bool pooled = std::is_same_v<filter, pooled_decaying_filter>;
  if (pooled && c.cell_bits) detail::refuse_parameter(filter::name, "cell_bits");
  if (!pooled && c.pool_memory) detail::refuse_parameter(filter::name, "pool_memory");
  return filter(config_for<published::decaying_config>(c, filter::name));
}

}  // namespace

any_heat any_heat::make(const any_heat_config& config, std::string_view engine) {
  return make_named(engine, [&](auto type) { return made(config, type); });
}

// -- facts -------------------------------------------------------------------------------------

namespace {

// Whether `d` may be the decay of a configured half-life. A decay is rounded; in older files, to
// the nearest coarse rate. If a half-life in whole seconds or microseconds rounds to `d`, it was
// probably the one that was configured.
bool may_be(const decay& d, const decay& configured) {
  if (d.fine_rate() != 0) return d == configured;
  const auto [less, more] = std::minmax({d.rate(), configured.rate()});
  return more - less <= decay::unsigned_wide{1} << 63;
}

double half_life_seconds(const decay& d, const tick_clock& c) {
  const double exact = d.half_life() * seconds(c.resolution());
  for (const double unit : {1e6, 1.}) {
    const double micros = std::round(exact * 1e6 / unit) * unit;
    if (micros < static_cast<double>(c.resolution().count()) || micros > 0x1p62) continue;
    const std::chrono::microseconds round(static_cast<std::int64_t>(micros));
    if (may_be(d, decay::by_half_life(round, c.resolution()))) return seconds(round);
  }
  return exact;
}

const char* name_of(decay_ring::curve c) {
  return c == decay_ring::curve::window    ? "window"
         : c == decay_ring::curve::weights ? "weights"
                                           : "polynomial";
}

// The last facts of all engines, after their own.
template <heat_engine Engine>
std::vector<fact> with_events(std::vector<fact> facts, const Engine& e, effort most) {
  facts.push_back({"events", e.events()});
  facts.push_back({"mass", e.newest() ? e.mass(*e.newest()) : 0.0});
  if (most == effort::scan) {
    facts.push_back({"distinct", e.distinct()});
    facts.push_back({"error_now", e.current_error()});
  }
  return facts;
}

// The facts of all engines with cells.
template <heat_cells_engine Engine>
std::vector<fact> cell_facts(const Engine& e, effort most, std::vector<fact> own) {
  std::vector<fact> facts{{"layout", std::string(name_of(layout::rows))},
                          {"memory", e.memory()},
                          {"cells", e.cells()},
                          {"k", e.k()},
                          {"seed", e.seed().value()},
                          {"tick_seconds", seconds(e.clock().resolution())}};
  detail::append(facts, std::move(own));
  return with_events(std::move(facts), e, most);
}

template <class Cells>
std::vector<fact> decaying_facts(const published::basic_decaying_filter<Cells>& f, effort most) {
  return cell_facts(f, most,
                    {{"half_life_seconds", half_life_seconds(f.decay(), f.clock())},
                     {"saturated", f.saturated()}});
}

}  // namespace

std::vector<fact> facts_of(const heat_table& t, effort most) {
  return with_events({{"memory", t.memory()},
                      {"slots", t.slots()},
                      {"seed", t.seed().value()},
                      {"tick_seconds", seconds(t.clock().resolution())},
                      {"half_life_seconds", half_life_seconds(t.decay(), t.clock())},
                      {"items", t.items()},
                      {"prints", t.prints()},
                      {"large_counts", t.large_counts()},
                      {"stashed", t.stashed()}},
                     t, most);
}

std::vector<fact> facts_of(const heat_filter& f, effort most) {
  return cell_facts(f, most,
                    {{"cell_bits", f.cell_bits()},
                     {"half_life_seconds", half_life_seconds(f.decay(), f.clock())}});
}

std::vector<fact> facts_of(const window_table& t, effort most) {
  return with_events({{"memory", t.memory()},
                      {"items", t.items()},
                      {"key_bits", t.key_bits()},
                      {"seed", t.seed().value()},
                      {"tick_seconds", seconds(t.clock().resolution())},
                      {"decay", std::string("window")},
                      {"slots", t.slots()}},
                     t, most);
}

std::vector<fact> facts_of(const decay_ring& r, effort most) {
  return cell_facts(r, most, {{"decay", name_of(r.decay())}, {"slots", r.slots()}});
}

std::vector<fact> facts_of(const decaying_filter& f, effort most) {
  return decaying_facts(f, most);
}

std::vector<fact> facts_of(const pooled_decaying_filter& f, effort most) {
  return decaying_facts(f, most);
}

std::vector<fact> facts_of(const hot_list& l, effort) {
  return {{"memory", l.memory()},
          {"entries", l.entries()},
          {"listed", l.listed()},
          {"seed", l.seed().value()},
          {"tick_seconds", seconds(l.clock().resolution())},
          {"half_life_seconds", half_life_seconds(l.decay(), l.clock())},
          {"bucket_seconds", seconds(l.bucket())},
          {"buckets", l.buckets()},
          {"events", l.events()},
          {"mass", l.newest() ? l.mass(*l.newest()) : 0.0}};
}

// -- calls -------------------------------------------------------------------------------------

outcome any_heat::add(digest d, instant when, std::uint64_t weight) {
  return std::visit([&](auto& e) { return e.add(d, when, weight); }, engine_);
}

void any_heat::add_bulk(std::span<const digest> items, std::span<const instant> when,
                        std::span<outcome> outcomes) {
  std::visit([&](auto& e) { e.add_bulk(items, when, outcomes); }, engine_);
}

estimate any_heat::at(digest d, instant when) const noexcept {
  return std::visit([&](const auto& e) { return e.at(d, when); }, engine_);
}

void any_heat::at_bulk(std::span<const digest> items, instant when,
                       std::span<estimate> answers) const {
  std::visit([&](const auto& e) { e.at_bulk(items, when, answers); }, engine_);
}

estimate any_heat::within(digest d, instant when, std::chrono::microseconds span) const {
  const window_table* const t = std::get_if<window_table>(&engine_);
  if (t == nullptr) unsupported("count the hits of a part of a window");
  return t->within(d, when, span);
}

estimate any_heat::rate(digest d, instant when) const noexcept {
  return std::visit([&](const auto& e) { return e.rate(d, when); }, engine_);
}

double any_heat::mass(instant when) const noexcept {
  return std::visit([&](const auto& e) { return e.mass(when); }, engine_);
}

double any_heat::confidence() const noexcept {
  return std::visit([](const auto& e) { return e.confidence(); }, engine_);
}

void any_heat::merge(const any_heat& other, double weight) {
  std::visit([&]<class E>(E& e) { e.merge(same<E>(other), weight); }, engine_);
}

double any_heat::cardinality() const {
  return std::visit([](const auto& e) { return e.distinct(); }, engine_);
}

std::uint64_t any_heat::room_for(std::uint64_t n, double error) const {
  return std::visit([&](const auto& e) { return detail::room_in(e, e.distinct(), n, error); },
                    engine_);
}

template class detail::handle<any_heat, heat_engines>;
BLOOMTIME_VALUE_OF(any_heat);

}  // namespace bloomtime
