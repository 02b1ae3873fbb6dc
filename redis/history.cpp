#include "history.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <bloomtime/detail/digest_index.hpp>
#include <bloomtime/history/sightings.hpp>

#include "commands.hpp"
#include "common.hpp"
#include "data_type.hpp"
#include "writes.hpp"

namespace bloomtime::redis {
namespace {

using family = history_family;

// -- adding ------------------------------------------------------------------------------------

// Throws unless an event of this time can be recorded.
void expect_recordable(const any_history& filter, instant when) {
  const tick t = filter.clock().tick_of(when);
  std::visit(
      [&]<class Engine>(const Engine& e) {
        std::int64_t first = 0;
        if constexpr (std::same_as<Engine, history>) {
          first = e.known_from().number;
        } else {
          first = static_cast<std::int64_t>(e.first());
          if (t.number >= first && static_cast<std::uint64_t>(t.number - first) >= e.ticks()) {
            fail("timestamp after the end of the history");
          }
        }
        if (t.number < first) fail("timestamp older than retention");
      },
      filter.get());
}

// Which items were in their granule before.
void find_seen(const any_history& filter, std::span<const digest> digests,
               std::span<const instant> times, std::span<sighting> answers) {
  const instant first = times.front();
  if (times.size() > 1 &&
      std::all_of(times.begin(), times.end(), [&](instant t) { return t == first; })) {
    return filter.seen_bulk(digests, first, first, answers);
  }
  for (std::size_t i = 0; i < digests.size(); ++i) {
    answers[i] = filter.seen(digests[i], times[i], times[i]);
  }
}

// Those that occur in the command before, with the same granule, count as seen.
void find_repeated(const tick_clock& clock, std::span<const digest> digests,
                   std::span<const instant> times, std::span<sighting> answers) {
  const auto tick_at = [&](std::size_t i) { return clock.tick_of(times[i]); };
  detail::digest_index earlier;
  earlier.reserve(digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const digest sight = derive(digests[i], static_cast<std::uint64_t>(tick_at(i).number));
    const bool repeated =
        earlier
            .find(sight,
                  [&](std::uint32_t other) {
                    return digests[other] == digests[i] && tick_at(other) == tick_at(i);
                  })
            .has_value();
    if (repeated) answers[i] = sighting::maybe;
    if (!repeated) earlier.insert(sight, static_cast<std::uint32_t>(i));
  }
}

// Whether each item is new in its granule. What is older than RETENTION goes: no event is far ahead
// of the clock here, so the newest one tells the time. If it throws, some may have been added.
void add_each(any_history& filter, std::span<const digest> digests,
              std::span<const instant> times) {
  const auto seen = scratch<sighting>(digests.size());
  find_seen(filter, digests, times, seen);
  if (digests.size() > 1) find_repeated(filter.clock(), digests, times, seen);
  const auto outcomes = scratch<outcome>(digests.size());
  filter.add_bulk(digests, times, outcomes);
  for (const outcome o : outcomes) {
    if (o == outcome::dropped_late) fail("timestamp older than retention");
    if (o == outcome::future) fail(too_far_ahead);
  }
  const auto fresh = scratch<bool>(digests.size());
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    fresh[i] = outcomes[i] == outcome::added && seen[i] != sighting::maybe;
  }
  filter.advance(*std::max_element(times.begin(), times.end()));
}

void add(call& c) {
  rm::String* const name = c.in.string();
  rm::String* const item = c.in.string();
  family::parameters given;
  write_request asked;
  while (c.in.more()) {
    if (!given.read_granularity(c.in) && !asked.read_time(c)) c.in.unknown();
  }
  write_target<family> target(c, name, given);
  write_items(c, target, given, asked, {{&item, 1}});
  c.boolean(scratch<bool>(1)[0]);
}

// Throws if the newest event would drop the partition of the oldest one.
void expect_kept_together(const any_history& filter, std::span<const instant> times) {
  const history* const h = std::get_if<history>(&filter.get());
  if (h == nullptr || h->config().retention == 0) return;
  const auto [oldest, newest] = std::minmax_element(times.begin(), times.end());
  const auto partition_of = [&](instant when) {
    return static_cast<std::uint64_t>(filter.clock().tick_of(when).number) / h->partition_ticks();
  };
  if (partition_of(*newest) - partition_of(*oldest) >= h->config().retention) {
    fail("timestamp older than retention");
  }
}

// The times of items that each have one before them.
std::span<const instant> times_of(const call& c, const any_history& filter,
                                  std::span<rm::String* const> words) {
  const auto times = scratch<instant>(words.size() / 2);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto ms = whole_in(text_of(words[2 * i]));
    if (!ms || *ms > latest_time_ms) fail("bad timestamp");
    expect_not_ahead(c, *ms);
    times[i] = from_ms(*ms);
    expect_recordable(filter, times[i]);
  }
  expect_kept_together(filter, times);
  return times;
}

// Of times that are kept. Histories that programs have made may refuse some.
bool takes_any_time(const any_history& filter) {
  const history* const h = std::get_if<history>(&filter.get());
  return h == nullptr || (!h->config().ahead && h->config().late == history_config{}.late);
}

// A new key is reserved by a command of its own, as INSERT has one time for all items.
void add_at(call& c) {
  rm::String* const name = c.in.string();
  const auto words = c.in.items(2);
  family::parameters given;
  write_target<family> target(c, name, given);
  any_history& filter = target.filter();
  const auto times = times_of(c, filter, words);
  expect_room(c, target, {words, true});
  all_or_nothing(filter, takes_any_time(filter),
                 [&](any_history& f) { add_each(f, digests_of(f, words.subspan(1), 2), times); });
  target.commit(c, family::names.add_event);
  if (target.created()) {
    replicate_reserve<family>(c, name, given);
    canonical_form form(c.context());
    form.add(name).add(words).send("HISTORY.MADDAT");
  } else {
    c.replicate_verbatim();
  }
  family::reply(c, filter, times.size(), {});
}

// -- questions ---------------------------------------------------------------------------------

struct period {
  instant from;
  instant to;
};

// To the last microsecond of the millisecond `to`.
constexpr period period_of(std::uint64_t from, std::uint64_t to) {
  return {from_ms(from), instant(from_ms(to).micros + 999)};
}

period read_period(arguments& in) {
  const std::uint64_t from = in.open_time_ms("start", 0);
  return period_of(from, in.open_time_ms("end", latest_time_ms));
}

constexpr period any_time = period_of(0, latest_time_ms);

void exists(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const period p = read_period(c.in);
  c.in.end();
  const any_history* const filter = key.filter();
  c.boolean(filter != nullptr &&
            filter->seen(filter->digest_of(item), p.from, p.to) == sighting::maybe);
}

void exist_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const period p = read_period(c.in);
  const auto items = c.in.items();
  const auto answers = scratch<sighting>(items.size());
  if (const any_history* const filter = key.filter()) {
    filter->seen_bulk(digests_of(*filter, items), p.from, p.to, answers);
  } else {
    std::fill(answers.begin(), answers.end(), sighting::no);
  }
  c.array(items.size());
  for (const sighting s : answers) c.boolean(s == sighting::maybe);
}

sightings when(const any_history* filter, std::string_view item, const period& p) {
  if (filter == nullptr) return {};
  return filter->when(filter->digest_of(item), filter->clock().covering(p.from, p.to));
}

// The first and the last millisecond that a granule has a part of, from 1970 on.
std::uint64_t ms_of(instant t) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, t.micros / 1000));
}
std::uint64_t start_ms(const any_history& filter, tick t) {
  return ms_of(filter.clock().start_of(t));
}
std::uint64_t end_ms(const any_history& filter, tick t) { return ms_of(filter.clock().end_of(t)); }

void ranges(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const period p = read_period(c.in);
  std::uint64_t most = largest_capacity;
  if (c.in.option("LIMIT")) most = c.in.whole("limit", 1, most);
  c.in.end();
  const any_history* const filter = key.filter();
  sightings found = when(filter, item, p);
  found.resize(std::min<std::uint64_t>(found.size(), most));
  c.array(found.size());
  for (const interval& i : found) {
    c.array(2);
    c.whole(start_ms(*filter, i.first));
    c.whole(end_ms(*filter, i.last));
  }
}

void one_end(call& c, bool first) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const period p = c.in.more() ? read_period(c.in) : any_time;
  c.in.end();
  const any_history* const filter = key.filter();
  const sightings found = when(filter, item, p);
  if (found.empty()) return c.null();
  c.whole(start_ms(*filter, first ? found.front().first : found.back().last));
}

void first_time(call& c) { one_end(c, true); }
void last_time(call& c) { one_end(c, false); }

void buckets(call& c) {
  constexpr std::uint64_t most_buckets = 100'000;
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  const std::uint64_t from = c.in.time_ms("start");
  const std::uint64_t to = c.in.time_ms("end");
  if (!c.in.option("BUCKET")) {
    if (c.in.more()) c.in.unknown();
    throw wrong_arity();
  }
  const std::uint64_t length = c.in.span_ms("bucket");
  c.in.end();
  if (to < from) fail("end must not be before start");
  const std::uint64_t count = (to - from) / length + 1;
  if (count > most_buckets) fail("there are more than 100000 buckets");
  const any_history* const filter = key.filter();
  const auto seen = scratch<bool>(count);
  std::fill(seen.begin(), seen.end(), false);
  for (const interval& i : when(filter, item, period_of(from, to))) {
    const std::uint64_t first = std::max(from, start_ms(*filter, i.first));
    const std::uint64_t last = std::min(to, end_ms(*filter, i.last));
    for (std::uint64_t b = (first - from) / length; b <= (last - from) / length; ++b)
      seen[b] = true;
  }
  c.array(count);
  for (const bool b : seen) c.whole(b ? 1 : 0);
}

std::uint64_t ticks_of(const any_history& filter) {
  std::uint64_t ticks = 0;
  if (const history* const h = std::get_if<history>(&filter.get())) {
    h->for_each([&](const timeline_history& part) { ticks += part.ticks(); });
  }
  return ticks;
}

void trim(call& c) {
  const opened<family> key(c, c.in.string(), rm::read | rm::write);
  const std::uint64_t before_ms = c.in.time_ms("time");
  c.in.end();
  expect_not_ahead(c, before_ms);
  any_history& filter = key.existing();
  const std::uint64_t before = ticks_of(filter);
  filter.trim(from_ms(before_ms));
  c.changed(key.name(), "history.trim");
  c.replicate_verbatim();
  c.whole(before - ticks_of(filter));
}

using shared = common<family>;

constexpr std::array commands{
    command{"HISTORY.RESERVE", entry<reserve<family>>, "write deny-oom fast", -4,
            "key error_rate:double capacity:int [GRANULARITY ms] [RETENTION ms] "
            "[START start:time] [SEED seed:int] [ENGINE engine]",
            "Creates a filter that knows when items were seen", "O(1)"},
    command{"HISTORY.ADD", entry<add>, "write deny-oom fast", -3,
            "key item [GRANULARITY ms] [TIMESTAMP timestamp:time]",
            "Records that an item was seen, and tells whether it is new in its granule", "O(1)"},
    command{"HISTORY.MADD", entry<add_many<family>>, "write deny-oom fast", -3, "key item...",
            "Records that items were seen now, and tells which are new in the granule",
            "O(N) for N items"},
    command{"HISTORY.MADDAT", entry<add_at>, "write deny-oom fast", -4,
            "key (timestamp:time item)...", "Records that items were seen, each with its time",
            "O(N) for N items"},
    command{"HISTORY.INSERT", entry<insert<family>>, "write deny-oom fast", -4,
            "key [ERROR error_rate:double] [CAPACITY capacity:int] [GRANULARITY ms] "
            "[RETENTION ms] [START start:time] [SEED seed:int] [ENGINE engine] [NOCREATE] "
            "[TIMESTAMP timestamp:time] ITEMS item...",
            "Records that items were seen, and creates the filter with these parameters if there "
            "is none",
            "O(N) for N items"},
    command{"HISTORY.EXISTS", entry<exists>, "readonly fast", 5, "key item start:time end:time",
            "Tells whether an item was seen in a period", "O(P) for P partitions of the period"},
    command{"HISTORY.MEXISTS", entry<exist_many>, "readonly fast", -5,
            "key start:time end:time item...", "Tells which items were seen in a period",
            "O(N*P) for N items and P partitions of the period"},
    command{"HISTORY.RANGES", entry<ranges>, "readonly", -5,
            "key item start:time end:time [LIMIT limit:int]",
            "Returns the intervals of a period in which an item was seen",
            "O(P+R) for P partitions of the period and R intervals"},
    command{"HISTORY.FIRST", entry<first_time>, "readonly", -3, "key item [start:time end:time]",
            "Returns the time of the first granule in which an item was seen",
            "O(P+R) for P partitions of the period and R intervals"},
    command{"HISTORY.LAST", entry<last_time>, "readonly", -3, "key item [start:time end:time]",
            "Returns the time of the last granule in which an item was seen",
            "O(P+R) for P partitions of the period and R intervals"},
    command{"HISTORY.HISTOGRAM", entry<buckets>, "readonly", 7,
            "key item start:time end:time BUCKET ms",
            "Returns 1 for each bucket of a period in which an item was seen, otherwise 0",
            "O(P+R+B) for P partitions of the period, R intervals and B buckets"},
    command{"HISTORY.TRIM", entry<trim>, "write", 3, "key before:time",
            "Drops what is older, by whole partitions, and returns the number of granules",
            "O(N) for N bytes that are dropped"},
    command{"HISTORY.MERGE", shared::merge_entry, "write deny-oom getkeys-api", -4,
            "dest:key numkeys:int source:source...", "Adds what other filters have recorded",
            "O(N) for N bytes of all filters"},
    BLOOMTIME_SHARED_COMMANDS("HISTORY")};

}  // namespace

// -- adding ------------------------------------------------------------------------------------

// An event is recorded when it happens, also before the newest one, unless the server's clock is so
// far behind that the time is no longer kept.
std::uint64_t history_family::time_of(const write_request& asked, const content& filter) {
  std::uint64_t time_ms = asked.time_ms ? *asked.time_ms : now_ms();
  const history* const h = std::get_if<history>(&filter.get());
  if (h != nullptr && filter.clock().tick_of(from_ms(time_ms)) < h->known_from()) {
    time_ms = time_of_write(asked, filter);
  }
  expect_recordable(filter, from_ms(time_ms));
  return time_ms;
}

void history_family::record(content& filter, const additions&, std::span<const digest> digests,
                            instant when) {
  const auto times = scratch<instant>(digests.size());
  std::fill(times.begin(), times.end(), when);
  add_each(filter, digests, times);
}

void history_family::reply(const call& c, const content&, std::size_t count, instant) {
  c.array(count);
  for (const bool b : scratch<bool>(count)) c.boolean(b);
}

bool register_history(rm::Ctx* ctx) {
  return data_type<family>::create(ctx) && register_commands(ctx, commands);
}

}  // namespace bloomtime::redis
