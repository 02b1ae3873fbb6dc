#include <bloomtime/tally/any_tally.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include <bloomtime/detail/file.hpp>

#include "detail/handle.hpp"

namespace bloomtime {
namespace {

using namespace published;
using engines_type = any_tally::engines_type;

// -- parameters --------------------------------------------------------------------------------

void refuse_dynamic(std::string_view engine, const any_tally_config& c) {
  detail::refuse_given(engine, {{"base_bits", c.base_bits.has_value()},
                                {"threshold", c.threshold.has_value()},
                                {"shrinking", c.shrinking.has_value()}});
}

template <tally_rule Rule>
basic_tally_filter<Rule> made(const any_tally_config& c,
                              std::type_identity<basic_tally_filter<Rule>> type) {
  using engine = typename decltype(type)::type;
  refuse_dynamic(engine::name, c);
  detail::refuse_given(engine::name, {{"k", c.k.has_value()},
                                      {"counters_per_slack", c.counters_per_slack.has_value()}});
  return engine({.items = c.items,
                 .error = c.error,
                 .memory = c.memory,
                 .total = c.total.value_or(0),
                 .cell_bits = c.cell_bits,
                 .large_memory = c.large_memory,
                 .seed = c.seed});
}

counting_filter made(const any_tally_config& c, std::type_identity<counting_filter>) {
  refuse_dynamic(counting_filter::name, c);
  detail::refuse_given(counting_filter::name,
                       {{"total", c.total.has_value()},
                        {"large_memory", c.large_memory.has_value()},
                        {"counters_per_slack", c.counters_per_slack.has_value()}});
  return counting_filter({.items = c.items,
                          .error = c.error,
                          .memory = c.memory,
                          .k = c.k,
                          .cell_bits = c.cell_bits.value_or(counting_config().cell_bits),
                          .seed = c.seed});
}

template <spectral_rule Rule>
basic_spectral_filter<Rule> made(const any_tally_config& c,
                                 std::type_identity<basic_spectral_filter<Rule>> type) {
  using engine = typename decltype(type)::type;
  refuse_dynamic(engine::name, c);
  detail::refuse_given(engine::name, {{"total", c.total.has_value()},
                                      {"cell_bits", c.cell_bits.has_value()},
                                      {"large_memory", c.large_memory.has_value()}});
  const unsigned usual = spectral_config().counters_per_slack;
  return engine({.items = c.items,
                 .error = c.error,
                 .memory = c.memory,
                 .k = c.k,
                 .counters_per_slack = c.counters_per_slack.value_or(usual),
                 .seed = c.seed});
}

dynamic_count_filter made(const any_tally_config& c, std::type_identity<dynamic_count_filter>) {
  detail::refuse_given(dynamic_count_filter::name,
                       {{"cell_bits", c.cell_bits.has_value()},
                        {"large_memory", c.large_memory.has_value()},
                        {"counters_per_slack", c.counters_per_slack.has_value()}});
  const dynamic_count_config usual;
  return dynamic_count_filter({.items = c.items,
                               .error = c.error,
                               .memory = c.memory,
                               .k = c.k,
                               .total = c.total.value_or(0),
                               .base_bits = c.base_bits,
                               .threshold = c.threshold.value_or(usual.threshold),
                               .shrinking = c.shrinking.value_or(usual.shrinking),
                               .seed = c.seed});
}

template <std::size_t I = 0>
any_tally make_named(const any_tally_config& c, std::string_view name) {
  if constexpr (I == std::variant_size_v<engines_type>) {
    detail::refuse_engine("tally", name, any_tally::engines());
  } else {
    using engine = std::variant_alternative_t<I, engines_type>;
    if (name == engine::name) return any_tally(made(c, std::type_identity<engine>()));
    return make_named<I + 1>(c, name);
  }
}

// -- facts -------------------------------------------------------------------------------------

template <tally_rule Rule>
std::vector<fact> own_facts(const basic_tally_filter<Rule>& f) {
  return {{"cell_bits", std::uint64_t{f.cell_bits()}}, {"large", f.large()}};
}

std::vector<fact> own_facts(const counting_filter& f) {
  return {{"cell_bits", std::uint64_t{f.cell_bits()}}};
}

template <spectral_rule Rule>
std::vector<fact> own_facts(const basic_spectral_filter<Rule>& f) {
  const char* const rule = Rule == spectral_rule::selection  ? "minimum selection"
                           : Rule == spectral_rule::increase ? "minimum increase"
                                                             : "recurring minimum";
  return {{"rule", rule}, {"counter_bits", f.bits().counters}};
}

std::vector<fact> own_facts(const dynamic_count_filter& f) {
  return {{"base_bits", std::uint64_t{f.base_bits()}},
          {"overflow_bits", std::uint64_t{f.overflow_bits()}},
          {"growths", f.growths()},
          {"shrinks", f.shrinks()}};
}

template <class Engine>
constexpr layout layout_of = layout::rows;
template <tally_rule Rule>
constexpr layout layout_of<basic_tally_filter<Rule>> = layout::line;

}  // namespace

template <tally_engine Engine>
std::vector<fact> describe(const Engine& f) {
  std::vector<fact> facts{
      {"family", std::string(name_of(family::tally))},
      {"engine", std::string(Engine::name)},
      {"layout", std::string(name_of(layout_of<Engine>))},
      {"memory", f.memory()},
      {"cells", f.cells()},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"total", f.total()},
  };
  const std::vector<fact> own = own_facts(f);
  facts.insert(facts.end(), own.begin(), own.end());
  return facts;
}

template <tally_engine Engine>
std::vector<fact> examine(const Engine& f) {
  std::vector<fact> facts = describe(f);
  const tally_statistics s = f.statistics();
  facts.push_back({"distinct", s.distinct});
  facts.push_back({"largest", s.largest});
  facts.push_back({"saturated", s.saturated});
  facts.push_back({"error_now", f.current_error()});
  return facts;
}

#define BLOOMTIME_FACTS_OF(engine)                                 \
  static_assert(tally_engine<engine>);                             \
  static_assert(removing_tally_engine<engine> == engine::removes); \
  template std::vector<fact> describe(const engine&);              \
  template std::vector<fact> examine(const engine&)
BLOOMTIME_FACTS_OF(tally_filter);
BLOOMTIME_FACTS_OF(rising_tally);
BLOOMTIME_FACTS_OF(counting_filter);
BLOOMTIME_FACTS_OF(spectral_filter);
BLOOMTIME_FACTS_OF(rising_spectral_filter);
BLOOMTIME_FACTS_OF(recurring_spectral_filter);
BLOOMTIME_FACTS_OF(dynamic_count_filter);
#undef BLOOMTIME_FACTS_OF

// -- the handle --------------------------------------------------------------------------------

std::span<const std::string_view> any_tally::engines() noexcept {
  return detail::names<engines_type>;
}

any_tally any_tally::make(const any_tally_config& config, std::string_view engine) {
  return make_named(config, engine);
}

std::string_view any_tally::engine() const noexcept { return engines()[engine_.index()]; }

bool any_tally::removes() const noexcept {
  return std::visit([]<class E>(const E&) { return E::removes; }, engine_);
}

std::uint64_t any_tally::seed() const noexcept {
  return std::visit([](const auto& f) { return f.seed(); }, engine_);
}

outcome any_tally::add(digest d, std::uint64_t amount) {
  return std::visit([&](auto& f) { return f.add(d, amount); }, engine_);
}

namespace {

[[noreturn]] void refuse_removal(std::string_view engine) {
  throw error(errc::unsupported, "a " + std::string(engine) + " counts items that only come; use " +
                                     std::string(tally_filter::name) + " to remove them");
}

}  // namespace

outcome any_tally::remove(digest d, std::uint64_t amount) {
  return std::visit(
      [&]<class E>(E& f) -> outcome {
        if constexpr (E::removes) return f.remove(d, amount);
        refuse_removal(E::name);
      },
      engine_);
}

counted any_tally::count(digest d) const noexcept {
  return std::visit([&](const auto& f) { return f.count(d); }, engine_);
}

void any_tally::add_bulk(std::span<const digest> items, std::span<outcome> outcomes) {
  std::visit([&](auto& f) { f.add_bulk(items, outcomes); }, engine_);
}

void any_tally::remove_bulk(std::span<const digest> items, std::span<outcome> outcomes) {
  std::visit(
      [&]<class E>(E& f) {
        if constexpr (E::removes) {
          f.remove_bulk(items, outcomes);
        } else {
          refuse_removal(E::name);
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

const bloomtime::losses& any_tally::losses() const noexcept {
  return std::visit([](const auto& f) -> const bloomtime::losses& { return f.losses(); }, engine_);
}

void any_tally::clear() {
  std::visit([](auto& f) { f.clear(); }, engine_);
}

void any_tally::merge(const any_tally& other) {
  std::visit(
      [&]<class E>(E& f) {
        const E* const theirs = std::get_if<E>(&other.engine_);
        if (theirs == nullptr) {
          throw error(errc::incompatible, "a merge needs the same engine on both sides, got " +
                                              std::string(engine()) + " and " +
                                              std::string(other.engine()));
        }
        f.merge(*theirs);
      },
      engine_);
}

// A copy owns new memory.
void any_tally::relocate() { engine_ = engines_type(engine_); }

std::uint64_t any_tally::memory() const noexcept {
  return std::visit([](const auto& f) { return f.memory(); }, engine_);
}

double any_tally::cardinality() const {
  return std::visit([](const auto& f) { return f.statistics().distinct; }, engine_);
}

// Steps that double first: the error of far too many items takes long to compute.
std::uint64_t any_tally::room_for(std::uint64_t n, double error) const {
  const double there = std::ceil(cardinality());
  if (!(there < 0x1p63)) return 0;
  if (error >= 1) return n;
  const auto now = static_cast<std::uint64_t>(there);
  const auto fits = [&](std::uint64_t more) {
    return more <= n && more <= ~std::uint64_t{0} - now &&
           std::visit([&](const auto& f) { return f.predicted_error(now + more) <= error; },
                      engine_);
  };
  std::uint64_t room = 0;
  std::uint64_t step = 1;
  for (; fits(room + step); step *= 2) room += step;
  for (; step > 0; step /= 2) {
    if (fits(room + step)) room += step;
  }
  return room;
}

std::vector<fact> any_tally::describe() const {
  return std::visit([](const auto& f) { return bloomtime::describe(f); }, engine_);
}

std::vector<fact> any_tally::examine() const {
  return std::visit([](const auto& f) { return bloomtime::examine(f); }, engine_);
}

std::uint64_t any_tally::identity() const {
  return detail::container_view::parse(serialize()).identity();
}

std::vector<std::byte> any_tally::serialize() const {
  return std::visit([](const auto& f) { return f.serialize(); }, engine_);
}

std::uint64_t any_tally::serialized_size() const {
  return std::visit([](const auto& f) { return f.serialized_size(); }, engine_);
}

void any_tally::write_to(const byte_sink& sink) const {
  std::visit([&](const auto& f) { f.write_to(sink); }, engine_);
}

void any_tally::save(const std::filesystem::path& path) const {
  std::visit([&](const auto& f) { f.save(path); }, engine_);
}

any_tally any_tally::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  auto engine = detail::load_alternative<engines_type>(view, container);
  if (!engine) view.expect_kind(family::tally, tally_filter::kind.engines[0], "a tally");
  return std::visit([](auto&& f) { return any_tally(std::move(f)); }, *std::move(engine));
}

any_tally any_tally::load(const std::filesystem::path& path) {
  return load(detail::mapped_file::open(path)->bytes());
}

BLOOMTIME_VALUE_OF(any_tally);

}  // namespace bloomtime
