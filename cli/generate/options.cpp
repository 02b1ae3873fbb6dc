#include "cli/generate/options.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cli/text.hpp"
#include "logs/times.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::uint64_t default_records = 1'000'000;
constexpr std::uint64_t default_items = 50'000;
constexpr std::uint64_t generated_seed = 1;

// Bits, so that an option can name the streams that take it.
enum kind : unsigned {
  pairs = 1,
  repeats = 2,
  unique = 4,
  operations = 8,
  draws = 16,
  visits = 32
};
constexpr unsigned every = 63;

struct stream_option {
  const char* name;
  const char* type;  // empty for a flag
  const char* description;
  unsigned streams;  // that take it
  std::vector<std::string> choices = {};
};

const std::vector<stream_option>& options_of_streams() {
  static const std::vector<stream_option> all{
      {"--records", "N", "number of records (default 1M)", every},
      {"--items", "N", "different items: exactly with --pairs, else at most (default 50k)",
       pairs | operations | draws | visits},
      {"--pairs", "N", "exact number of different (item, second) pairs", pairs},
      {"--like",
       "NAME",
       "edgar or network: the sizes of published data sets",
       pairs,
       {"edgar", "network"}},
      {"--model",
       "NAME",
       "dense, bursty or uniform, with --pairs or --like",
       pairs,
       {"dense", "bursty", "uniform"}},
      {"--zipf", "Z", "exponent of Zipf's law: 1.1; 0 for equal weights",
       pairs | operations | draws},
      {"--unique", "", "no item twice", unique},
      {"--repeat", "SHARE", "share of records that repeat an item: 30%", repeats},
      {"--gap", "LAW", "exp:5m (mean), fixed:10s or uniform:1s..10m", repeats},
      {"--removes", "SHARE", "share of operations that remove: 40%, at most 50%", operations},
      {"--seconds", "TIME", "period: 86400, 90m, 24h (default 1d)", every},
      {"--start", "TIME", "start: a time as logs write it (default 2014-01-01)", every},
      {"--daily", "", "quiet night, busy day (always on for traffic and --like network)",
       every & ~visits},
      {"--seed", "N", "seed of the random numbers (default 1)", every},
      {"--format",
       "FORM",
       "combined (default for traffic), ndjson, tsv",
       every,
       {"combined", "ndjson", "tsv"}},
      {"--profile", "", "print statistics of the stream instead", every}};
  return all;
}

struct chosen_stream {
  kind what;
  const char* name;  // for errors
};

// The first of these options that was given decides.
chosen_stream stream_of(const generate_options& given) {
  if (given.has("--pairs") || given.has("--like")) return {pairs, "a stream with --pairs"};
  if (given.has("--repeat")) return {repeats, "a stream with --repeat"};
  if (given.has("--unique")) return {unique, "a stream with --unique"};
  if (given.has("--removes")) return {operations, "a stream with --removes"};
  if (given.has("--zipf")) return {draws, "a stream with --zipf"};
  return {visits, "traffic"};
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
  refuse("{} must be one of {}, got {}", option, words, shown(typed));
}

std::int64_t start_of(const std::string& text) {
  for (const std::string& typed : {text, text + "T00:00:00Z"}) {
    const logs::time_reading got = logs::read_time(typed);
    if (got.ok()) return bloomtime::tick_clock().tick_of(got.time.at).number;
  }
  refuse("--start must be a date such as 2014-01-01 or seconds since 1970, got {}", shown(text));
}

std::uint64_t seed_of(std::string_view text) {
  if (text.empty()) return generated_seed;
  if (const auto value = number_in<std::uint64_t>(text)) return *value;
  refuse("--seed must be a whole number from 0 to 2^64 - 1, got {}", shown(text));
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
  refuse("--gap must be like exp:5m (its mean), fixed:10s or uniform:1s..10m, got {}", shown(text));
}

// Reads the options of a stream.
class configuration {
 public:
  explicit configuration(const generate_options& given) : given_(given) {}

  stream_config of(kind what) const {
    switch (what) {
      case pairs: return of_pairs();
      case repeats: return of_repeats(share("--repeat"));
      case unique: return of_repeats(0);
      case operations:
        return traffic::operations_config{.records = records(),
                                          .items = count("--items", default_items),
                                          .zipf = zipf().value_or(1),
                                          .removes = share("--removes"),
                                          .when = when({})};
      case draws:
        return traffic::draws_config{.records = records(),
                                     .items = count("--items", default_items),
                                     .zipf = *zipf(),
                                     .when = when({})};
      case visits: break;
    }
    return traffic::visits_config{.records = records(),
                                  .clients = count("--items", default_items),
                                  .when = when({.daily = true})};
  }

 private:
  std::uint64_t count(std::string_view name, std::uint64_t otherwise) const {
    return given_.has(name) ? parse_count(name, given_[name]) : otherwise;
  }
  std::uint64_t records() const { return count("--records", default_records); }

  std::optional<double> zipf() const {
    if (!given_.has("--zipf")) return std::nullopt;
    const auto value = number_in<double>(given_["--zipf"]);
    if (value && *value >= 0 && *value <= 100) return *value;
    refuse("--zipf must be a number from 0 (all items alike) to 100, for example 1.1, got {}",
           shown(given_["--zipf"]));
  }

  traffic::span_of_time when(traffic::span_of_time span) const {
    if (given_.has("--start")) span.start = start_of(given_["--start"]);
    if (given_.has("--seconds")) span.seconds = parse_seconds("--seconds", given_["--seconds"]);
    span.daily = span.daily || given_.has("--daily");
    return span;
  }

  std::uint64_t share(std::string_view name) const {
    const double exact = parse_probability(name, given_[name]) * static_cast<double>(records());
    // 29 % of 100 is a little less than 29 in binary.
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * exact;
    return static_cast<std::uint64_t>(std::floor(exact + rounding));
  }

  traffic::repeats_config of_repeats(std::uint64_t repeated) const {
    traffic::repeats_config config{.records = records(), .repeats = repeated, .when = when({})};
    if (given_.has("--gap")) config.gap = gap_of(given_["--gap"]);
    return config;
  }

  traffic::pairs_config of_pairs() const {
    using enum traffic::time_model;
    traffic::pairs_config config;
    if (given_.has("--like")) {
      config = choose<traffic::pairs_config>(
          "--like", given_["--like"],
          {{"edgar", traffic::like_edgar()}, {"network", traffic::like_network()}});
    } else if (!given_.has("--records") || !given_.has("--items")) {
      refuse(
          "--pairs needs --records and --items. Try bloomtime generate --records 100k --items 1k "
          "--pairs 50k");
    }
    config.records = count("--records", config.records);
    config.items = count("--items", config.items);
    config.pairs = count("--pairs", config.pairs);
    if (given_.has("--model")) {
      config.model =
          choose<traffic::time_model>("--model", given_["--model"],
                                      {{"dense", dense}, {"bursty", bursty}, {"uniform", uniform}});
    }
    config.zipf = zipf();
    config.when = when(config.when);
    return config;
  }

  const generate_options& given_;
};

traffic::line_form form_of(const std::string& typed, kind what) {
  using enum traffic::line_form;
  if (typed.empty()) return what == visits ? combined : tsv;
  const auto form = choose<traffic::line_form>(
      "--format", typed, {{"combined", combined}, {"ndjson", ndjson}, {"tsv", tsv}});
  if (form == combined && what == operations) {
    refuse("--format combined has no removes; with --removes give --format tsv or ndjson");
  }
  return form;
}

}  // namespace

void generate_options::add_to(command& self) {
  for (const stream_option& o : options_of_streams()) {
    typed& into = given_[o.name];
    if (*o.type == '\0') {
      self.flag(o.name, into.flag, o.description);
    } else {
      self.text(o.name, into.text, o.type, o.description, o.choices);
    }
  }
}

bool generate_options::has(std::string_view name) const {
  const typed& found = given_.at(name);
  return found.flag || !found.text.empty();
}

const std::string& generate_options::operator[](std::string_view name) const {
  return given_.at(name).text;
}

generate_plan plan_of(const generate_options& given) {
  const auto [what, name] = stream_of(given);
  for (const stream_option& o : options_of_streams()) {
    if ((o.streams & what) != 0 || !given.has(o.name)) continue;
    refuse("{} does not take {}. See bloomtime generate --help.", name, o.name);
  }
  return {.stream = configuration(given).of(what),
          .form = form_of(given["--format"], what),
          .seed = seed_of(given["--seed"])};
}

}  // namespace bloomtime::cli
