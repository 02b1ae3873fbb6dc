#include <bloomtime/heat/any_heat.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/heat/heat_engine.hpp>

namespace bloomtime {
namespace {

using published::decaying_filter;
using published::pooled_decaying_filter;

static_assert(heat_engine<heat_filter> && heat_engine<decay_ring>);
static_assert(heat_engine<decaying_filter> && heat_engine<pooled_decaying_filter>);

constexpr std::array<std::string_view, 4> names{"heat_filter", "decay_ring", "decaying_filter",
                                                "pooled_decaying_filter"};
static_assert(names.size() == std::variant_size_v<any_heat::engines_type>);

// -- parameters --------------------------------------------------------------------------------

struct given {
  bool is;
  std::string_view name;
};

void refuse(std::string_view engine, std::initializer_list<given> parameters) {
  for (const given& g : parameters) {
    if (!g.is) continue;
    throw error(errc::invalid_argument,
                std::string(engine) + " has no parameter `" + std::string(g.name) + "`");
  }
}

void refuse_shares(std::string_view engine, const any_heat_config& c) {
  refuse(engine, {{c.epsilon.has_value(), "epsilon"}, {c.delta.has_value(), "delta"}});
}

void refuse_curves(std::string_view engine, const any_heat_config& c) {
  refuse(engine, {{c.window.has_value(), "window"},
                  {c.polynomial.has_value(), "polynomial"},
                  {!c.weights.empty(), "weights"},
                  {c.slots.has_value(), "slots"},
                  {c.per_octave.has_value(), "per_octave"},
                  {c.reach.has_value(), "reach"}});
}

void refuse_published(std::string_view engine, const any_heat_config& c) {
  refuse(engine, {{c.rounding.has_value(), "rounding"},
                  {c.increase.has_value(), "increase"},
                  {c.pool_memory.has_value(), "pool_memory"}});
}

heat_filter make_heat_filter(const any_heat_config& c) {
  refuse_curves(names[0], c);
  refuse_published(names[0], c);
  const heat_config usual;
  return heat_filter({.items = c.items,
                      .error = c.error,
                      .epsilon = c.epsilon,
                      .delta = c.delta,
                      .memory = c.memory,
                      .half_life = c.half_life,
                      .lambda = c.lambda,
                      .tick = c.tick.value_or(usual.tick),
                      .ahead = c.ahead.value_or(usual.ahead),
                      .cell_bits = c.cell_bits.value_or(usual.cell_bits),
                      .seed = c.seed});
}

decay_ring make_decay_ring(const any_heat_config& c) {
  refuse_shares(names[1], c);
  refuse_published(names[1], c);
  refuse(names[1], {{c.half_life.has_value(), "half_life"},
                    {c.lambda.has_value(), "lambda"},
                    {c.cell_bits.has_value(), "cell_bits"}});
  const decay_ring_config usual;
  return decay_ring({.items = c.items,
                     .error = c.error,
                     .memory = c.memory,
                     .window = c.window,
                     .polynomial = c.polynomial,
                     .weights = c.weights,
                     .slots = c.slots.value_or(usual.slots),
                     .per_octave = c.per_octave.value_or(usual.per_octave),
                     .reach = c.reach.value_or(usual.reach),
                     .tick = c.tick.value_or(usual.tick),
                     .ahead = c.ahead.value_or(usual.ahead),
                     .seed = c.seed});
}

template <class Filter>
Filter make_published(std::string_view name, const any_heat_config& c) {
  refuse_shares(name, c);
  refuse_curves(name, c);
  constexpr bool pooled = std::is_same_v<Filter, pooled_decaying_filter>;
  refuse(name, {{pooled && c.cell_bits, "cell_bits"}, {!pooled && c.pool_memory, "pool_memory"}});
  const published::decaying_config usual;
  return Filter({.items = c.items,
                 .error = c.error,
                 .memory = c.memory,
                 .half_life = c.half_life,
                 .lambda = c.lambda,
                 .epoch = c.tick.value_or(usual.epoch),
                 .ahead = c.ahead.value_or(usual.ahead),
                 .rounding = c.rounding.value_or(usual.rounding),
                 .increase = c.increase.value_or(usual.increase),
                 .cell_bits = c.cell_bits.value_or(usual.cell_bits),
                 .pool_memory = c.pool_memory,
                 .seed = c.seed});
}

// -- facts -------------------------------------------------------------------------------------

double seconds(std::chrono::microseconds span) { return static_cast<double>(span.count()) / 1e6; }

// A decay is rounded, in older files to the nearest coarse rate. The half-life in whole seconds or
// microseconds that is rounded to the same one is what was configured.
bool may_be(const decay& d, const decay& asked) {
  if (d.fine_rate() != 0) return d == asked;
  const auto [less, more] = std::minmax({d.rate(), asked.rate()});
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

std::string_view name_of(decay_ring::curve c) {
  return c == decay_ring::curve::window    ? "window"
         : c == decay_ring::curve::weights ? "weights"
                                           : "polynomial";
}

fact text_fact(const char* name, std::string_view value) { return {name, std::string(value)}; }

// What all engines with cells say first, and last.
template <heat_engine Engine>
std::vector<fact> facts_of(const Engine& e, std::string_view engine, std::vector<fact> own) {
  std::vector<fact> facts{text_fact("family", bloomtime::name_of(family::heat)),
                          text_fact("engine", engine),
                          text_fact("layout", bloomtime::name_of(layout::rows)),
                          {"memory", e.memory()},
                          {"cells", e.cells()},
                          {"k", std::uint64_t{e.k()}},
                          {"seed", e.seed()},
                          {"tick_seconds", seconds(e.clock().resolution())}};
  facts.insert(facts.end(), own.begin(), own.end());
  facts.push_back({"events", e.events()});
  facts.push_back({"mass", e.newest() ? e.mass(*e.newest()) : 0.0});
  return facts;
}

template <class Cells>
std::vector<fact> facts_of(const published::basic_decaying_filter<Cells>& f,
                           std::string_view engine) {
  return facts_of(f, engine,
                  {{"half_life_seconds", half_life_seconds(f.decay(), f.clock())},
                   {"saturated", f.saturated()}});
}

}  // namespace

std::vector<fact> describe(const heat_filter& f) {
  return facts_of(f, names[0],
                  {{"cell_bits", std::uint64_t{f.cell_bits()}},
                   {"half_life_seconds", half_life_seconds(f.decay(), f.clock())}});
}

std::vector<fact> describe(const decay_ring& r) {
  return facts_of(r, names[1],
                  {text_fact("decay", name_of(r.decay())), {"slots", std::uint64_t{r.slots()}}});
}

std::vector<fact> describe(const decaying_filter& f) { return facts_of(f, names[2]); }
std::vector<fact> describe(const pooled_decaying_filter& f) { return facts_of(f, names[3]); }

std::vector<fact> describe(const hot_list& l) {
  return {text_fact("family", name_of(family::heat)),
          text_fact("engine", "hot_list"),
          {"memory", l.memory()},
          {"entries", l.entries()},
          {"listed", l.listed()},
          {"seed", l.seed()},
          {"tick_seconds", seconds(l.clock().resolution())},
          {"half_life_seconds", half_life_seconds(l.decay(), l.clock())},
          {"bucket_seconds", seconds(l.bucket())},
          {"buckets", std::uint64_t{l.buckets()}},
          {"events", l.events()},
          {"mass", l.newest() ? l.mass(*l.newest()) : 0.0}};
}

// -- the handle --------------------------------------------------------------------------------

std::span<const std::string_view> any_heat::engines() noexcept { return names; }

any_heat any_heat::make(const any_heat_config& config, std::string_view engine) {
  if (engine == names[0]) return any_heat(make_heat_filter(config));
  if (engine == names[1]) return any_heat(make_decay_ring(config));
  if (engine == names[2]) return any_heat(make_published<decaying_filter>(engine, config));
  if (engine == names[3]) return any_heat(make_published<pooled_decaying_filter>(engine, config));
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  throw error(errc::invalid_argument,
              "the engines of heat are " + all + "; got `" + std::string(engine) + "`");
}

std::string_view any_heat::engine() const noexcept { return names[engine_.index()]; }

std::uint64_t any_heat::seed() const noexcept {
  return std::visit([](const auto& e) { return e.seed(); }, engine_);
}

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

estimate any_heat::rate(digest d, instant when) const noexcept {
  return std::visit([&](const auto& e) { return e.rate(d, when); }, engine_);
}

double any_heat::mass(instant when) const noexcept {
  return std::visit([&](const auto& e) { return e.mass(when); }, engine_);
}

std::optional<instant> any_heat::newest() const noexcept {
  return std::visit([](const auto& e) { return e.newest(); }, engine_);
}

const losses& any_heat::losses() const noexcept {
  return std::visit([](const auto& e) -> const bloomtime::losses& { return e.losses(); }, engine_);
}

void any_heat::advance(instant now) noexcept {
  std::visit([&](auto& e) { e.advance(now); }, engine_);
}

void any_heat::clear() {
  std::visit([](auto& e) { e.clear(); }, engine_);
}

void any_heat::merge(const any_heat& other, double weight) {
  if (engine() != other.engine()) {
    throw error(errc::incompatible, "a " + std::string(engine()) + " cannot be merged with a " +
                                        std::string(other.engine()));
  }
  std::visit([&]<class E>(E& e) { e.merge(std::get<E>(other.engine_), weight); }, engine_);
}

// A copy owns newly allocated memory.
void any_heat::relocate() { *this = any_heat(*this); }

std::uint64_t any_heat::memory() const noexcept {
  return std::visit([](const auto& e) { return e.memory(); }, engine_);
}

double any_heat::cardinality() const {
  return std::visit([](const auto& e) { return e.distinct(); }, engine_);
}

std::uint64_t any_heat::room_for(std::uint64_t n, double error) const {
  const double warm = cardinality();
  const auto fits = [&](std::uint64_t more) {
    const double all = warm + static_cast<double>(more);
    if (!(all < 0x1p63)) return false;
    return std::visit(
               [&](const auto& e) { return e.predicted_error(static_cast<std::uint64_t>(all)); },
               engine_) <= error;
  };
  if (fits(n)) return n;
  std::uint64_t most = 0;  // the largest that fits, by bisection
  for (std::uint64_t least_not = n; least_not - most > 1;) {
    const std::uint64_t middle = most + (least_not - most) / 2;
    (fits(middle) ? most : least_not) = middle;
  }
  return most;
}

std::vector<fact> any_heat::describe() const {
  return std::visit([](const auto& e) { return bloomtime::describe(e); }, engine_);
}

std::vector<fact> any_heat::examine() const {
  std::vector<fact> facts = describe();
  std::visit(
      [&](const auto& e) {
        facts.push_back({"distinct", e.distinct()});
        facts.push_back({"error_now", e.current_error()});
      },
      engine_);
  return facts;
}

std::uint64_t any_heat::identity() const {
  return detail::container_view::parse(serialize()).identity();
}

std::vector<std::byte> any_heat::serialize() const {
  return std::visit([](const auto& e) { return e.serialize(); }, engine_);
}

void any_heat::write_to(const byte_sink& sink) const {
  std::visit([&](const auto& e) { e.write_to(sink); }, engine_);
}

void any_heat::save(const std::filesystem::path& path) const {
  std::visit([&](const auto& e) { e.save(path); }, engine_);
}

any_heat any_heat::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  if (heat_filter::kind.accepts(view.info())) return any_heat(heat_filter::load(container));
  if (decay_ring::kind.accepts(view.info())) return any_heat(decay_ring::load(container));
  if (decaying_filter::kind.accepts(view.info())) return any_heat(decaying_filter::load(container));
  if (pooled_decaying_filter::kind.accepts(view.info())) {
    return any_heat(pooled_decaying_filter::load(container));
  }
  throw error(errc::unknown_kind, "this container holds no engine of heat that answers for items");
}

any_heat any_heat::load(const std::filesystem::path& path) {
  return load(detail::mapped_file::open(path)->bytes());
}

BLOOMTIME_VALUE_OF(any_heat);

}  // namespace bloomtime
