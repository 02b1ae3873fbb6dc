#include "recency.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "commands.hpp"
#include "common.hpp"
#include "data_type.hpp"
#include "growth.hpp"
#include "writes.hpp"

namespace bloomtime::redis {

// -- parameters --------------------------------------------------------------------------------

bool recency_family::parameters::read_window(arguments& in) {
  if (in.option("WINDOW")) {
    window_ms = in.span_ms("window");
  } else if (in.option("LAST")) {
    last = in.whole("last", 1, largest_capacity);
  } else {
    return false;
  }
  if (window_ms && last) fail("WINDOW and LAST exclude each other");
  return true;
}

bool recency_family::parameters::read_option(arguments& in) {
  if (read_window(in) || read_basic(in)) return true;
  if (in.option("SLICES")) {
    slices = in.whole("slices", 1, 1024);
  } else if (in.option("NOREFRESH")) {
    no_refresh = true;
  } else {
    return false;
  }
  return true;
}

void recency_family::parameters::expect_same(const content& filter) const {
  const bool timed = filter.timed();
  if (window_ms && (!timed || *window_ms * 1000 != filter.window())) {
    fail("bad window: the key has another one");
  }
  if (last && (timed || *last != filter.window())) fail("bad last: the key has another window");
  expect_basic(filter);
  if (!no_refresh) return;
  std::visit(
      [](const auto& e) {
        if constexpr (requires { e.refresh(); }) {
          if (e.refresh()) fail("bad NOREFRESH: the key refreshes its items");
        }
      },
      filter.get());
}

void recency_family::parameters::resolve() {
  if (!window_ms && !last) window_ms = configured().window_ms;
  if (!capacity && last) capacity = last;
  resolve_basic(content::engines().front());
}

void recency_family::parameters::write_options(canonical_form& form) const {
  if (window_ms) form.add("WINDOW", *window_ms);
  if (last) form.add("LAST", *last);
  if (slices) form.add("SLICES", *slices);
  if (no_refresh) form.add("NOREFRESH");
  write_basic(form);
}

recency_family::content recency_family::parameters::make() const {
  any_recency_config config;
  if (window_ms) config.window = span_of_ms(*window_ms);
  config.last = last;
  config.seed = *seed;
  const bool sized_by_items =
      engine == "recency_table" || engine == "recency_filter" || engine == "age_partitioned_filter";
  if (sized_by_items) config.items = *capacity;
  if (engine == "generalized_filter" || engine == "recent_buffer") {
    fail(std::string(engine) + " needs a memory size; make it in a program and load it");
  }
  if (engine == "timing_filter" && !last) fail("ENGINE timing_filter needs LAST");
  config.error = error;
  if (slices) config.ticks = static_cast<std::uint32_t>(*slices);
  if (no_refresh) config.refresh = false;
  return any_recency::make(config, engine);
}

std::uint64_t recency_family::growth(const content& filter, const additions& items,
                                     std::uint64_t memory) {
  return std::holds_alternative<recency_table>(filter.get()) ? growth_of_table(memory, items.size())
                                                             : 0;
}

// Nothing is within the window once it has passed.
double recency_family::cardinality(const content& filter, instant now) {
  const auto newest = filter.newest();
  const std::uint64_t window = filter.window();
  const auto micros = [](instant t) { return static_cast<std::uint64_t>(t.micros); };
  if (newest && now > *newest && micros(now) - micros(*newest) > window + window / 64) return 0;
  return filter.cardinality();
}

// -- commands ----------------------------------------------------------------------------------

namespace {

using family = recency_family;

// If it throws, some of them may have been added.
void add_all(any_recency& filter, std::span<const digest> digests, instant when) {
  const auto answers = scratch<novelty>(digests.size());
  if (digests.size() == 1) {
    answers[0] = filter.add_if_new(digests[0], when);
  } else {
    const auto times = scratch<instant>(digests.size());
    std::fill(times.begin(), times.end(), when);
    filter.add_if_new_bulk(digests, times, answers);
  }
  // All have the same time, so it fits all or none.
  if (answers[0].became == outcome::dropped_late) fail("timestamp older than retention");
  if (answers[0].became == outcome::future) fail(too_far_ahead);
  const auto is_full = [](const novelty& n) { return n.became == outcome::full; };
  if (std::any_of(answers.begin(), answers.end(), is_full)) fail(filter_is_full);
}

void add(call& c) {
  rm::String* const name = c.in.string();
  rm::String* const item = c.in.string();
  family::parameters given;
  write_request asked;
  while (c.in.more()) {
    if (!given.read_window(c.in) && !asked.read_time(c)) c.in.unknown();
  }
  write_target<family> target(c, name, given);
  write_items(c, target, given, asked, {{&item, 1}});
  c.boolean(scratch<novelty>(1)[0].fresh);
}

void exists(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const instant when = asked_time(c);
  c.in.end();
  const any_recency* const filter = key.filter();
  c.boolean(filter != nullptr && filter->seen(filter->digest_of(item), when));
}

void exist_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const auto items = c.in.items();
  const auto answers = scratch<bool>(items.size());
  if (const any_recency* const filter = key.filter()) {
    filter->seen_bulk(digests_of(*filter, items), from_ms(now_ms()), answers);
  } else {
    std::fill(answers.begin(), answers.end(), false);
  }
  c.array(items.size());
  for (const bool b : answers) c.boolean(b);
}

// Milliseconds, rounded so that the bracket holds; insertions as they are.
void reply_age(const call& c, const any_recency* filter, std::string_view item, instant when) {
  const auto age = filter != nullptr ? filter->age(filter->digest_of(item), when) : std::nullopt;
  if (!age) return c.null();
  const std::uint64_t unit = filter->timed() ? 1000 : 1;
  c.array(2);
  c.whole(age->youngest / unit);
  c.whole((age->oldest + unit - 1) / unit);
}

void age(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const instant when = asked_time(c);
  c.in.end();
  reply_age(c, key.filter(), item, when);
}

void age_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const auto items = c.in.items();
  const any_recency* const filter = key.filter();
  const instant now = from_ms(now_ms());
  c.array(items.size());
  for (const rm::String* item : items) reply_age(c, filter, text_of(item), now);
}

// -- probabilities -----------------------------------------------------------------------------

struct question {
  double prior = 0.5;
  instant when = from_ms(now_ms());
  std::optional<std::uint64_t> within_ms;
  std::optional<double> cost_fp;
  std::optional<double> cost_fn;
  std::span<rm::String* const> items;
};

question read_question(call& c, bool costs) {
  question q;
  while (!c.in.option("ITEMS")) {
    if (!c.in.more()) throw wrong_arity();
    if (c.in.option("PRIOR")) {
      q.prior = c.in.probability("prior");
    } else if (c.in.option("AT")) {
      q.when = from_ms(c.in.time_ms("time"));
    } else if (c.in.option("WITHIN")) {
      q.within_ms = c.in.span_ms("within");
    } else if (costs && c.in.option("COSTFP")) {
      q.cost_fp = c.in.number("cost", 0, 1e300);
    } else if (costs && c.in.option("COSTFN")) {
      q.cost_fn = c.in.number("cost", 0, 1e300);
    } else {
      c.in.unknown();
    }
  }
  if (costs && !(q.cost_fp && q.cost_fn)) fail("COSTFP and COSTFN are needed");
  q.items = c.in.items();
  return q;
}

// A part of the window is a time, and at most all of it.
void expect_within(const any_recency& filter, const question& q) {
  if (!q.within_ms) return;
  if (!filter.timed()) fail("WITHIN needs a key with WINDOW");
  if (filter.engine() != recency_table::name && filter.engine() != recency_filter::name) {
    fail("WITHIN needs ENGINE recency_table or recency_filter");
  }
  if (*q.within_ms > filter.window() / 1000) fail("within must be at most the window of the key");
}

// The rate of sightings at which an item is in the window with the probability `prior`.
double posterior_of(const any_recency& filter, digest d, const question& q) {
  const double exponent = -std::log1p(-q.prior);
  const auto window = static_cast<double>(filter.window());
  if (filter.timed()) {
    event_rate rate{exponent / window * 1e6};
    if (q.within_ms) rate.within = static_cast<double>(*q.within_ms) * 1e3;
    return filter.posterior(d, q.when, rate);
  }
  return filter.posterior(d, q.when, age_prior::share(-std::expm1(-exponent / window)));
}

void probability(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const question q = read_question(c, false);
  const any_recency& filter = key.existing();
  expect_within(filter, q);
  c.array(q.items.size());
  for (const digest d : digests_of(filter, q.items)) c.number(posterior_of(filter, d, q));
}

void decide(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const question q = read_question(c, true);
  const any_recency& filter = key.existing();
  expect_within(filter, q);
  c.array(q.items.size());
  for (const digest d : digests_of(filter, q.items)) {
    const double seen = posterior_of(filter, d, q);
    const double cost_of_yes = (1 - seen) * *q.cost_fp;
    const double cost_of_no = seen * *q.cost_fn;
    const bool yes = cost_of_yes <= cost_of_no;
    c.array(3);
    c.whole(yes ? 1 : 0);
    c.number(seen);
    c.number(yes ? cost_of_yes : cost_of_no);
  }
}

using shared = common<family>;

constexpr std::array commands{
    command{"RECENCY.RESERVE", entry<reserve<family>>, "write deny-oom fast", -4,
            "key error_rate:double capacity:int [WINDOW ms | LAST count:int] [SLICES slices:int] "
            "[NOREFRESH] [SEED seed:int] [ENGINE engine]",
            "Creates a filter that knows what was seen within a window", "O(1)"},
    command{"RECENCY.ADD", entry<add>, "write deny-oom fast", -3,
            "key item [WINDOW ms | LAST count:int] [TIMESTAMP timestamp:time]",
            "Adds an item and tells whether it was not seen within the window", "O(1)"},
    command{"RECENCY.MADD", entry<add_many<family>>, "write deny-oom fast", -3, "key item...",
            "Adds items and tells which were not seen within the window", "O(N) for N items"},
    command{"RECENCY.INSERT", entry<insert<family>>, "write deny-oom fast", -4,
            "key [ERROR error_rate:double] [CAPACITY capacity:int] [WINDOW ms | LAST count:int] "
            "[SLICES slices:int] [NOREFRESH] [SEED seed:int] [ENGINE engine] [NOCREATE] "
            "[TIMESTAMP timestamp:time] ITEMS item...",
            "Adds items, and creates the filter with these parameters if there is none",
            "O(N) for N items"},
    command{"RECENCY.EXISTS", entry<exists>, "readonly fast", -3, "key item [AT at:time]",
            "Tells whether an item was seen within the window", "O(1)"},
    command{"RECENCY.MEXISTS", entry<exist_many>, "readonly fast", -3, "key item...",
            "Tells which items were seen within the window", "O(N) for N items"},
    command{"RECENCY.AGE", entry<age>, "readonly fast", -3, "key item [AT at:time]",
            "Returns bounds of the time since an item was last seen", "O(1)"},
    command{"RECENCY.MAGE", entry<age_many>, "readonly fast", -3, "key item...",
            "Returns bounds of the times since items were last seen", "O(N) for N items"},
    command{"RECENCY.PROB", entry<probability>, "readonly fast", -4,
            "key [PRIOR prior:double] [WITHIN ms] [AT at:time] ITEMS item...",
            "Returns the probabilities that items were seen within the window", "O(N) for N items"},
    command{"RECENCY.DECIDE", entry<decide>, "readonly fast", -8,
            "key COSTFP cost:double COSTFN cost:double [PRIOR prior:double] [WITHIN ms] "
            "[AT at:time] ITEMS item...",
            "Returns the cheaper answer for items, their probabilities and expected costs",
            "O(N) for N items"},
    command{"RECENCY.MERGE", shared::merge_entry, "write deny-oom getkeys-api", -4,
            "dest:key numkeys:int source:source...", "Adds what other filters have seen",
            "O(N) for N bytes of all filters"},
    BLOOMTIME_SHARED_COMMANDS("RECENCY")};

}  // namespace

// -- adding ------------------------------------------------------------------------------------

std::uint64_t recency_family::time_of(const write_request& asked, const content& filter) {
  return time_of_write(asked, filter);
}

void recency_family::record(content& filter, const additions&, std::span<const digest> digests,
                            instant when) {
  const recency_table* const table = std::get_if<recency_table>(&filter.get());
  all_or_nothing(filter, table == nullptr || table->takes(digests.size()),
                 [&](content& f) { add_all(f, digests, when); });
}

void recency_family::reply(const call& c, const content&, std::size_t count, instant) {
  c.array(count);
  for (const novelty& n : scratch<novelty>(count)) c.boolean(n.fresh);
}

bool register_recency(rm::Ctx* ctx) {
  return data_type<family>::create(ctx) && register_commands(ctx, commands);
}

}  // namespace bloomtime::redis
