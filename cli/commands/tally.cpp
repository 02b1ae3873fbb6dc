#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asking/opened_store.hpp"
#include "cli/command.hpp"
#include "cli/output/progress.hpp"
#include "cli/plan/planner.hpp"
#include "cli/text.hpp"
#include "logs/event_reader.hpp"
#include "profile/field_totals.hpp"
#include "store/roles.hpp"
#include "store/seed.hpp"
#include "store/writer.hpp"

namespace bloomtime::cli {
namespace {

struct typed_tally {
  std::vector<std::string> files;
  logs::input_options input;
  std::string op;
  std::string amount;
  std::string store;
  std::string items;
  std::string error;
  std::string memory;
  std::string engine;
  std::string seed;
};

constexpr const char* try_this = "Try bloomtime tally sales.tsv --op 1 --item 2 --store stock";

// -- what a line says ----------------------------------------------------------------------------

std::optional<bool> removal_of(std::string_view op) {
  if (op == "+" || op == "add") return false;
  if (op == "-" || op == "remove") return true;
  return std::nullopt;
}

// -- settings ------------------------------------------------------------------------------------

logs::input_options tally_reading(const typed_tally& given) {
  if (given.input.items.size() != 1) {
    refuse("tally needs one --item, the field to count; got {}. {}", given.input.items.size(),
           try_this);
  }
  logs::input_options input = given.input;
  input.needs_time = false;
  input.data = {"+", "-", "add", "remove"};
  if (!given.op.empty()) input.items.push_back(given.op);
  if (!given.amount.empty()) input.items.push_back(given.amount);
  return input;
}

std::string_view engine_of(const typed_tally& given) {
  if (given.engine.empty()) return tally_table::name;
  for (const std::string_view known : {tally_table::name, tally_filter::name}) {
    if (given.engine == known) return known;
  }
  refuse("--engine must be tally_table or tally_filter, got {}", given.engine);
}

bool has_size(const typed_tally& given) {
  return !given.memory.empty() || !given.items.empty() || !given.error.empty() ||
         !given.engine.empty();
}

// A table takes all sizes as hints or limits; a filter has one size.
any_tally_config config_of(const typed_tally& given) {
  any_tally_config c;
  if (!given.items.empty()) c.items = parse_count("--items", given.items);
  if (!given.memory.empty()) c.memory = parse_memory(given.memory);
  if (!given.error.empty()) c.error = parse_probability("--error", given.error);
  if (engine_of(given) == tally_table::name) return c;
  if (c.memory && c.error) {
    refuse("tally_filter takes either --memory or --error with --items, not both");
  }
  if (c.error && c.items == 0) {
    refuse("--error needs --items, the number of different items at the same time");
  }
  if (c.items != 0 && !c.memory && !c.error) c.error = 0.01;
  if (c.items == 0 && !c.memory) c.memory = store::default_tally_memory;
  return c;
}

any_tally made(any_tally_config c, std::string_view engine, std::uint64_t seed) {
  try {
    c.seed = seed;
    return any_tally::make(c, engine);
  } catch (const error& e) {
    if (e.code() == errc::out_of_memory) throw;
    throw usage_error(std::string(e.what()) + ". Try --memory 16MB");
  }
}

// -- the run -------------------------------------------------------------------------------------

constexpr const char* no_room =
    "--memory leaves no room for more items or larger counts, or the sum of all counts would "
    "exceed 64 bits";

class tally_run {
 public:
  explicit tally_run(const typed_tally& given)
      : given_(given),
        asked_(config_of(given)),
        seed_(given.seed.empty() ? std::nullopt : store::parse_seed(given.seed)),
        input_(tally_reading(given)),
        field_(input_.items[0]) {
    if (given.store.empty()) {
      refuse("tally needs --store, the directory to write. {}", try_this);
    }
  }

  exit_status operator()(const printer& out) {
    writer_.emplace(given_.store, std::chrono::system_clock::now());
    open_store();
    progress shown_progress("tally");
    logs::event_reader reader(input_, given_.files, shown_progress.reports());
    while (const logs::event* e = reader.next()) use(*e, reader);
    const logs::line_counts& counts = reader.counts();
    if (counts.events == 0 && counts.bad_lines() != 0) {
      text::corrupt("{}, so no line is valid; check --format, --op, --item and --amount",
                    counts.summary());
    }
    writer_->about().bad_lines += counts.bad_lines();
    if (timed_) writer_->about().zone = zone_text(reader.zone());
    writer_->put(store::tally_role(field_), *tally_);
    save_names();
    writer_->checkpoint();
    print(out, counts);
    return full_ != 0 ? overloaded : yes;
  }

 private:
  void open_store() {
    if (!writer_->continues()) {
      tally_ =
          made(asked_, engine_of(given_),
               given_.seed.empty() ? store::default_seed : seed_.value_or(store::random_seed()));
      names_ = profile::new_name_list(profile::field_totals::names, tally_->seed());
      writer_->about().items = {field_};
      return;
    }
    const std::vector<std::string>& kept = writer_->about().items;
    expect_tally(store::read_manifest(given_.store), given_.store);
    tally_ = store::load_part<any_tally>(writer_->container(store::tally_role(kept.front())));
    if (const std::string role = store::largest_role(kept.front()); writer_->has(role)) {
      names_ = store::load_part<hot_list>(writer_->container(role));
    }
    expect_same(given_.store, "the item", kept.front(), field_);
    if (has_size(given_)) {
      refuse(
          "{} already has a size; omit --memory, --items, --error and --engine to continue it, or "
          "use another --store",
          given_.store);
    }
    expect_same(given_.store, "the seed", fmt::format("{}", tally_->seed().value()),
                fmt::format("{}", seed_.value_or(tally_->seed().value())));
    note(fmt::format("{}: continued; it has {} records", given_.store,
                     count_text(writer_->about().records)));
  }

  // All valid lines count as records, also refused ones.
  void use(const logs::event& e, logs::event_reader& reader) {
    std::size_t next = 1;
    const auto removal = given_.op.empty() ? std::optional(false) : removal_of(e.items[next++]);
    if (!removal) return reader.reject_last(logs::bad_line::no_operation);
    const auto amount = given_.amount.empty() ? std::optional<std::uint64_t>(1)
                                              : number_in<std::uint64_t>(e.items[next]);
    if (!amount) return reader.reject_last(logs::bad_line::no_amount);
    if (e.at) {
      writer_->count(*e.at);
      timed_ = true;
    } else {
      ++writer_->about().records;
    }
    const std::string_view item = e.items[0];
    const digest d = tally_->digest_of(item);
    const outcome o = *removal ? tally_->remove(d, *amount) : tally_->add(d, *amount);
    if (o == outcome::refused) {
      ++refused_;
    } else if (o == outcome::full) {
      if (full_++ == 0) note(std::string("tally: ") + no_room + "; the exit status will be 3");
    } else {
      ++(*removal ? removes_ : adds_);
      if (!*removal) note_name(d, item, *amount);
    }
  }

  // An item that is not listed has at most the smallest listed count: it had when it was last
  // added. A list that cannot count so many is given up, because this would not hold any more.
  void note_name(digest d, std::string_view item, std::uint64_t amount) {
    if (!names_) return;
    const outcome o = profile::note_count(*names_, d, item, tally_->count(d).upper, amount);
    if (o == outcome::full) names_.reset();
  }

  void save_names() {
    const std::string role = store::largest_role(field_);
    if (names_) {
      writer_->put(role, *names_);
    } else {
      writer_->remove(role);
    }
  }

  void print(const printer& out, const logs::line_counts& counts) {
    const tally_statistics s = tally_->statistics();
    table t =
        list_of("tally", {{"lines", "lines", count_cell(counts.lines)},
                          {"rejected", "rejected", count_cell(counts.bad_lines())},
                          {"adds", "adds", count_cell(adds_)},
                          {"removes", "removes", count_cell(removes_)},
                          {"refused", "refused removes", count_cell(refused_)},
                          {"full", "refused adds", count_cell(full_)},
                          {"total", "sum of counts", count_cell(s.total)},
                          {"distinct", "distinct items", {s.distinct, short_text(s.distinct)}},
                          {"largest", "largest count", count_cell(s.largest)},
                          {"memory_bytes", "memory", bytes_cell(tally_->memory())}});
    std::vector<std::string> notes;
    if (refused_ != 0) {
      notes.push_back(
          "refused removes: the item certainly has a smaller count; nothing was changed");
    }
    if (full_ != 0) {
      notes.push_back(std::string("refused adds: ") + no_room + "; nothing was changed");
    }
    out.print({.command = "tally",
               .title = given_.store,
               .fields = {{"store", given_.store},
                          {"field", field_},
                          {"records", writer_->about().records}},
               .tables = {std::move(t)},
               .notes = std::move(notes),
               .closing = {fmt::format("Next: bloomtime count {0} ITEM; bloomtime hot {0}",
                                       given_.store)}});
  }

  const typed_tally& given_;
  any_tally_config asked_;
  std::optional<std::uint64_t> seed_;  // nothing for "random"
  logs::input_options input_;
  std::string field_;
  std::optional<store::writer> writer_;
  std::optional<any_tally> tally_;
  std::optional<hot_list> names_;  // of the largest counts; none in a store that never had it
  bool timed_ = false;
  std::uint64_t adds_ = 0;
  std::uint64_t removes_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t full_ = 0;
};

constexpr const char* tally_examples =
    "bloomtime tally sales.tsv --op 1 --item 2 --store stock\n"
    "bloomtime tally sales.csv --op what --item article --amount pieces --store stock\n"
    "bloomtime tally visits.ndjson --item user --store visits       without --op all lines add\n"
    "bloomtime tally today.tsv --op 1 --item 2 --store stock        continues the store\n"
    "bloomtime tally all.tsv --op 1 --item 2 --memory 64MB --store stock      at most 64 MB\n"
    "bloomtime tally all.tsv --op 1 --item 2 --engine tally_filter --items 10M --store stock";

constexpr const char* tally_details =
    "Counts items that come and go. Each line adds or removes one of its item, or as many as\n"
    "--amount says. Removing more than there can be is refused and counted. An existing store is\n"
    "continued, as if all lines had been read at once; it is replaced as a whole at the end.\n"
    "Counts are never too low if only what was added is removed. Removing an item that was never\n"
    "added goes unnoticed, and lowers other counts, as often as a count is too high.\n"
    "tally_table grows with the number of items; with --memory, items beyond it are refused and\n"
    "counted, a warning is printed at once, and the exit status is 3. tally_filter has a fixed\n"
    "number of cells and takes any number of items, with a growing error; with --memory, counts\n"
    "for which there is no room beside the cells are refused in the same way.";

}  // namespace

void add_tally(command& root, output_options& asked) {
  command& self = root.add("tally", "count items that come and go, into a store");
  self.usage = "[FILE...] --item FIELD [--op FIELD] --store DIR";
  self.examples = tally_examples;
  self.details = tally_details;
  self.keys = {{"lines, rejected", "of this run"},
               {"adds, removes", "of this run"},
               {"refused, full", "removes and adds of this run that could not be done"},
               {"total", "sum of all counts of the store"},
               {"distinct", "different items; estimated if the engine is tally_filter"},
               {"largest", "upper bound of the largest count"},
               {"memory_bytes", "of the tally"}};
  self.fields = {{"store, field", "what was written"},
                 {"records", "valid lines of all runs"},
                 {"tally", "one object, the row"}};
  const auto given = std::make_shared<typed_tally>();
  self.arguments("FILE", given->files, "files of lines, read in order; - for standard input");
  self.text("--op", given->op, "FIELD",
            "field with + or add, - or remove (default: all lines add)");
  self.text("--amount", given->amount, "FIELD", "field with the number (default 1)");
  self.text("--store", given->store, "DIR", "directory to write");
  self.text("--items", given->items, "N",
            "different items at the same time, if known: 1M, 2.5k, 1e6");
  self.text("--error", given->error, "E",
            "probability that a count is too high (default 0.1%; tally_filter 1%)");
  self.text("--memory", given->memory, "SIZE",
            "most memory (default no limit; tally_filter without --items 16MB)");
  self.text("--engine", given->engine, "NAME", "tally_table (default) or tally_filter");
  self.text("--seed", given->seed, "N",
            "seed of the hash (default 0); random if the input may be hostile");
  self.input(given->input);
  self.output(asked);
  self.act = [given](const printer& out) { return tally_run(*given)(out); };
}

}  // namespace bloomtime::cli
