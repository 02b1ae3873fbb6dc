#include <bloomtime/tally/any_tally.hpp>

#include <concepts>
#include <string>
#include <type_traits>

#include "detail/handle.hpp"

namespace bloomtime {

using namespace published;

// -- parameters --------------------------------------------------------------------------------

namespace {

template <class Config>
Config config_for(const any_tally_config& given, std::string_view engine) {
  Config own;
  own.items = given.items;
  own.seed = given.seed;
#define PASS(parameter) BLOOMTIME_PASS_PARAMETER(given, own, engine, parameter)
  PASS(error);
  PASS(memory);
  PASS(reserve);
  PASS(total);
  PASS(cell_bits);
  PASS(large_memory);
  PASS(k);
  PASS(counters_per_slack);
  PASS(base_bits);
  PASS(threshold);
  PASS(shrinking);
#undef PASS
  return own;
}

template <class Engine>
struct config_of {
  using type = spectral_config;
};
template <tally_rule Rule>
struct config_of<basic_tally_filter<Rule>> {
  using type = tally_config;
};
template <>
struct config_of<tally_table> {
  using type = tally_table_config;
};
template <>
struct config_of<counting_filter> {
  using type = counting_config;
};
template <>
struct config_of<dynamic_count_filter> {
  using type = dynamic_count_config;
};

}  // namespace

any_tally any_tally::make(const any_tally_config& config, std::string_view engine) {
  return make_named(engine, [&]<class Engine>(std::type_identity<Engine>) {
    return Engine(config_for<typename config_of<Engine>::type>(config, Engine::name));
  });
}

// -- facts -------------------------------------------------------------------------------------

namespace {

template <tally_rule Rule>
std::vector<fact> own_facts(const basic_tally_filter<Rule>& f) {
  return {{"cell_bits", f.cell_bits()}, {"large", f.large()}};
}

std::vector<fact> own_facts(const counting_filter& f) { return {{"cell_bits", f.cell_bits()}}; }

template <spectral_rule Rule>
std::vector<fact> own_facts(const basic_spectral_filter<Rule>& f) {
  const char* const rule = Rule == spectral_rule::selection  ? "minimum selection"
                           : Rule == spectral_rule::increase ? "minimum increase"
                                                             : "recurring minimum";
  return {{"rule", rule}, {"counter_bits", f.bits().counters}};
}

std::vector<fact> own_facts(const dynamic_count_filter& f) {
  return {{"base_bits", f.base_bits()},
          {"overflow_bits", f.overflow_bits()},
          {"growths", f.growths()},
          {"shrinks", f.shrinks()}};
}

std::vector<fact> own_facts(const tally_table& f) {
  return {{"slots", f.slots()},
          {"slots_used", f.used_slots()},
          {"stashed", f.stashed()},
          {"items", f.items()}};
}

template <class Engine>
constexpr layout layout_of = layout::rows;
template <tally_rule Rule>
constexpr layout layout_of<basic_tally_filter<Rule>> = layout::line;

}  // namespace

template <tally_engine Engine>
std::vector<fact> facts_of(const Engine& f, effort most) {
  std::vector<fact> facts;
  if constexpr (cell_tally_engine<Engine>) {
    facts = {{"layout", std::string(name_of(layout_of<Engine>))},
             {"memory", f.memory()},
             {"cells", f.cells()},
             {"k", f.k()}};
  } else {
    facts = {{"memory", f.memory()}};
  }
  detail::append(facts, {{"seed", f.seed().value()}, {"total", f.total()}});
  detail::append(facts, own_facts(f));
  if (most == effort::constant) return facts;
  const tally_statistics s = f.statistics();
  detail::append(facts, {{"distinct", s.distinct},
                         {"largest", s.largest},
                         {"saturated", s.saturated},
                         {"error_now", f.current_error()}});
  return facts;
}

#define BLOOMTIME_FACTS_OF(engine)                                 \
  static_assert(tally_engine<engine>);                             \
  static_assert(removing_tally_engine<engine> == engine::removes); \
  template std::vector<fact> facts_of(const engine&, effort)
BLOOMTIME_FACTS_OF(tally_table);
BLOOMTIME_FACTS_OF(tally_filter);
BLOOMTIME_FACTS_OF(rising_tally);
BLOOMTIME_FACTS_OF(counting_filter);
BLOOMTIME_FACTS_OF(spectral_filter);
BLOOMTIME_FACTS_OF(rising_spectral_filter);
BLOOMTIME_FACTS_OF(recurring_spectral_filter);
BLOOMTIME_FACTS_OF(dynamic_count_filter);
#undef BLOOMTIME_FACTS_OF

// -- calls -------------------------------------------------------------------------------------

bool any_tally::removes() const noexcept {
  return std::visit([]<class E>(const E&) { return E::removes; }, engine_);
}

outcome any_tally::add(digest d, std::uint64_t amount) {
  return std::visit([&](auto& f) { return f.add(d, amount); }, engine_);
}

outcome any_tally::remove(digest d, std::uint64_t amount) {
  return std::visit(
      [&]<class E>(E& f) -> outcome {
        if constexpr (E::removes) return f.remove(d, amount);
        unsupported("remove items");
      },
      engine_);
}

counted any_tally::count(digest d) const noexcept {
  return std::visit([&](const auto& f) { return f.count(d); }, engine_);
}

void any_tally::add_bulk(std::span<const digest> items, std::span<outcome> outcomes) {
  std::visit([&](auto& f) { f.add_bulk(items, outcomes); }, engine_);
}

void any_tally::add_bulk(std::span<const digest> items, std::span<outcome> outcomes,
                         std::span<std::uint64_t> counts) {
  std::visit(
      [&]<class E>(E& f) {
        if constexpr (std::same_as<E, tally_table>) {
          f.add_bulk(items, outcomes, counts);
        } else {
          detail::expect_as_many(items.size(), outcomes.size());
          detail::expect_as_many(items.size(), counts.size());
          for (std::size_t i = 0; i < items.size(); ++i) {
            outcomes[i] = f.add(items[i]);
            counts[i] = f.count(items[i]).upper;
          }
        }
      },
      engine_);
}

void any_tally::remove_bulk(std::span<const digest> items, std::span<outcome> outcomes) {
  std::visit(
      [&]<class E>(E& f) {
        if constexpr (E::removes) {
          f.remove_bulk(items, outcomes);
        } else {
          unsupported("remove items");
        }
      },
      engine_);
}

void any_tally::count_bulk(std::span<const digest> items, std::span<counted> answers) const {
  std::visit([&](const auto& f) { f.count_bulk(items, answers); }, engine_);
}

std::uint64_t any_tally::total() const noexcept {
  return std::visit([](const auto& f) { return f.total(); }, engine_);
}

tally_statistics any_tally::statistics() const {
  return std::visit([](const auto& f) { return f.statistics(); }, engine_);
}

double any_tally::confidence() const {
  return std::visit([](const auto& f) { return f.confidence(); }, engine_);
}

double any_tally::cardinality() const {
  return std::visit(
      [](const auto& f) {
        if constexpr (requires { f.prints(); }) {
          return static_cast<double>(f.prints());
        } else {
          return f.statistics().distinct;
        }
      },
      engine_);
}

std::uint64_t any_tally::room_for(std::uint64_t n, double error) const {
  return std::visit(
      [&](const auto& f) {
        if constexpr (requires { f.room_for(n); }) n = f.room_for(n);
        return detail::room_in(f, cardinality(), n, error);
      },
      engine_);
}

template class detail::handle<any_tally, tally_engines>;
BLOOMTIME_VALUE_OF(any_tally);

}  // namespace bloomtime
