#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/math/bloom.hpp>

#include "cli/plan/bloom_measure.hpp"
#include "cli/plan/planner.hpp"
#include "cli/text.hpp"
#include "store/lock.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t least_memory = 8;  // one word of bits
// Memory of an exact answer: a std::unordered_set of 8-byte keys has a 32-byte node per item and
// one to two 8-byte bucket pointers, 1.5 on average between two rehashes.
constexpr std::uint64_t hash_set_bytes_per_item = 32 + 12;

plan_target target_for(const plan_options& given) {
  const plan_target target = target_of("bloom", given);
  if (!given.save.empty() && !given.measure) {
    refuse("--save keeps the filter that --measure builds; give both");
  }
  if (target.memory && *target.memory < least_memory) {
    refuse("--memory of a Bloom filter must be at least {} bytes, got {}", least_memory,
           given.memory);
  }
  return target;
}

// -- choices -------------------------------------------------------------------------------------

struct bloom_choice {
  std::string variant;  // flat, line, line_2
  math::bloom_size size{};
  std::optional<unsigned> bits_per_word;  // of a line
  bool recommended = false;

  // The configuration that builds exactly this filter, if there is one.
  std::optional<bloom_config> config;
};

constexpr unsigned line_words = 8;  // more probes than this put two bits into some words

math::bloom_size size_of(const plan_target& target, layout kind, unsigned most_k) {
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
    return size_of(target, layout::line, most_k);
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
  if (size == size_of(target, size.layout, math::max_k(size.layout))) return config;
  return std::nullopt;
}

// Every filter that can be built for the target; exactly one is recommended. line_2 is listed only
// if it differs from line.
std::vector<bloom_choice> bloom_choices(const plan_target& target) {
  std::vector<bloom_choice> choices;
  choices.push_back(choice_of(size_of(target, layout::flat, math::max_k(layout::flat))));
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

// -- candidates ----------------------------------------------------------------------------------

std::vector<column> columns(bool measured) {
  using enum audience;
  std::vector<column> all{{"bits_per_word", "", side::right, programs},
                          k_column(),
                          {"cache_lines", "lines", side::right, everybody, 3}};
  const std::vector<column> more{{"measured_error", "measured"},
                                 {"", "99.9 % range", side::right, people, 5},
                                 {"false_positives", "", side::right, programs},
                                 {"queries", "", side::right, programs},
                                 {"expected_low", "", side::right, programs},
                                 {"expected_high", "", side::right, programs},
                                 {"add_ns", "add", side::right, everybody, 2},
                                 {"lookup_ns", "lookup"}};
  if (measured) all.insert(all.end(), more.begin(), more.end());
  return all;
}

candidate candidate_of(const bloom_choice& c) {
  const bool line = c.size.layout == layout::line;
  return {.engine = "bloom_filter",
          .variant = c.variant,
          .bits = static_cast<double>(c.size.bits),
          .error = c.size.error,
          .guarantee = "no false negatives",
          .more = {c.bits_per_word ? count_cell(*c.bits_per_word) : nothing(), count_cell(c.size.k),
                   count_cell(line ? 1 : c.size.k)},
          .recommended = c.recommended};
}

void add_measurement(candidate& to, const bloom_measurement& m) {
  const std::string mark = m.kept() ? " ✓" : " ✗";
  to.more.push_back(
      {m.error(), probability_text(m.error(), to.error) + mark, m.kept() ? look::good : look::bad});
  to.more.push_back({{}, probability_text(m.lowest_expected(), m.highest_expected(), to.error)});
  to.more.push_back(count_cell(m.false_positives));
  to.more.push_back(count_cell(m.queries));
  to.more.push_back({m.lowest_expected(), ""});
  to.more.push_back({m.highest_expected(), ""});
  to.more.push_back(nanoseconds_cell(m.add_ns));
  to.more.push_back(nanoseconds_cell(m.lookup_ns));
}

candidate hash_set(const plan_target& target) {
  cell lines = count_cell(2);
  lines.text = "~" + lines.text;
  return {.engine = "hash_set",
          .bits = 8. * hash_set_bytes_per_item * static_cast<double>(target.items),
          .guarantee = "exact",
          .more = {nothing(), nothing(), lines},
          .estimated = true,
          .reference = true};
}

// The least memory for the error asked for, or the least error in the memory asked for.
candidate bound(const plan_target& target) {
  const auto items = static_cast<double>(target.items);
  const double each = target.error ? math::optimal_bits_per_item(*target.error)
                                   : 8 * static_cast<double>(*target.memory) / items;
  return {.engine = "bound",
          .bits = items * each,
          .error = target.error ? *target.error : std::exp2(-each),
          .guarantee = "no filter needs less",
          .reference = true};
}

// -- measuring -----------------------------------------------------------------------------------

struct measured_bloom {
  bloom_choice choice;
  std::optional<bloom_measurement> measurement;
};

bloom_filter build(const bloom_config& config) {
  try {
    return bloom_filter(config);
  } catch (const error& e) {
    if (e.code() != errc::out_of_memory) throw;
    throw usage_error(std::string(e.what()) + ". Try fewer items, or without --measure");
  }
}

std::optional<bloom_measurement> measured(const bloom_choice& c, const plan_options& given) {
  if (!given.measure || !c.config) return std::nullopt;
  bloom_filter filter = build(*c.config);
  const bloom_measurement found = measure(filter);
  if (c.recommended && !given.save.empty()) {
    const store::signals_held until_written;
    filter.save(given.save);
  }
  return found;
}

// -- in words ------------------------------------------------------------------------------------

std::string percent_more(const bloom_choice& c, const bloom_choice& than) {
  const double share = static_cast<double>(c.size.bits) / static_cast<double>(than.size.bits) - 1;
  return fmt::format("{:.1f} % more memory", 100 * share);
}

// What a line costs against flat.
std::string price(const bloom_choice& line, const bloom_choice& flat, const plan_target& target) {
  return target.error
             ? percent_more(line, flat) + " than flat"
             : fmt::format("an error of {} instead of flat's {}", probability_text(line.size.error),
                           probability_text(flat.size.error));
}

std::string reason(const std::vector<measured_bloom>& all, const plan_target& target) {
  const measured_bloom& flat = all.front();
  const auto best = std::find_if(all.begin(), all.end(),
                                 [](const measured_bloom& m) { return m.choice.recommended; });
  if (best == all.begin()) {
    if (all.size() < 2) return "Recommended: flat; no other layout fits.";
    return fmt::format("Recommended: flat; one cache line per lookup would mean {}.",
                       price(all.back().choice, flat.choice, target));
  }
  const std::string gain =
      best->measurement && flat.measurement
          ? fmt::format("a lookup takes {} instead of {}",
                        nanoseconds_text(best->measurement->lookup_ns),
                        nanoseconds_text(flat.measurement->lookup_ns))
          : fmt::format("a lookup reads one cache line instead of {}", flat.choice.size.k);
  return fmt::format("Recommended: {}; for {}, {}.", best->choice.variant,
                     price(best->choice, flat.choice, target), gain);
}

std::vector<std::string> closing(const std::vector<measured_bloom>& all, const plan_options& given,
                                 const plan_target& target) {
  std::vector<std::string> words{reason(all, target)};
  if (!given.measure) {
    words.emplace_back("Next: --measure builds these filters and measures them.");
    return words;
  }
  for (const auto& [choice, m] : all) {
    if (!m || m->kept()) continue;
    words.push_back(fmt::format("{} has a measured error of {}, above its 99.9 % range.",
                                choice.variant, probability_text(m->error(), choice.size.error)));
  }
  words.push_back(given.save.empty()
                      ? next_step(target) + " --save FILE keeps the recommended filter."
                      : fmt::format("Saved to {0}. Next: bloomtime info {0}", given.save));
  return words;
}

plan make(const plan_options& given) {
  plan what{.subject = {},
            .target = target_for(given),
            .fields = {{"saved_to", given.save.empty() ? value() : value(given.save)}},
            .columns = columns(given.measure)};
  what.subject = "Bloom filter for " + count_of(what.target.items, "item");
  std::vector<measured_bloom> all;
  what.candidates = sized([&] {
    std::vector<candidate> candidates;
    for (bloom_choice& c : bloom_choices(what.target)) {
      candidates.push_back(candidate_of(c));
      all.push_back({std::move(c), std::nullopt});
    }
    return candidates;
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].measurement = measured(all[i].choice, given);
    if (all[i].measurement) add_measurement(what.candidates[i], *all[i].measurement);
  }
  what.candidates.push_back(hash_set(what.target));
  what.candidates.push_back(bound(what.target));
  what.closing = closing(all, given, what.target);
  return what;
}

}  // namespace

planner bloom_planner() {
  return {
      .family = "bloom",
      .summary = "size a Bloom filter (was this item ever added?)",
      .usage = "--items N (--error E | --memory SIZE) [--measure [--save FILE]]",
      .examples =
          "bloomtime plan bloom --items 1M --error 1%              memory for an error\n"
          "bloomtime plan bloom --items 2.5k --error 1e-6          few items, a small error\n"
          "bloomtime plan bloom --items 10^9 --memory 1GiB         error for a memory\n"
          "bloomtime plan bloom --items 1M --error 1% --measure    build each filter and measure\n"
          "bloomtime plan bloom --items 1M --error 1% --measure --save users.bloom\n"
          "bloomtime plan bloom --items 1M --error 1% --json | jq '.choices[] | "
          "select(.recommended)'",
      .items = "different items",
      .error_means = "a lookup of an absent item answers yes",
      .keys = {{"k", "bits set per item"},
               {"cache_lines", "cache lines read by a lookup that answers yes"},
               {"bits_per_word", "1 or 2 in the line layout"},
               {"measured_error", "with --measure: false positives among items never added"},
               {"false_positives, queries", "the numbers behind it"},
               {"expected_low, expected_high", "its 99.9 % range if the planned error is right"},
               {"add_ns, lookup_ns", "nanoseconds per item in bulk calls"}},
      .fields = {{"saved_to", "the file of --save"}},
      .engines =
          "bloom_filter, flat: bits anywhere; line: all bits of an item in one cache line, one per "
          "64-bit word; line_2: up to two per word, where that differs. hash_set: an exact "
          "std::unordered_set of 8-byte keys, estimated at 44 bytes per item. bound: log2(1 / "
          "error) bits per item, the least that any filter needs",
      .options = {memory_option(),
                  {"--measure", &plan_options::measure, "",
                   "build each filter with N generated items, query as many others, time both"},
                  {"--save", &plan_options::save, "FILE",
                   "keep the recommended filter that was measured"}},
      .make = make};
}

}  // namespace bloomtime::cli
