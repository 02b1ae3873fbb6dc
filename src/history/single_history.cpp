#include <bloomtime/history/single_history.hpp>

#include <string>

#include <bloomtime/detail/tick_span.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/math/history.hpp>

namespace bloomtime {
namespace {

math::filter_size size_of(const single_config& c) {
  const auto refuse = [](const std::string& why) { throw error(errc::invalid_argument, why); };
  if (c.error.has_value() == c.memory.has_value()) {
    refuse(std::string("a single history is sized by error or by memory, and got ") +
           (c.error ? "both" : "neither"));
  }
  if (c.ticks == 0) refuse("a single history spans at least one tick");
  if (c.error) {
    if (c.k)
      refuse("the number of hash functions follows from the error; give memory to choose it");
    return math::single_size_for_error(c.pairs, *c.error, c.length);
  }
  if (*c.memory < 8 || *c.memory > detail::max_buffer_bytes) {
    refuse("a single history has 8 to " + std::to_string(detail::max_buffer_bytes) +
           " bytes, asked for " + std::to_string(*c.memory));
  }
  const std::uint64_t bits = *c.memory * 8;
  const unsigned k = c.k ? *c.k : math::k_for(static_cast<double>(c.pairs), bits);
  if (k == 0 || k > detail::max_flat_k) {
    refuse("a single history has 1 to 64 hash functions, asked for " + std::to_string(k));
  }
  return {bits, k};
}

}  // namespace

single_history::single_history(const single_config& config)
    : filter_(size_of(config)),
      ticks_(config.ticks),
      clock_(config.resolution, config.origin),
      seed_(config.seed) {}

outcome single_history::add_at(digest d, tick t) noexcept {
  const outcome became = detail::placed(t, ticks_);
  if (became != outcome::added) return became;
  filter_.insert(derive(d, static_cast<std::uint64_t>(t.number)));
  ++records_;
  return became;
}

sighting single_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  probes = 0;
  const auto range = detail::clipped(asked, ticks_);
  if (!range) return sighting::no;
  for (std::uint64_t t = range->first; t <= range->last; ++t) {
    ++probes;
    if (filter_.contains(derive(d, t))) return sighting::maybe;
  }
  return sighting::no;
}

double single_history::error(std::uint64_t length) const {
  return math::error_of_probes(filter_.error(), static_cast<double>(length));
}

}  // namespace bloomtime
