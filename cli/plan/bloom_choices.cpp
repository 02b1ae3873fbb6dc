#include "cli/plan/bloom_choices.hpp"

#include <bloomtime/error.hpp>

namespace bloomtime::cli {
namespace {

constexpr unsigned line_words = 8;  // more probes than this put two bits into some words

math::bloom_size sized(const plan_target& target, layout kind, unsigned most_k) {
  return target.error ? math::size_for_error(kind, target.items, *target.error, most_k)
                      : math::size_for_bits(kind, target.items, *target.memory * 8, most_k);
}

math::bloom_size planned(const plan_target& target) {
  return target.error ? math::plan_bloom(target.items, *target.error)
                      : math::plan_bloom_in_bits(target.items, *target.memory * 8);
}

// Nothing if a line layout would be too large, or the memory is smaller than one line.
std::optional<math::bloom_size> sized_line(const plan_target& target, unsigned most_k) {
  if (target.memory && *target.memory * 8 < math::line_bits) return std::nullopt;
  try {
    return sized(target, layout::line, most_k);
  } catch (const error& e) {
    if (e.code() == errc::too_large) return std::nullopt;
    throw;
  }
}

bloom_choice choice_of(const math::bloom_size& size) {
  if (size.layout == layout::flat) return {"flat", size, {}, false, {}};
  if (size.k <= line_words) return {"line", size, 1, false, {}};
  return {"line_2", size, 2, false, {}};
}

// A configuration names a layout or leaves it to the planner; either gives one size.
std::optional<bloom_config> config_of(const plan_target& target, const math::bloom_size& size) {
  bloom_config config{.items = target.items, .error = target.error, .memory = target.memory};
  if (size == planned(target)) return config;
  config.layout = size.layout;
  if (size == sized(target, size.layout, math::max_k(size.layout))) return config;
  return std::nullopt;
}

}  // namespace

std::vector<bloom_choice> bloom_choices(const plan_target& target) {
  std::vector<bloom_choice> choices;
  choices.push_back(choice_of(sized(target, layout::flat, math::max_k(layout::flat))));
  const auto one_bit = sized_line(target, line_words);
  const auto two_bits = sized_line(target, math::max_k(layout::line));
  if (one_bit) choices.push_back(choice_of(*one_bit));
  if (two_bits && two_bits != one_bit) choices.push_back(choice_of(*two_bits));
  const std::string best = choice_of(planned(target)).variant;
  for (bloom_choice& c : choices) {
    c.recommended = c.variant == best;
    c.config = config_of(target, c.size);
  }
  return choices;
}

}  // namespace bloomtime::cli
