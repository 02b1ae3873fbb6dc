#include "heat.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <variant>

#include "commands.hpp"
#include "common.hpp"
#include "data_type.hpp"
#include "writes.hpp"

namespace bloomtime::redis {
namespace {

using family = heat_family;

constexpr std::uint64_t most_weight = std::uint64_t{1} << 32;
constexpr double most_hits = 0x1p46;  // of an item; a hot list counts up to 2^47

// -- adding ------------------------------------------------------------------------------------

std::uint64_t weight_in(std::string_view text) {
  const auto weight = whole_in(text);
  if (!weight) fail("bad weight");
  if (*weight < 1 || *weight > most_weight) {
    fail("weight must be in the range 1 to " + std::to_string(most_weight));
  }
  return *weight;
}

void expect_countable(const any_heat& heat, digest d, instant when, double weight) {
  if (heat.at(d, when).upper + weight > most_hits) {
    fail("the count of an item must stay below 2^46");
  }
}

// How often each item counts; empty if once.
std::span<const std::uint64_t> weights_of(const any_heat& heat, const additions& items,
                                          std::span<const digest> digests, instant when) {
  if (!items.weighted) return {};
  const auto weights = scratch<std::uint64_t>(digests.size());
  double sum = 0;  // an item may occur several times
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = weight_in(items.weight(i));
    sum += static_cast<double>(weights[i]);
  }
  for (const digest d : digests) expect_countable(heat, d, when, sum);
  return weights;
}

// If it throws, some of them may have been added.
void add_all(any_listed_heat& filter, const additions& items, std::span<const digest> digests,
             std::span<const std::uint64_t> weights, instant when) {
  any_heat& heat = filter.heat();
  const auto outcomes = scratch<outcome>(digests.size());
  if (!weights.empty()) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      outcomes[i] = heat.add(digests[i], when, weights[i]);
    }
  } else if (digests.size() == 1) {
    outcomes[0] = heat.add(digests[0], when);
  } else {
    const auto times = scratch<instant>(digests.size());
    std::fill(times.begin(), times.end(), when);
    heat.add_bulk(digests, times, outcomes);
  }
  // All have the same time, so it fits all or none.
  if (outcomes[0] == outcome::dropped_late) fail("timestamp older than retention");
  if (outcomes[0] == outcome::future) fail(too_far_ahead);
  const bool full = std::find(outcomes.begin(), outcomes.end(), outcome::full) != outcomes.end();
  if (full) fail(filter_is_full);
  if (!filter.hot()) return;
  for (std::size_t i = 0; i < digests.size(); ++i) {
    filter.hot()->add(digests[i], items.text(i), when, weights.empty() ? 1 : weights[i]);
  }
}

// The counts of items whose digests are in `scratch`.
void reply_counts(const call& c, const any_heat& heat, std::size_t count, instant when) {
  const auto answers = scratch<estimate>(count);
  heat.at_bulk(scratch<digest>(count), when, answers);
  c.array(count);
  for (const estimate& e : answers) c.number(e.value);
}

estimate hits_within(const any_heat& heat, digest d, instant when, std::uint64_t within_ms) {
  const window_table* const table = std::get_if<window_table>(&heat.get());
  if (table == nullptr) fail("WITHIN needs a key with WINDOW");
  const auto within = span_of_ms(within_ms);
  const auto before_last = within - std::chrono::microseconds(1);
  if (before_last / table->clock().resolution() >= table->slots()) {
    fail("within must be at most the window of the key");
  }
  return table->within(d, when, within);
}

struct limit {
  std::optional<std::uint64_t> hits;
  std::optional<std::uint64_t> within_ms;

  bool read(arguments& in) {
    if (in.option("LIMIT")) {
      hits = in.whole("limit", 0, most_weight);
      return true;
    }
    if (!in.option("WITHIN")) return false;
    within_ms = in.span_ms("within");
    return true;
  }
  // Whether so many more hits stay within the limit.
  bool allows(const any_heat& heat, digest d, instant when, std::uint64_t weight) const {
    const double counted = hits_within(heat, d, when, *within_ms).upper;
    return counted + static_cast<double>(weight) <= static_cast<double>(*hits);
  }
};

void add(call& c) {
  rm::String* const name = c.in.string();
  std::array<rm::String*, 2> words{c.in.string(), nullptr};
  family::parameters given;
  write_request asked;
  limit most;
  while (c.in.more()) {
    if (given.read_decay(c.in) || most.read(c.in) || asked.read_time(c)) continue;
    if (!c.in.option("BY")) c.in.unknown();
    words[1] = c.in.string();
  }
  if (most.hits.has_value() != most.within_ms.has_value()) fail("LIMIT and WITHIN need each other");
  const bool weighted = words[1] != nullptr;
  const std::uint64_t weight = weighted ? weight_in(text_of(words[1])) : 1;
  // A missing key gets the window of the limit.
  if (most.hits && !opened<family>(c, name, rm::read).exists()) given.window_ms = most.within_ms;
  write_target<family> target(c, name, given);
  const any_heat& heat = target.filter().heat();
  const std::uint64_t time_ms = time_of_write(asked, heat);
  const auto allowed = [&] {
    return most.allows(heat, heat.digest_of(text_of(words[0])), from_ms(time_ms), weight);
  };
  if (most.hits && !allowed()) return c.null();
  write_at(c, target, given, {std::span(words).first(weighted ? 2 : 1), weighted}, time_ms,
           asked.time_ms && !most.hits);
  const digest d = scratch<digest>(1)[0];
  c.number(most.hits ? hits_within(heat, d, from_ms(time_ms), *most.within_ms).value
                     : heat.at(d, from_ms(time_ms)).value);
}

// -- questions ---------------------------------------------------------------------------------

void count(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  instant when = from_ms(now_ms());
  std::optional<std::uint64_t> within_ms;
  while (c.in.more()) {
    if (c.in.option("AT")) {
      when = from_ms(c.in.time_ms("time"));
    } else if (c.in.option("WITHIN")) {
      within_ms = c.in.span_ms("within");
    } else {
      c.in.unknown();
    }
  }
  const any_listed_heat* const value = key.filter();
  if (value == nullptr) return c.number(0);
  const any_heat& heat = value->heat();
  const digest d = heat.digest_of(item);
  c.number(within_ms ? hits_within(heat, d, when, *within_ms).value : heat.at(d, when).value);
}

void count_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const auto items = c.in.items();
  if (const any_listed_heat* const value = key.filter()) {
    digests_of(*value, items);
    return reply_counts(c, value->heat(), items.size(), from_ms(now_ms()));
  }
  c.array(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) c.number(0);
}

void query(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  instant when = from_ms(now_ms());
  bool bounds = false;
  while (!c.in.option("ITEMS")) {
    if (!c.in.more()) throw wrong_arity();
    if (c.in.option("AT")) {
      when = from_ms(c.in.time_ms("time"));
    } else if (c.in.option("WITHBOUNDS")) {
      bounds = true;
    } else {
      c.in.unknown();
    }
  }
  const auto items = c.in.items();
  const any_listed_heat& value = key.existing();
  digests_of(value, items);
  if (!bounds) return reply_counts(c, value.heat(), items.size(), when);
  const auto answers = scratch<estimate>(items.size());
  value.heat().at_bulk(scratch<digest>(items.size()), when, answers);
  c.array(items.size());
  for (const estimate& e : answers) {
    c.array(3);
    c.number(e.value);
    c.number(e.lower);
    c.number(e.upper);
  }
}

void rate(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const instant when = asked_time(c);
  c.in.end();
  const any_listed_heat* const value = key.filter();
  if (value == nullptr) return c.number(0);
  const any_heat& heat = value->heat();
  c.number(heat.rate(heat.digest_of(item), when).value);
}

void list(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  std::size_t n = std::numeric_limits<std::uint32_t>::max();
  bool counts = false;
  instant when = from_ms(now_ms());
  while (c.in.more()) {
    if (c.in.option("COUNT")) {
      n = c.in.whole("count", 1, n);
    } else if (c.in.option("WITHCOUNT")) {
      counts = true;
    } else if (c.in.option("AT")) {
      when = from_ms(c.in.time_ms("time"));
    } else {
      c.in.unknown();
    }
  }
  const any_listed_heat& value = key.existing();
  if (!value.hot()) fail("the key has no list of the hottest items; see TOPK");
  const auto hottest = value.top(std::min<std::size_t>(n, value.hot()->listed()), when);
  c.array(hottest.size() * (counts ? 2 : 1));
  for (const hot_item& h : hottest) {
    c.text(h.item);
    if (counts) c.number(h.heat.value);
  }
}

using shared = common<family>;

constexpr std::array commands{
    command{"HEAT.RESERVE", entry<reserve<family>>, "write deny-oom fast", -4,
            "key error_rate:double capacity:int [HALFLIFE ms | WINDOW ms] [SLOTS slots:int] "
            "[TOPK entries:int] [SEED seed:int] [ENGINE engine]",
            "Creates a filter that counts hits, which fade or leave a window", "O(1)"},
    command{"HEAT.ADD", entry<add>, "write deny-oom fast", -3,
            "key item [BY weight:int] [HALFLIFE ms] [LIMIT limit:int WITHIN ms] "
            "[TIMESTAMP timestamp:time]",
            "Counts a hit and returns the count, or nil if a limit is reached",
            "O(log(K)) for K entries of the list"},
    command{"HEAT.MADD", entry<add_many<family>>, "write deny-oom fast", -3, "key item...",
            "Counts a hit of each item and returns the counts",
            "O(N*log(K)) for N items and K entries of the list"},
    command{"HEAT.INCRBY", entry<add_many<family, true>>, "write deny-oom fast", -4,
            "key (item weight:int)...", "Counts several hits of each item and returns the counts",
            "O(N*log(K)) for N items and K entries of the list"},
    command{"HEAT.INSERT", entry<insert<family>>, "write deny-oom fast", -4,
            "key [ERROR error_rate:double] [CAPACITY capacity:int] [HALFLIFE ms | WINDOW ms] "
            "[SLOTS slots:int] [TOPK entries:int] [SEED seed:int] [ENGINE engine] [NOCREATE] "
            "[TIMESTAMP timestamp:time] [WEIGHTED] ITEMS item...",
            "Counts hits, and creates the filter with these parameters if there is none",
            "O(N*log(K)) for N items and K entries of the list"},
    command{"HEAT.COUNT", entry<count>, "readonly fast", -3, "key item [AT at:time] [WITHIN ms]",
            "Returns the decayed count of an item, or its hits within a window", "O(1)"},
    command{"HEAT.MCOUNT", entry<count_many>, "readonly fast", -3, "key item...",
            "Returns the decayed counts of items", "O(N) for N items"},
    command{"HEAT.QUERY", entry<query>, "readonly fast", -4,
            "key [AT at:time] [WITHBOUNDS] ITEMS item...",
            "Returns the decayed counts of items, with bounds if wanted", "O(N) for N items"},
    command{"HEAT.RATE", entry<rate>, "readonly fast", -3, "key item [AT at:time]",
            "Returns how many events per second an item has", "O(1)"},
    command{"HEAT.LIST", entry<list>, "readonly", -2,
            "key [COUNT count:int] [WITHCOUNT] [AT at:time]", "Returns the hottest items",
            "O(K*log(K)) for K entries of the list"},
    command{"HEAT.MERGE", shared::merge_entry, "write deny-oom getkeys-api", -4,
            "dest:key numkeys:int source:source... [WEIGHTS weight:double...]",
            "Adds the hits of other filters", "O(N) for N bytes of all filters"},
    BLOOMTIME_SHARED_COMMANDS("HEAT")};

}  // namespace

// -- adding ------------------------------------------------------------------------------------

std::uint64_t heat_family::time_of(const write_request& asked, const content& filter) {
  return time_of_write(asked, filter);
}

void heat_family::record(content& filter, const additions& items, std::span<const digest> digests,
                         instant when) {
  const auto weights = weights_of(filter.heat(), items, digests, when);
  const heat_table* const table = std::get_if<heat_table>(&filter.heat().get());
  all_or_nothing(filter, table == nullptr || table->takes(digests.size()),
                 [&](content& f) { add_all(f, items, digests, weights, when); });
}

void heat_family::reply(const call& c, const content& filter, std::size_t count, instant when) {
  reply_counts(c, filter.heat(), count, when);
}

bool register_heat(rm::Ctx* ctx) {
  return data_type<family>::create(ctx) && register_commands(ctx, commands);
}

}  // namespace bloomtime::redis
