#include <algorithm>
#include <concepts>
#include <variant>

#include <bloomtime/detail/side_table.hpp>
#include <bloomtime/heat/decay.hpp>

#include "growth.hpp"
#include "heat.hpp"
#include "settings.hpp"

namespace bloomtime::redis {
namespace {

constexpr std::uint64_t usual_top = 100;
constexpr std::uint64_t most_top = 100'000;

// A key may be quiet for any time, so no event is too far ahead of the one before.
constexpr std::chrono::microseconds any_time_ahead = std::chrono::microseconds::max();

// Ages count in ticks: a 32nd of the half-life, from a millisecond to a second.
std::chrono::microseconds tick_for(std::uint64_t half_life_ms) {
  return span_of_ms(std::clamp<std::uint64_t>(half_life_ms / 32, 1, 1000));
}

// A window of milliseconds has slots of whole microseconds with one of these numbers.
std::uint64_t slots_for(std::uint64_t window_ms) { return window_ms * 1000 % 60 == 0 ? 60 : 50; }

bool has_half_life(const any_heat& filter, std::uint64_t half_life_ms) {
  return std::visit(
      [&](const auto& e) {
        if constexpr (decaying<std::decay_t<decltype(e)>>) {
          return e.decay() == decay::by_half_life(span_of_ms(half_life_ms), e.clock().resolution());
        }
        return false;
      },
      filter.get());
}

bool has_window(const any_heat& filter, std::uint64_t window_ms) {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        std::uint64_t slots = 0;
        if constexpr (std::same_as<Engine, window_table>) slots = e.slots();
        // A ring has one more, for the slot that leaves the window.
        if constexpr (std::same_as<Engine, decay_ring>) slots = e.slots() - 1;
        const std::uint64_t micros = window_ms * 1000;
        return slots != 0 && micros % slots == 0 &&
               e.clock().resolution().count() == static_cast<std::int64_t>(micros / slots);
      },
      filter.get());
}

// A hot list takes up to 512 bytes for an entry and its index, and the texts. It grows by a
// quarter.
std::uint64_t growth_of_list(const hot_list& list, const additions& items) {
  std::uint64_t text_bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    text_bytes += std::min(items.text(i).size(), hot_list::longest_text);
  }
  const std::uint64_t entries = std::min(items.size(), list.entries() - list.listed());
  return list.memory() / 4 + 512 * entries + 2 * text_bytes + 1024;
}

// Counts too large for a block are in a table of their own, and any item may get such a count.
std::uint64_t growth_of_large(std::uint64_t large, std::uint64_t items) {
  return detail::side_table::bytes_for(large + items + 1) - detail::side_table::bytes_for(large);
}

std::uint64_t growth_of_engine(const any_heat& heat, std::uint64_t items, std::uint64_t memory) {
  const std::uint64_t table = growth_of_table(memory, 2 * items);
  if (const heat_table* const t = std::get_if<heat_table>(&heat.get())) {
    return table + growth_of_large(t->large_counts(), items);
  }
  return std::holds_alternative<window_table>(heat.get()) ? table : 0;
}

}  // namespace

bool heat_family::parameters::read_decay(arguments& in) {
  if (!in.option("HALFLIFE")) return false;
  half_life_ms = in.span_ms("halflife");
  return true;
}

bool heat_family::parameters::read_option(arguments& in) {
  if (read_basic(in) || read_decay(in)) return true;
  if (in.option("WINDOW")) {
    window_ms = in.span_ms("window");
  } else if (in.option("SLOTS")) {
    slots = in.whole("slots", 1, 1023);
  } else if (in.option("TOPK")) {
    top = in.whole("topk", 0, most_top);
  } else {
    return false;
  }
  return true;
}

void heat_family::parameters::expect_same(const content& filter) const {
  expect_basic(filter);
  const any_heat& heat = filter.heat();
  if (half_life_ms && !has_half_life(heat, *half_life_ms)) {
    fail("bad halflife: the key has another one");
  }
  if (window_ms && !has_window(heat, *window_ms)) fail("bad window: the key has another one");
  if (top && *top != (filter.hot() ? filter.hot()->entries() : 0)) {
    fail("bad topk: the key has another one");
  }
}

void heat_family::parameters::resolve() {
  if (window_ms && half_life_ms) fail("WINDOW and HALFLIFE exclude each other");
  if (slots && !window_ms) fail("SLOTS needs WINDOW");
  if (window_ms) {
    if (top.value_or(0) != 0) fail("TOPK needs HALFLIFE");
    top = 0;
    if (!slots) slots = slots_for(*window_ms);
  } else if (!half_life_ms) {
    half_life_ms = configured().halflife_ms;
  }
  if (!top) top = usual_top;
  resolve_basic(window_ms ? window_table::name : any_heat::engines().front());
}

void heat_family::parameters::write_options(canonical_form& form) const {
  if (half_life_ms) form.add("HALFLIFE", *half_life_ms);
  if (window_ms) form.add("WINDOW", *window_ms).add("SLOTS", *slots);
  if (!window_ms) form.add("TOPK", *top);
  write_basic(form);
}

heat_family::content heat_family::parameters::make() const {
  any_heat_config config;
  config.items = *capacity;
  config.error = error;
  config.seed = *seed;
  config.ahead = any_time_ahead;
  if (window_ms) {
    config.window = span_of_ms(*window_ms);
    config.slots = static_cast<unsigned>(*slots);
    return {any_heat::make(config, engine), std::nullopt};
  }
  config.half_life = span_of_ms(*half_life_ms);
  config.tick = tick_for(*half_life_ms);
  any_heat heat = any_heat::make(config, engine);
  if (*top == 0) return {std::move(heat), std::nullopt};
  hot_list list({.entries = *top,
                 .half_life = config.half_life,
                 .tick = *config.tick,
                 .ahead = any_time_ahead,
                 .buckets = 1,
                 .seed = *seed});
  return {std::move(heat), std::move(list)};
}

std::uint64_t heat_family::growth(const content& filter, const additions& items,
                                  std::uint64_t memory) {
  const std::uint64_t bytes = growth_of_engine(filter.heat(), items.size(), memory);
  return filter.hot() ? bytes + growth_of_list(*filter.hot(), items) : bytes;
}

}  // namespace bloomtime::redis
