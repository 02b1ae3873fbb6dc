#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

#include "cli/command.hpp"
#include "cli/plan/target.hpp"
#include "logs/event_reader.hpp"
#include "store/seed.hpp"
#include "store/tally_part.hpp"
#include "store/writer.hpp"
#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {
namespace {

struct typed {
  std::vector<std::string> files;
  input_options input;
  std::string op;
  std::string amount;
  std::string store;
  std::string items;
  std::string error;
  std::string memory;
  std::string seed;
};

constexpr const char* try_this = "Try bloomtime tally sales.tsv --op 1 --item 2 --store stock";

// -- what a line says ----------------------------------------------------------------------------

std::optional<bool> removal_of(std::string_view op) {
  if (op == "+" || op == "add") return false;
  if (op == "-" || op == "remove") return true;
  return std::nullopt;
}

std::optional<std::uint64_t> amount_of(std::string_view text) {
  std::uint64_t amount = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return amount;
}

// -- settings ------------------------------------------------------------------------------------

input_options reading(const typed& given) {
  if (given.input.items.size() != 1) {
    throw usage_error(fmt::format("tally needs one --item, got {}: which field is counted? {}",
                                  given.input.items.size(), try_this));
  }
  input_options input = given.input;
  input.needs_time = false;
  input.data = {"+", "-", "add", "remove"};
  if (!given.op.empty()) input.items.push_back(given.op);
  if (!given.amount.empty()) input.items.push_back(given.amount);
  return input;
}

std::optional<tally_config> config_of(const typed& given) {
  if (!given.memory.empty() && !given.error.empty()) {
    throw usage_error("tally takes --memory, or --error with --items; give one of them");
  }
  if (!given.error.empty() && given.items.empty()) {
    throw usage_error("--error needs --items: of how many different items at the same time?");
  }
  if (given.memory.empty() && given.items.empty()) return std::nullopt;
  tally_config c;
  if (!given.items.empty()) c.items = parse_count("--items", given.items);
  if (!given.memory.empty()) {
    c.memory = parse_memory(given.memory);
  } else {
    c.error = given.error.empty() ? 0.01 : parse_chance("--error", given.error);
  }
  return c;
}

tally_filter made(const std::optional<tally_config>& asked, std::uint64_t seed) {
  try {
    tally_config c = asked.value_or(tally_config{.memory = default_tally_memory});
    c.seed = seed;
    return tally_filter(c);
  } catch (const error& e) {
    if (e.code() == errc::out_of_memory) throw;
    throw usage_error(std::string(e.what()) + ". Try --memory 16MB");
  }
}

// -- the run -------------------------------------------------------------------------------------

class run {
 public:
  explicit run(const typed& given)
      : given_(given),
        asked_(config_of(given)),
        seed_(given.seed.empty() ? std::nullopt : parse_seed(given.seed)),
        input_(reading(given)),
        field_(input_.items[0]) {
    if (given.store.empty()) {
      throw usage_error(
          fmt::format("tally needs --store, the directory to keep it in. {}", try_this));
    }
  }

  void operator()(const printer& out) {
    writer_.emplace(given_.store, std::chrono::system_clock::now());
    open_store();
    event_reader reader(input_, given_.files, "tally");
    while (const event* e = reader.next()) use(*e, reader);
    const line_counts& counts = reader.counts();
    if (counts.events == 0 && counts.bad_lines() != 0) {
      throw error(errc::corrupt, fmt::format("{}, so nothing is left to tally; say with --format, "
                                             "--op, --item and --amount how to read them",
                                             counts.summary()));
    }
    writer_->about().bad_lines += counts.bad_lines();
    if (timed_) writer_->about().zone = zone_text(reader.zone());
    writer_->put(tally_role(field_), *tally_);
    writer_->checkpoint();
    print(out, counts);
  }

 private:
  void open_store() {
    if (!writer_->continues()) {
      tally_ = made(asked_, given_.seed.empty() ? default_seed : seed_.value_or(random_seed()));
      writer_->about().items = {field_};
      return;
    }
    const std::vector<std::string>& kept = writer_->about().items;
    tally_ = load_tally(*writer_, kept, given_.store);
    if (kept.front() != field_) {
      throw usage_error(
          fmt::format("{} was made with the item {}, and {} was asked for; leave that as it was to "
                      "continue it, or name another --store",
                      given_.store, kept.front(), field_));
    }
    if (asked_) {
      throw usage_error(fmt::format(
          "{} has its size already; leave --memory, --items and --error out to continue it, or "
          "name another --store",
          given_.store));
    }
    if (seed_.value_or(tally_->seed()) != tally_->seed()) {
      throw usage_error(
          fmt::format("{} was made with the seed {}, and {} was asked for; leave --seed out to "
                      "continue it, or name another --store",
                      given_.store, tally_->seed(), *seed_));
    }
    note(fmt::format("{}: continued; it has {} records", given_.store,
                     count_text(writer_->about().records)));
  }

  // All lines that say something count as records, also those that could not be done.
  void use(const event& e, event_reader& reader) {
    std::size_t next = 1;
    const auto removal = given_.op.empty() ? std::optional(false) : removal_of(e.items[next++]);
    if (!removal) return reader.reject_last(bad_line::no_operation);
    const auto amount =
        given_.amount.empty() ? std::optional<std::uint64_t>(1) : amount_of(e.items[next]);
    if (!amount) return reader.reject_last(bad_line::no_amount);
    if (e.at) {
      writer_->count(*e.at);
      timed_ = true;
    } else {
      ++writer_->about().records;
    }
    const std::string_view item = e.items[0];
    const outcome o = *removal ? tally_->remove(item, *amount) : tally_->add(item, *amount);
    if (o == outcome::refused) {
      ++refused_;
    } else if (o == outcome::full) {
      ++full_;
    } else {
      ++(*removal ? removes_ : adds_);
    }
  }

  void print(const printer& out, const line_counts& counts) {
    const tally_statistics s = tally_->statistics();
    table t{.key = "tally",
            .columns = {{"lines", "lines"},
                        {"rejected", "rejected"},
                        {"adds", "adds"},
                        {"removes", "removes"},
                        {"refused", "could not be removed"},
                        {"full", "could not be added"},
                        {"total", "all items"},
                        {"distinct", "different ones, about"},
                        {"largest", "of one, at most"},
                        {"memory_bytes", "memory"}},
            .rows = {{{count_cell(counts.lines),
                       count_cell(counts.bad_lines()),
                       count_cell(adds_),
                       count_cell(removes_),
                       count_cell(refused_),
                       count_cell(full_),
                       count_cell(s.total),
                       {s.distinct, short_text(s.distinct)},
                       count_cell(s.largest),
                       bytes_cell(tally_->memory())}}},
            .as_list = true};
    std::vector<std::string> notes;
    if (refused_ != 0) {
      notes.push_back(
          "could not be removed: there were certainly fewer of it; nothing was changed");
    }
    if (full_ != 0) notes.push_back("could not be added: all counts together exceed 64 bits");
    out.print({.command = "tally",
               .title = given_.store,
               .fields = {{"store", given_.store},
                          {"field", field_},
                          {"records", writer_->about().records}},
               .tables = {std::move(t)},
               .notes = std::move(notes),
               .closing = {fmt::format("Next: bloomtime count {} ITEM", given_.store)}});
  }

  const typed& given_;
  std::optional<tally_config> asked_;
  std::optional<std::uint64_t> seed_;  // nothing if any will do
  input_options input_;
  std::string field_;
  std::optional<store::writer> writer_;
  std::optional<tally_filter> tally_;
  bool timed_ = false;
  std::uint64_t adds_ = 0;
  std::uint64_t removes_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t full_ = 0;
};

constexpr const char* examples =
    "bloomtime tally sales.tsv --op 1 --item 2 --store stock\n"
    "bloomtime tally sales.csv --op what --item article --amount pieces --store stock\n"
    "bloomtime tally visits.ndjson --item user --store visits       without --op all are adds\n"
    "bloomtime tally today.tsv --op 1 --item 2 --store stock        goes on where it was\n"
    "bloomtime tally all.tsv --op 1 --item 2 --items 10M --error 0.1% --store stock";

constexpr const char* details =
    "Counts items that come and go: + or add, - or remove, in the field that --op names, one of\n"
    "the item, or as many as --amount says. A removal of more than there can be is not done; it\n"
    "is counted and told. A store that exists is continued, exactly as if all had been read in\n"
    "one go; it is written once, at the end, and as a whole.\n"
    "Counts are never too low if only what was added is removed. A removal of an item that was\n"
    "never added goes unnoticed, and takes from others, as often as a count is too high.\n"
    "Keys for programs, one row: lines, rejected, adds, removes, refused (removals that could not\n"
    "be), full (adds that could not be), all of this run; and of the store total, distinct\n"
    "(estimated), largest (no item has more), memory_bytes.\n"
    "JSON: {\"schema\": 1, \"command\": \"tally\", \"store\", \"field\", \"records\" (lines that "
    "were\n       understood, of all runs), \"tally\": [that row]}";

}  // namespace

void add_tally(command& root, output_options& asked) {
  command& self = root.add("tally", "count items that come and go, in a store");
  self.usage = "[FILE...] --item FIELD [--op FIELD] --store DIR";
  self.examples = examples;
  self.details = details;
  const auto given = std::make_shared<typed>();
  self.files(given->files, "lines, one after the other; - for standard input");
  self.text("--op", given->op, "FIELD", "with + or add, - or remove; all lines add unless given");
  self.text("--amount", given->amount, "FIELD", "with how many; 1 unless given");
  self.text("--store", given->store, "DIR", "where to keep it");
  self.text("--items", given->items, "N", "different items at the same time: 1M, 2.5k, 1e6");
  self.text("--error", given->error, "E", "chance that a count is too high: 1% unless given");
  self.text("--memory", given->memory, "SIZE", "instead of both; 16MB unless given");
  self.text("--seed", given->seed, "N",
            "of the hash, 0 unless given; or random, if the lines may be hostile");
  self.input(given->input);
  self.output(asked);
  self.act = [given](const printer& out) {
    run work(*given);
    work(out);
    return yes;
  };
}

}  // namespace bloomtime::cli
