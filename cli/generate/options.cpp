#include "cli/generate/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "logs/times.hpp"
#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

constexpr std::uint64_t default_records = 1'000'000;
constexpr std::uint64_t default_items = 50'000;
constexpr std::uint64_t default_seed = 1;

struct named_option {
  std::string_view name;
  bool given;
};

// The first of these options that was given chooses the stream.
enum class kind { pairs, repeats, unique, operations, draws, visits };

kind kind_of(const generate_options& given) {
  if (!given.pairs.empty() || !given.like.empty()) return kind::pairs;
  if (!given.repeat.empty()) return kind::repeats;
  if (given.unique) return kind::unique;
  if (!given.removes.empty()) return kind::operations;
  if (!given.zipf.empty()) return kind::draws;
  return kind::visits;
}

struct sense {
  std::string_view stream;                // for errors
  std::vector<std::string_view> options;  // those that apply to it
};

sense sense_of(kind what) {
  switch (what) {
    case kind::pairs: return {"a stream with --pairs", {"--items", "--model", "--zipf", "--daily"}};
    case kind::repeats: return {"a stream with --repeat", {"--gap", "--daily"}};
    case kind::unique: return {"a stream with --unique", {"--daily"}};
    case kind::operations: return {"a stream with --removes", {"--items", "--zipf", "--daily"}};
    case kind::draws: return {"a stream with --zipf", {"--items", "--zipf", "--daily"}};
    case kind::visits: break;
  }
  return {"traffic", {"--items"}};
}

void expect_sense(const generate_options& given, kind what) {
  const named_option contradictions[] = {
      {"--pairs", !given.pairs.empty() && what != kind::pairs},
      {"--repeat", !given.repeat.empty() && what != kind::repeats},
      {"--unique", given.unique && what != kind::unique},
      {"--removes", !given.removes.empty() && what != kind::operations},
  };
  const named_option details[] = {
      {"--items", !given.items.empty()}, {"--model", !given.model.empty()},
      {"--zipf", !given.zipf.empty()},   {"--gap", !given.gap.empty()},
      {"--daily", given.daily},
  };
  const sense makes = sense_of(what);
  const auto refuse = [&](std::string_view name) {
    throw usage_error(
        fmt::format("{} does not take {}. See bloomtime generate --help.", makes.stream, name));
  };
  for (const named_option& o : contradictions) {
    if (o.given) refuse(o.name);
  }
  for (const named_option& o : details) {
    const auto end = makes.options.end();
    if (o.given && std::find(makes.options.begin(), end, o.name) == end) refuse(o.name);
  }
}

// The value of the word; the error lists all words.
template <class Value>
Value choose(std::string_view option, std::string_view typed,
             std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::string words;
  for (const auto& [word, value] : choices) {
    if (word == typed) return value;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  throw usage_error(fmt::format("{} must be one of {}, got {}", option, words, shown(typed)));
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t start_of(const std::string& text) {
  for (const std::string& typed : {text, text + "T00:00:00Z"}) {
    const logs::time_reading got = logs::read_time(typed);
    if (got.ok()) return bloomtime::tick_clock().tick_of(got.time.at).number;
  }
  throw usage_error(fmt::format(
      "--start must be a date such as 2014-01-01 or seconds since 1970, got {}", shown(text)));
}

double exponent_of(std::string_view text) {
  const auto value = number_of<double>(text);
  if (value && *value >= 0 && *value <= 100) return *value;
  throw usage_error(fmt::format(
      "--zipf must be a number from 0 (all items alike) to 100, for example 1.1, got {}",
      shown(text)));
}

std::uint64_t seed_of(std::string_view text) {
  if (const auto value = number_of<std::uint64_t>(text)) return *value;
  throw usage_error(
      fmt::format("--seed must be a whole number from 0 to 2^64 - 1, got {}", shown(text)));
}

traffic::gap_law gap_of(std::string_view text) {
  using enum traffic::gap_kind;
  const auto colon = text.find(':');
  if (colon != text.npos) {
    const std::string_view word = text.substr(0, colon);
    const std::string_view value = text.substr(colon + 1);
    if (word == "fixed") return {fixed, 0, parse_seconds("--gap fixed:", value)};
    if (word == "exp") return {exponential, 0, parse_seconds("--gap exp:", value)};
    const auto dots = value.find("..");
    if (word == "uniform" && dots != value.npos) {
      return {uniform, parse_seconds("--gap uniform:", value.substr(0, dots)),
              parse_seconds("--gap uniform:", value.substr(dots + 2))};
    }
  }
  throw usage_error(fmt::format(
      "--gap must be like exp:5m (its mean), fixed:10s or uniform:1s..10m, got {}", shown(text)));
}

class planner {
 public:
  explicit planner(const generate_options& given) : given_(given) {}

  stream_config stream(kind what) const {
    switch (what) {
      case kind::pairs: return pairs();
      case kind::repeats: return repeats(share_of("--repeat", given_.repeat));
      case kind::unique: return repeats(0);
      case kind::operations:
        return traffic::operations_config{.records = records(),
                                          .items = items(),
                                          .zipf = zipf().value_or(1),
                                          .removes = share_of("--removes", given_.removes),
                                          .when = when({})};
      case kind::draws:
        return traffic::draws_config{
            .records = records(), .items = items(), .zipf = *zipf(), .when = when({})};
      case kind::visits: break;
    }
    return traffic::visits_config{
        .records = records(), .clients = items(), .when = when({.daily = true})};
  }

 private:
  std::uint64_t count(std::string_view name, const std::string& text,
                      std::uint64_t otherwise) const {
    return text.empty() ? otherwise : parse_count(name, text);
  }
  std::uint64_t records() const { return count("--records", given_.records, default_records); }
  std::uint64_t items() const { return count("--items", given_.items, default_items); }

  std::optional<double> zipf() const {
    if (given_.zipf.empty()) return std::nullopt;
    return exponent_of(given_.zipf);
  }

  traffic::span_of_time when(traffic::span_of_time span) const {
    if (!given_.start.empty()) span.start = start_of(given_.start);
    if (!given_.seconds.empty()) span.seconds = parse_seconds("--seconds", given_.seconds);
    span.daily = span.daily || given_.daily;
    return span;
  }

  std::uint64_t share_of(std::string_view option, const std::string& text) const {
    const double exact = parse_chance(option, text) * static_cast<double>(records());
    // 29 % of 100 is a little less than 29 in binary.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * exact;
    return static_cast<std::uint64_t>(std::floor(exact + rounding));
  }

  traffic::repeats_config repeats(std::uint64_t repeated) const {
    traffic::repeats_config config{.records = records(), .repeats = repeated, .when = when({})};
    if (!given_.gap.empty()) config.gap = gap_of(given_.gap);
    return config;
  }

  traffic::pairs_config pairs() const {
    using enum traffic::time_model;
    traffic::pairs_config config;
    if (given_.like.empty()) {
      expect_all_counts();
    } else {
      config = choose<traffic::pairs_config>(
          "--like", given_.like,
          {{"edgar", traffic::like_edgar()}, {"network", traffic::like_network()}});
    }
    config.records = count("--records", given_.records, config.records);
    config.items = count("--items", given_.items, config.items);
    config.pairs = count("--pairs", given_.pairs, config.pairs);
    if (!given_.model.empty()) {
      config.model = choose<traffic::time_model>(
          "--model", given_.model, {{"dense", dense}, {"bursty", bursty}, {"uniform", uniform}});
    }
    config.zipf = zipf();
    config.when = when(config.when);
    return config;
  }

  void expect_all_counts() const {
    if (!given_.records.empty() && !given_.items.empty()) return;
    throw usage_error(
        "--pairs needs --records and --items. Try bloomtime generate --records 100k --items 1k "
        "--pairs 50k");
  }

  const generate_options& given_;
};

traffic::line_form form_of(const generate_options& given, kind what) {
  using enum traffic::line_form;
  if (given.format.empty()) return what == kind::visits ? combined : tsv;
  const auto form = choose<traffic::line_form>(
      "--format", given.format, {{"combined", combined}, {"ndjson", ndjson}, {"tsv", tsv}});
  if (form == combined && what == kind::operations) {
    throw usage_error(
        "--format combined has no removes; with --removes give --format tsv or ndjson");
  }
  return form;
}

}  // namespace

generate_plan plan_of(const generate_options& given) {
  const kind what = kind_of(given);
  expect_sense(given, what);
  return {.stream = planner(given).stream(what),
          .form = form_of(given, what),
          .seed = given.seed.empty() ? default_seed : seed_of(given.seed)};
}

}  // namespace bloomtime::cli
