#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/asked_time.hpp"
#include "cli/asking/batch.hpp"
#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/answers.hpp"
#include "cli/output/report.hpp"
#include "cli/redis/address.hpp"
#include "cli/redis/questions.hpp"
#include "cli/text.hpp"
#include "logs/columns.hpp"

namespace bloomtime::cli {
namespace {

struct typed_seen {
  std::vector<std::string> words;  // the store, then an item
  std::string from;
  std::string to;
  std::string field;
  std::string batch;
  asked_key where;
  std::string key_file;
};

struct question {
  std::string_view item;
  asked_time time;
};

// item <TAB> from <TAB> to
question question_of(const batch_line& line, const opened_history& opened, std::string& scratch) {
  const std::size_t first = line.text.find('\t');
  const std::size_t second = first == line.text.npos ? first : line.text.find('\t', first + 1);
  if (second == line.text.npos || line.text.find('\t', second + 1) != line.text.npos) {
    line.refuse("is not a query; expected `item <TAB> from <TAB> to`");
  }
  question q;
  try {
    q.time = parse_asked_time(line.text.substr(first + 1, second - first - 1),
                              line.text.substr(second + 1), opened.zone, opened.last());
  } catch (const usage_error& e) {
    line.refuse(fmt::format("is not a query: {}", e.what()));
  }
  q.item = logs::unescaped(line.text.substr(0, first), scratch);
  return q;
}

// -- a table -------------------------------------------------------------------------------------

struct answer {
  sighting found;
  row shown;
};

answer answer_of(const question& q, const opened_history& opened, const style& how) {
  const sighting found = opened.past.seen(opened.names.of(q.item), q.time.from, q.time.to);
  return {found, seen_row(q.item, q.time, found, opened.past, opened.zone, how)};
}

// "maybe   155.95.78.223 was seen in 2014-01-01 09:30:00 .. 09:40:00 +0000"
std::string sentence(const question& q, sighting found, const opened_history& opened) {
  const auto [from, to, widened] = q.time;
  const char* verb = found == sighting::maybe ? "was seen"
                     : found == sighting::no  ? "was not seen"
                                              : "was not found";
  const double error = opened.error(opened.past.clock().covering(from, to));
  const std::string sure = found == sighting::maybe
                               ? "probability of error " + probability_text(error)
                           : found == sighting::no ? "certain"
                                                   : "part of the period is no longer kept";
  return fmt::format("{}   {} {} in {}   ({})", name_of(found), q.item, verb,
                     store::range_text(from, end_of_shown(to), opened.zone), sure);
}

// One line per query, or one report of all.
void ask_batch(const typed_seen& given, const opened_history& opened, bool as_report,
               const printer& out) {
  std::string scratch;
  std::size_t widened = 0;
  table t = seen_table(opened.field);
  batch_answers answers(out);
  for_each_line(given.batch, [&](const batch_line& line) {
    const question q = question_of(line, opened, scratch);
    widened += q.time.widened;
    if (as_report) {
      t.rows.push_back(answer_of(q, opened, out.how()).shown);
    } else {
      const sighting found = opened.past.seen(opened.names.of(q.item), q.time.from, q.time.to);
      answers.add(fmt::format("{}\t{}", line.text, name_of(found)));
    }
  });
  answers.finish();
  note_widened(widened);
  if (as_report) out.print(seen_answer(asked_past_of(given.words.front(), opened), {std::move(t)}));
}

exit_status ask_one(const typed_seen& given, const opened_history& opened, const printer& out) {
  const question q{given.words[1],
                   parse_asked_time(given.from, given.to, opened.zone, opened.last())};
  note_widened(q.time.widened ? 1 : 0);
  answer found = answer_of(q, opened, out.how());
  if (out.how().form == view::people) {
    out.print({.command = "seen", .title = sentence(q, found.found, opened)});
  } else {
    table t = seen_table(opened.field);
    t.rows.push_back(std::move(found.shown));
    out.print(seen_answer(asked_past_of(given.words.front(), opened), {std::move(t)}));
  }
  return found.found == sighting::no ? no : yes;
}

// -- the command ---------------------------------------------------------------------------------

constexpr const char* try_this =
    "Try bloomtime seen access.bloomtime /index.html --from 2014-01-01T09:30 --to 2014-01-01T09:40";

exit_status seen(const typed_seen& given, const output_options& asked, const printer& out) {
  if (given.words.empty()) refuse("seen needs a store. {}", try_this);
  const bool remote = is_redis_address(given.words.front());
  if (!remote) given.where.expect_server(given.words.front());
  if (remote && !(given.batch.empty() && given.field.empty())) {
    refuse("--batch and --field are for a store of bloomtime profile, not for a key");
  }
  if (!given.batch.empty()) {
    if (given.words.size() != 1 || !given.from.empty() || !given.to.empty()) {
      refuse(
          "give seen either an item with --from and --to, or --batch with a file of lines `item "
          "<TAB> from <TAB> to`, not both");
    }
    const opened_history opened =
        opened_store(given.words.front()).past(given.field, given.key_file);
    ask_batch(given, opened, asked.json || asked.table, out);
    return yes;
  }
  if (given.words.size() != 2) {
    refuse("seen needs one item, got {}. {}", given.words.size() - 1, try_this);
  }
  if (given.from.empty() || given.to.empty()) {
    refuse("seen needs --from and --to. {}", try_this);
  }
  if (remote) {
    return seen_in_redis(given.words[0], given.where, given.words[1], given.from, given.to, out);
  }
  return ask_one(given, opened_store(given.words.front()).past(given.field, given.key_file), out);
}

constexpr const char* seen_examples =
    "bloomtime seen access.bloomtime /login --field path --from 2014-01-01T09:30 --to "
    "2014-01-01T09:40\n"
    "bloomtime seen access.bloomtime 155.95.78.223 --field host --from 1388567400 --to 1388568000\n"
    "bloomtime seen access.bloomtime --field host --batch questions.tsv\n"
    "bloomtime seen access.bloomtime 155.95.78.223 --field host --from 2014-01-01 --to 2014-01-02 "
    "\\\n"
    "    > /dev/null && echo it may have been there";

constexpr const char* seen_details =
    "Whether the item was seen between two times, both included, in whole ticks (--resolution).\n"
    "no                 certain; exit status 1\n"
    "maybe              wrong with the probability that is printed; exit status 0\n"
    "out of retention   not found; part of the period is no longer kept; exit status 0\n"
    "--batch reads lines `item <TAB> from <TAB> to` and prints each with <TAB> and the answer; "
    "exit\n"
    "status 0. Events that wait to be confirmed (see profile) count as seen.\n";

}  // namespace

void add_seen(command& root, output_options& asked) {
  command& self = root.add("seen", "whether an item was seen between two times");
  self.usage = "STORE (ITEM --from TIME --to TIME | --batch FILE) [--field FIELD | --key NAME]";
  self.examples = seen_examples;
  self.details = std::string(seen_details) + batch_rules + "\n" + time_rules;
  self.keys = {{"item", "the item"},
               {"from, to", "microseconds since 1970, both included"},
               {"answer", "no, maybe or out of retention"},
               {"error", "probability that an item not seen then is reported as seen"}};
  self.fields = {{"store, field", "what was queried"},
                 {"records", "events in the store"},
                 {"held_back", "events that wait to be confirmed"},
                 {"questions", "one object per row"}};
  const auto given = std::make_shared<typed_seen>();
  self.arguments("STORE", given->words,
                 "directory that bloomtime profile made, or a Redis server, followed by the item");
  self.text("--from", given->from, "TIME", "first time of the period");
  self.text("--to", given->to, "TIME", "last time of the period");
  self.text("--field", given->field, "FIELD", "which field, if the store has several");
  given->where.add_to(self);
  self.text("--key-file", given->key_file, "FILE", key_description);
  self.text("--batch", given->batch, "FILE", "file of queries, one per line; - for standard input");
  self.output(asked);
  self.act = [given, &asked](const printer& out) { return seen(*given, asked, out); };
}

}  // namespace bloomtime::cli
