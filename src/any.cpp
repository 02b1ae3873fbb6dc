#include <bloomtime/any.hpp>

#include <cstdint>
#include <optional>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/history/any_history.hpp>
#include <bloomtime/recency/recency_engine.hpp>

#include "recency/any_recency_facts.hpp"

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

// What all engines that count tell, and then what this one does.
template <class Engine>
std::vector<fact> tally_facts(const Engine& f, const char* engine, layout kind,
                              const std::vector<fact>& more) {
  const tally_statistics s = f.statistics();
  std::vector<fact> facts{
      {"family", std::string(name_of(family::tally))},
      {"engine", engine},
      {"layout", std::string(name_of(kind))},
      {"memory", f.memory()},
      {"cells", f.cells()},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"total", s.total},
      {"distinct", s.distinct},
      {"largest", s.largest},
      {"saturated", s.saturated},
  };
  facts.insert(facts.end(), more.begin(), more.end());
  return facts;
}

std::vector<fact> facts_of(const published::counting_filter& f) {
  return tally_facts(f, "counting_filter", layout::rows,
                     {{"cell_bits", std::uint64_t{f.cell_bits()}}});
}

std::string rule_name(published::spectral_rule rule) {
  return rule == published::spectral_rule::selection  ? "minimum selection"
         : rule == published::spectral_rule::increase ? "minimum increase"
                                                      : "recurring minimum";
}

template <published::spectral_rule Rule>
std::vector<fact> facts_of(const published::basic_spectral_filter<Rule>& f) {
  return tally_facts(f, "spectral_filter", layout::rows,
                     {{"rule", rule_name(Rule)}, {"counter_bits", f.bits().counters}});
}

std::vector<fact> facts_of(const published::dynamic_count_filter& f) {
  return tally_facts(f, "dynamic_count_filter", layout::rows,
                     {{"base_bits", std::uint64_t{f.base_bits()}},
                      {"overflow_bits", std::uint64_t{f.overflow_bits()}},
                      {"growths", f.growths()},
                      {"shrinks", f.shrinks()}});
}

template <tally_rule Rule>
std::vector<fact> facts_of(const basic_tally_filter<Rule>& f) {
  return tally_facts(f, Rule == tally_rule::all ? "tally_filter" : "rising_tally", layout::line,
                     {{"cell_bits", std::uint64_t{f.cell_bits()}}, {"large", f.large()}});
}

[[noreturn]] void refuse_engine(const std::string& family, std::uint8_t engine) {
  throw error(errc::unknown_kind, "this container holds a filter of family " + family +
                                      ", engine " + std::to_string(engine) +
                                      ", which this bloomtime does not know");
}

std::vector<fact> facts_of(const history& h) { return examine(h); }

template <recency_engine Engine>
std::vector<fact> facts_of(const Engine& f) {
  auto facts = detail::recency_facts(f);
  const auto scanned = detail::scanned_recency_facts(f);
  facts.insert(facts.end(), scanned.begin(), scanned.end());
  return facts;
}

any_filter load_spectral(std::span<const std::byte> container) {
  switch (published::rule_of(detail::container_view::parse(container))) {
    case published::spectral_rule::selection: return published::spectral_filter::load(container);
    case published::spectral_rule::increase:
      return published::rising_spectral_filter::load(container);
    case published::spectral_rule::recurrence: break;
  }
  return published::recurring_spectral_filter::load(container);
}

any_filter load_tally(std::uint8_t engine, std::span<const std::byte> container) {
  if (engine == published::counting_filter::engine_id)
    return published::counting_filter::load(container);
  if (engine == published::spectral_filter::engine_id) return load_spectral(container);
  if (engine == published::dynamic_count_filter::engine_id)
    return published::dynamic_count_filter::load(container);
  if (engine == tally_filter::engine_id) return tally_filter::load(container);
  if (engine == rising_tally::engine_id) return rising_tally::load(container);
  refuse_engine("5 (tally)", engine);
}

// Whether a container of this kind is this Engine's, where several share one engine id.
template <class Engine>
bool reads(const detail::container_view& view) {
  if (!Engine::kind.accepts(view.info())) return false;
  if constexpr (requires { Engine::reads(view); }) {
    return Engine::reads(view);
  } else {
    return true;
  }
}

// Loads the first alternative from I on that reads the container, if any does.
template <std::size_t I = 0>
std::optional<any_filter> load_alternative(const detail::container_view& view,
                                           std::span<const std::byte> container) {
  if constexpr (I == std::variant_size_v<any_filter>) {
    return std::nullopt;
  } else {
    using engine = std::variant_alternative_t<I, any_filter>;
    if constexpr (requires { engine::kind.accepts(view.info()); }) {
      if (reads<engine>(view)) return engine::load(container);
    }
    return load_alternative<I + 1>(view, container);
  }
}

}  // namespace

any_filter load_any(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  if (auto filter = load_alternative(view, container)) return *std::move(filter);
  const detail::container_info& info = view.info();
  if (info.family == family::bloom) refuse_engine("1 (bloom)", info.engine);
  if (info.family == family::heat) refuse_engine("2 (heat)", info.engine);
  if (info.family == family::history) refuse_engine("3 (history)", info.engine);
  if (info.family == family::recency) refuse_engine("4 (recency)", info.engine);
  if (info.family == family::tally) return load_tally(info.engine, container);
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
  return std::visit(
      [](const auto& f) {
        if constexpr (requires { facts_of(f); }) {
          return facts_of(f);
        } else {
          return describe(f);
        }
      },
      filter);
}

}  // namespace bloomtime
