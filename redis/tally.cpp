#include "tally.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <variant>

#include "commands.hpp"
#include "common.hpp"
#include "data_type.hpp"
#include "growth.hpp"
#include "writes.hpp"

namespace bloomtime::redis {

// -- parameters --------------------------------------------------------------------------------

bool tally_family::parameters::read_option(arguments& in) {
  if (read_basic(in)) return true;
  if (in.option("EXPANSION")) {
    expansion = in.whole("expansion", 1, 32768);
  } else if (in.option("NONSCALING")) {
    non_scaling = true;
  } else if (in.option("MAXCOUNT")) {
    max_count = in.whole("maxcount", 1, ~std::uint64_t{0});
  } else {
    return false;
  }
  if (expansion && non_scaling) fail("EXPANSION and NONSCALING exclude each other");
  return true;
}

// EXPANSION is not written: tables grow by small steps, whatever it says.
void tally_family::parameters::write_options(canonical_form& form) const {
  if (non_scaling) form.add("NONSCALING");
  if (max_count) form.add("MAXCOUNT", *max_count);
  write_basic(form);
}

tally_family::content tally_family::parameters::make() const {
  any_tally_config config;
  config.items = *capacity;
  config.error = error;
  config.seed = *seed;
  if (max_count && engine == tally_table::name) {
    fail("MAXCOUNT needs an engine with cells, such as ENGINE tally_filter");
  }
  if (max_count) config.cell_bits = static_cast<unsigned>(std::bit_width(*max_count));
  if (non_scaling) {
    if (engine != tally_table::name) fail("NONSCALING is for the engine tally_table");
    config.reserve = true;
    config.memory = tally_table::size_for({.items = *capacity, .error = *error}).bytes;
  }
  return any_tally::make(config, engine);
}

std::uint64_t tally_family::growth(const content& filter, const additions& items,
                                   std::uint64_t memory) {
  const tally_table* const table = std::get_if<tally_table>(&filter.get());
  if (table == nullptr || table->memory_limit()) return 0;
  return growth_of_table(memory, 2 * items.size());  // a large count takes two slots
}

// -- adding ------------------------------------------------------------------------------------

namespace {

using family = tally_family;

std::span<const std::uint64_t> amounts_of(const any_tally& filter, const additions& items) {
  const auto amounts = scratch<std::uint64_t>(items.size());
  std::uint64_t room = ~filter.total();
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const auto amount = items.weighted ? whole_in(items.weight(i)) : 1;
    if (!amount || *amount == 0) fail("bad increment");
    if (*amount > room) fail("the sum of all counts would exceed 64 bits");
    room -= *amount;
    amounts[i] = *amount;
  }
  return amounts;
}

// False if there was no room for one of them; others may have been added.
bool add_all(any_tally& filter, const additions& items, std::span<const digest> digests,
             std::span<const std::uint64_t> amounts) {
  if (!items.weighted && digests.size() == 1) return filter.add(digests[0]) != outcome::full;
  const auto outcomes = scratch<outcome>(digests.size());
  if (items.weighted) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      outcomes[i] = filter.add(digests[i], amounts[i]);
    }
  } else {
    filter.add_bulk(digests, outcomes);
  }
  return std::find(outcomes.begin(), outcomes.end(), outcome::full) == outcomes.end();
}

void add(call& c) {
  rm::String* const name = c.in.string();
  std::array<rm::String*, 2> words{c.in.string(), nullptr};
  const bool weighted = c.in.option("BY");
  if (weighted) words[1] = c.in.string();
  c.in.end();
  family::parameters given;
  write_target<family> target(c, name, given);
  write_items(c, target, given, {}, {std::span(words).first(weighted ? 2 : 1), weighted});
  c.whole(target.filter().count(scratch<digest>(1)[0]).value);
}

void add_if_absent(call& c) {
  rm::String* const name = c.in.string();
  rm::String* const item = c.in.string();
  c.in.end();
  family::parameters given;
  write_target<family> target(c, name, given);
  const any_tally& filter = target.filter();
  const bool absent = filter.count(filter.digest_of(text_of(item))).value == 0;
  if (absent) write_items(c, target, given, {}, {{&item, 1}});
  c.boolean(absent);
}

// -- removing ----------------------------------------------------------------------------------

// Replicates only if something was removed.
void removed(const call& c, rm::String* name, bool any) {
  if (!any) return;
  c.changed(name, "tally.del");
  c.replicate_verbatim();
}

void remove(call& c) {
  const opened<family> key(c, c.in.string(), rm::read | rm::write);
  const std::string_view item = c.in.text();
  const std::uint64_t amount =
      c.in.option("BY") ? c.in.whole("decrement", 1, ~std::uint64_t{0}) : 1;
  c.in.end();
  any_tally& filter = key.existing();
  const bool found = filter.remove(filter.digest_of(item), amount) != outcome::refused;
  removed(c, key.name(), found);
  c.boolean(found);
}

void remove_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read | rm::write);
  const auto items = c.in.items();
  any_tally& filter = key.existing();
  const auto outcomes = scratch<outcome>(items.size());
  filter.remove_bulk(digests_of(filter, items), outcomes);
  const auto is_removed = [](outcome o) { return o != outcome::refused; };
  removed(c, key.name(), std::any_of(outcomes.begin(), outcomes.end(), is_removed));
  c.array(items.size());
  for (const outcome o : outcomes) c.boolean(is_removed(o));
}

// -- questions ---------------------------------------------------------------------------------

std::uint64_t count_in(const any_tally* filter, std::string_view item) {
  return filter != nullptr ? filter->count(filter->digest_of(item)).value : 0;
}

void count(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  c.in.end();
  c.whole(count_in(key.filter(), item));
}

void exists(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const std::string_view item = c.in.text();
  c.in.end();
  c.boolean(count_in(key.filter(), item) != 0);
}

std::span<const counted> counts_of(const any_tally* filter, std::span<rm::String* const> items) {
  const auto answers = scratch<counted>(items.size());
  if (filter != nullptr) {
    filter->count_bulk(digests_of(*filter, items), answers);
  } else {
    std::fill(answers.begin(), answers.end(), counted{});
  }
  return answers;
}

void count_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const auto answers = counts_of(key.filter(), c.in.items());
  c.array(answers.size());
  for (const counted& a : answers) c.whole(a.value);
}

void exist_many(call& c) {
  const opened<family> key(c, c.in.string(), rm::read);
  const auto answers = counts_of(key.filter(), c.in.items());
  c.array(answers.size());
  for (const counted& a : answers) c.boolean(a.value != 0);
}

// Nothing that others could see changes.
void compact(call& c) {
  const opened<family> key(c, c.in.string(), rm::read | rm::write);
  c.in.end();
  any_tally& filter = key.existing();
  const std::uint64_t before = filter.memory();
  filter.relocate();
  c.whole(before - std::min(before, filter.memory()));
}

using shared = common<family>;

constexpr std::array commands{
    command{"TALLY.RESERVE", entry<reserve<family>>, "write deny-oom fast", -4,
            "key error_rate:double capacity:int [EXPANSION expansion:int | NONSCALING] "
            "[MAXCOUNT count:int] [SEED seed:int] [ENGINE engine]",
            "Creates a filter that counts items", "O(1)"},
    command{"TALLY.ADD", entry<add>, "write deny-oom fast", -3, "key item [BY increment:int]",
            "Adds to the count of an item and returns it", "O(1)"},
    command{"TALLY.ADDNX", entry<add_if_absent>, "write deny-oom fast", 3, "key item",
            "Adds an item if its count is 0", "O(1)"},
    command{"TALLY.MADD", entry<add_many<family>>, "write deny-oom fast", -3, "key item...",
            "Adds items and returns their counts", "O(N) for N items"},
    command{"TALLY.INSERT", entry<insert<family>>, "write deny-oom fast", -4,
            "key [ERROR error_rate:double] [CAPACITY capacity:int] "
            "[EXPANSION expansion:int | NONSCALING] [MAXCOUNT count:int] [SEED seed:int] "
            "[ENGINE engine] [NOCREATE] [WEIGHTED] ITEMS item...",
            "Adds items, and creates the filter with these parameters if there is none",
            "O(N) for N items"},
    command{"TALLY.DEL", entry<remove>, "write fast", -3, "key item [BY decrement:int]",
            "Removes from the count of an item, unless it is certainly less", "O(1)"},
    command{"TALLY.MDEL", entry<remove_many>, "write fast", -3, "key item...",
            "Removes one of each item, except of those that are certainly absent",
            "O(N) for N items"},
    command{"TALLY.COUNT", entry<count>, "readonly fast", 3, "key item",
            "Returns the count of an item", "O(1)"},
    command{"TALLY.MCOUNT", entry<count_many>, "readonly fast", -3, "key item...",
            "Returns the counts of items", "O(N) for N items"},
    command{"TALLY.EXISTS", entry<exists>, "readonly fast", 3, "key item",
            "Tells whether the count of an item is not 0", "O(1)"},
    command{"TALLY.MEXISTS", entry<exist_many>, "readonly fast", -3, "key item...",
            "Tells which items have a count that is not 0", "O(N) for N items"},
    command{"TALLY.COMPACT", entry<compact>, "write", 2, "key",
            "Moves the filter to memory of just its size and returns the bytes freed",
            "O(N) for N bytes"},
    command{"TALLY.MERGE", shared::merge_entry, "write deny-oom getkeys-api", -4,
            "dest:key numkeys:int source:source...", "Adds the counts of other filters",
            "O(N) for N bytes of all filters"},
    BLOOMTIME_SHARED_COMMANDS("TALLY")};

}  // namespace

// -- adding ------------------------------------------------------------------------------------

void tally_family::record(content& filter, const additions& items, std::span<const digest> digests,
                          instant) {
  const auto amounts = amounts_of(filter, items);
  const tally_table* const table = std::get_if<tally_table>(&filter.get());
  const bool limited = table != nullptr && table->memory_limit();
  const char* const is_full = limited ? "non scaling filter is full" : filter_is_full;
  const std::uint64_t slots = (items.weighted ? 6 : 2) * items.size();  // a count may take several
  const bool fits =
      table == nullptr || table->takes(slots) || (limited && table->room_for(slots) == slots);
  all_or_nothing(filter, fits, [&](content& f) {
    if (!add_all(f, items, digests, amounts)) fail(is_full);
  });
}

void tally_family::reply(const call& c, const content& filter, std::size_t count, instant) {
  const auto answers = scratch<counted>(count);
  filter.count_bulk(scratch<digest>(count), answers);
  c.array(count);
  for (const counted& a : answers) c.whole(a.value);
}

bool register_tally(rm::Ctx* ctx) {
  return data_type<family>::create(ctx) && register_commands(ctx, commands);
}

}  // namespace bloomtime::redis
