#include "cli/redis/questions.hpp"

#include <array>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/redis/address.hpp"
#include "cli/redis/shards.hpp"
#include "cli/text.hpp"
#include "store/log_zone.hpp"

namespace bloomtime::cli {
namespace {

constexpr std::size_t widest_item = 60;

redis_filter opened(const std::string& server, const asked_key& where, family f) {
  return {parse_redis_address(server), f, where.key, parse_shards(where.shards)};
}

std::string in_ms(instant t) { return std::to_string(t.micros / 1000); }

struct asked_heat {
  double hits;
  double lower;
  double upper;
};

asked_heat heat_of(redis_filter& filter, std::string_view item, const std::string& at) {
  const std::array<std::string_view, 5> words{"AT", at, "WITHBOUNDS", "ITEMS", item};
  const redis_reply reply = filter.ask("QUERY", item, words);
  if (reply.list.size() != 1 || reply.list.front().list.size() != 3) {
    throw_error(errc::io, "{}: expected a count with bounds", filter.address().text());
  }
  const auto& three = reply.list.front().list;
  return {number_of(three[0]), number_of(three[1]), number_of(three[2])};
}

row heat_row(redis_filter& filter, std::string_view item, const std::string& at) {
  constexpr double seconds_per_minute = 60;
  const asked_heat e = heat_of(filter, item, at);
  const std::array<std::string_view, 3> words{item, "AT", at};
  const double rate = seconds_per_minute * number_of(filter.ask("RATE", item, words));
  return {{{std::string(item), cut_to(item, widest_item)},
           {e.hits, short_text(e.hits)},
           {e.lower, short_text(e.lower)},
           {e.upper, short_text(e.upper)},
           {rate, short_text(rate)}}};
}

double counted(redis_filter& filter, std::string_view item) {
  const std::array<std::string_view, 1> words{item};
  return number_of(filter.ask("COUNT", item, words));
}

// A line per item of a batch, or a report.
void answer_all(const asked_items& given, const redis_filter& filter, std::string command, table t,
                const std::function<row(std::string_view)>& row_of,
                const std::function<std::string(std::string_view)>& line_of,
                const output_options& asked, const printer& out) {
  if (!given.batch.empty() && !asked.json && !asked.table) return print_batch(given, line_of, out);
  given.for_each([&](std::string_view item) { t.rows.push_back(row_of(item)); });
  out.print({.command = std::move(command),
             .fields = {{"store", filter.address().text()}, {"key", filter.key()}},
             .tables = {std::move(t)}});
}

}  // namespace

void asked_key::add_to(command& self) {
  self.text("--key", key, "NAME", "the filter, if STORE is redis://[USER@]HOST[:PORT][/DB]");
  self.text("--shards", shards, "N", "into how many keys push has divided it");
}

void asked_key::expect_server(const std::string& store) const {
  if (key.empty() && shards.empty()) return;
  refuse("--key and --shards are for a store redis://host:port/db; got {}", shown(store));
}

exit_status heat_in_redis(const asked_items& given, const asked_key& where, const std::string& at,
                          const output_options& asked, const printer& out) {
  redis_filter filter = opened(given.store(), where, family::heat);
  // The server replaces a time before the newest event by the time of that event.
  const std::string when =
      at.empty() ? "0" : in_ms(store::parse_moment("--at", at, store::log_zone(), instant()));
  table t{.key = "items",
          .columns = {{"item", "item", side::left},
                      {"hits", "hits now"},
                      {"lower", "at least", side::right, audience::everybody, 2},
                      {"upper", "at most", side::right, audience::everybody, 1},
                      {"rate_per_minute", "rate/min"}}};
  const auto line_of = [&](std::string_view item) {
    const asked_heat e = heat_of(filter, item, when);
    return fmt::format("{}\t{}\t{}", e.hits, e.lower, e.upper);
  };
  answer_all(
      given, filter, "heat", std::move(t),
      [&](std::string_view item) { return heat_row(filter, item, when); }, line_of, asked, out);
  return yes;
}

exit_status count_in_redis(const asked_items& given, const asked_key& where,
                           const output_options& asked, const printer& out) {
  redis_filter filter = opened(given.store(), where, family::tally);
  table t{.key = "items", .columns = {{"item", "item", side::left}, {"count", "count"}}};
  const auto row_of = [&](std::string_view item) -> row {
    return {{{std::string(item), cut_to(item, widest_item)},
             count_cell(static_cast<std::uint64_t>(counted(filter, item)))}};
  };
  const auto line_of = [&](std::string_view item) {
    return fmt::format("{}", counted(filter, item));
  };
  answer_all(given, filter, "count", std::move(t), row_of, line_of, asked, out);
  return yes;
}

exit_status seen_in_redis(const std::string& server, const asked_key& where,
                          const std::string& item, const std::string& from, const std::string& to,
                          const printer& out) {
  const asked_time time = parse_asked_time(from, to, store::log_zone());
  redis_filter filter = opened(server, where, family::history);
  const std::string first = in_ms(time.from);
  const std::string last = in_ms(time.to);
  const std::array<std::string_view, 3> words{item, first, last};
  const bool found = number_of(filter.ask("EXISTS", item, words)) != 0;
  table t{.key = "questions",
          .columns = {{"item", "item", side::left},
                      {"from", "from", side::left},
                      {"to", "to", side::left},
                      {"answer", "seen", side::left}},
          .rows = {{{{item, cut_to(item, widest_item)},
                     {time.from.micros, time_text(time.from, store::log_zone())},
                     {time.to.micros, time_text(time.to, store::log_zone())},
                     text_cell(found ? "maybe" : "no")}}}};
  out.print({.command = "seen",
             .fields = {{"store", filter.address().text()}, {"key", filter.key()}},
             .tables = {std::move(t)}});
  return found ? yes : no;
}

}  // namespace bloomtime::cli
