#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <bloomtime/outcome.hpp>
#include <bloomtime/shard.hpp>

#include "chunks.hpp"
#include "commands.hpp"
#include "value.hpp"
#include "write_target.hpp"

// The commands that all families have.
namespace bloomtime::redis {

template <class Family>
struct common {
  using content = typename Family::content;

  static std::vector<fact> told(const content& filter, std::vector<fact> facts) {
    if (const auto newest = filter.newest()) {
      facts.push_back({"last_timestamp", static_cast<std::uint64_t>(newest->micros / 1000)});
    }
    const losses& l = filter.losses();
    facts.push_back({"dropped_late", l.dropped_late});
    facts.push_back({"saturated_events", l.saturated});
    facts.push_back({"refused_events", l.refused + l.full + l.future});
    facts.push_back({"encoding_version", std::uint64_t{1}});
    return facts;
  }

  static void info(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read);
    const content& filter = key.existing();
    const std::vector<fact> facts = told(filter, filter.describe());
    if (!c.in.more()) return c.facts(facts);
    const std::string_view field = c.in.text();
    c.in.end();
    for (const fact& f : facts) {
      const auto same = [](unsigned char a, char b) { return std::tolower(a) == b; };
      if (std::equal(field.begin(), field.end(), f.name.begin(), f.name.end(), same)) {
        return c.fact_value(f);
      }
    }
    fail("unknown field '" + std::string(field.substr(0, 64)) + "'");
  }

  static void debug(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read);
    c.in.end();
    const content& filter = key.existing();
    std::vector<fact> facts = told(filter, filter.examine());
    facts.push_back({"stored_bytes", filter.serialized_size()});
    facts.push_back({"identity", std::to_string(filter.identity())});
    c.facts(facts);
  }

  static void card(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read);
    c.in.end();
    const content* const filter = key.filter();
    const double items = filter != nullptr ? Family::cardinality(*filter, from_ms(now_ms())) : 0;
    c.whole(static_cast<std::uint64_t>(std::llround(std::clamp(items, 0., 0x1p62))));
  }

  // Which key of a filter in shards an item belongs to; any of them can tell.
  static void shard_numbers(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read);
    const auto shards = static_cast<std::uint32_t>(c.in.whole("shards", 1, shard::most));
    if (!std::has_single_bit(shards)) fail("bad shards: must be a power of two");
    const std::span<rm::String* const> items = c.in.items();
    const content& filter = key.existing();
    (void)filter.shard_of({}, shards);  // throws if the engine has none
    c.array(items.size());
    for (const rm::String* const item : items) {
      c.whole(filter.shard_of(digest_of(text_of(item), filter.seed()), shards));
    }
  }

  static void reset(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read | rm::write);
    c.in.end();
    key.existing().clear();
    c.changed(key.name(), Family::names.reset_event);
    c.replicate_verbatim();
    c.ok();
  }

  // -- chunks ----------------------------------------------------------------------------------

  static void scan_dump(call& c) {
    const opened<Family> key(c, c.in.string(), rm::read);
    const std::uint64_t last = c.in.whole("iterator", 0, most_chunks);
    c.in.end();
    const content& filter = key.existing();
    const std::uint64_t size = filter.serialized_size();
    const std::uint64_t all = chunks_in(size);
    if (last > all) fail("bad iterator");
    const std::uint64_t number = last == 0 ? all : last - 1;
    const std::string chunk =
        number == 0 ? std::string() : chunk_of(filter, (all - number) * chunk_bytes);
    c.array(2);
    c.whole(number);
    c.text(chunk);
  }

  static std::string chunk_of(const content& filter, std::uint64_t first) {
    std::string chunk;
    std::uint64_t at = 0;
    filter.write_to([&](std::span<const std::byte> piece) {
      const std::uint64_t skipped =
          at < first ? std::min<std::uint64_t>(first - at, piece.size()) : 0;
      at += piece.size();
      const auto wanted = piece.subspan(skipped);
      const auto* const text = reinterpret_cast<const char*>(wanted.data());
      chunk.append(text, std::min(wanted.size(), chunk_bytes - chunk.size()));
    });
    return chunk;
  }

  static void load_chunk(call& c) {
    opened<Family> key(c, c.in.string(), rm::read | rm::write);
    const std::uint64_t number = c.in.whole("iterator", 1, most_chunks);
    const std::string_view data = c.in.text();
    c.in.end();
    if (key.exists() && key.get().filter) fail("item exists");
    if (data.empty()) fail("received bad data");
    take_chunk(c, key, number, std::as_bytes(std::span(data.data(), data.size())));
    c.changed(key.name(), Family::names.load_event);
    c.replicate_verbatim();
    c.ok();
  }

  static void take_chunk(const call& c, opened<Family>& key, std::uint64_t number,
                         std::span<const std::byte> data) {
    using kept = value<Family>;
    const bool continues = key.exists() && key.get().chunks_left == number;
    if (key.exists() && number < key.get().chunks_left) fail("received bad data");
    typename kept::bytes bytes;
    if (continues) bytes.swap(key.get().pending);
    const std::size_t before = bytes.size();
    try {
      if (!c.is_replayed() && data.size() + before > configured().max_object_bytes) {
        fail("operation exceeds memory limit");
      }
      std::unique_ptr<kept, void (*)(kept*)> made(kept::make(), kept::destroy);
      bytes.insert(bytes.end(), data.begin(), data.end());
      if (number == 1) {
        made->filter.emplace(made_within_limit(c, [&] { return content::load(bytes); }));
      } else {
        made->pending.swap(bytes);
        made->chunks_left = number - 1;
      }
      if (key.exists()) {
        key.get().swap(*made);  // the key keeps its time to live
      } else {
        key.set(made.release());
      }
    } catch (...) {
      bytes.resize(before);
      if (continues) bytes.swap(key.get().pending);
      throw;
    }
  }

  // -- merge -----------------------------------------------------------------------------------

  static int merge_entry(rm::Ctx* ctx, rm::String** argv, int argc) noexcept {
    if (rm::IsKeysPositionRequest(ctx) == 0) return guarded(ctx, argv, argc, merge);
    rm::KeyAtPosWithFlags(ctx, 1, rm::key_rw | rm::key_access | rm::key_update);
    const auto keys = argc > 3 ? whole_in(text_of(argv[2])) : std::nullopt;
    for (int i = 3; keys && i < argc && static_cast<std::uint64_t>(i - 3) < *keys; ++i) {
      rm::KeyAtPosWithFlags(ctx, i, rm::key_ro | rm::key_access);
    }
    return rm::ok;
  }

  static void merge(call& c) {
    rm::String* const name = c.in.string();
    const std::uint64_t count = c.in.whole("numkeys", 1, 1'000'000);
    if (count > c.in.left()) throw wrong_arity();
    std::vector<rm::String*> sources;
    for (std::uint64_t i = 0; i < count; ++i) sources.push_back(c.in.string());
    const std::vector<double> weights = weights_of(c, count);
    opened<Family> key(c, name, rm::read | rm::write);
    std::optional<content> sum;
    if (const content* const present = key.filter()) sum.emplace(*present);
    for (std::uint64_t i = 0; i < count; ++i) {
      const opened<Family> source(c, sources[i], rm::read);
      add_to(sum, source.existing(), weights.empty() ? 1 : weights[i]);
    }
    if (!c.is_replayed() && sum->memory() > configured().max_object_bytes) {
      fail("operation exceeds memory limit");
    }
    if (key.exists()) {
      key.get().replace(*std::move(sum));
    } else {
      key.set(value<Family>::make(*std::move(sum)));
    }
    c.changed(name, Family::names.merge_event);
    c.replicate_verbatim();
    c.ok();
  }

  static std::vector<double> weights_of(call& c, std::uint64_t count) {
    std::vector<double> weights;
    if (Family::weighs_sources && c.in.option("WEIGHTS")) {
      for (std::uint64_t i = 0; i < count; ++i) {
        weights.push_back(c.in.number("weight", 0, 0x1p32));
      }
    }
    c.in.end();
    return weights;
  }

  // A missing destination gets the parameters of the first source.
  static void add_to(std::optional<content>& sum, const content& source, double weight) {
    if (!sum) {
      sum.emplace(source);
      if (weight == 1) return;
      sum->clear();
    }
    Family::merge(*sum, source, weight);
  }
};

// With all parameters.
template <class Family>
void replicate_reserve(const call& c, rm::String* name, const typename Family::parameters& given) {
  canonical_form form(c.context());
  form.add(name).add(*given.error).add(*given.capacity);
  given.write_options(form);
  form.send(Family::names.reserve);
}

template <class Family>
void reserve(call& c) {
  rm::String* const name = c.in.string();
  typename Family::parameters given;
  given.error = c.in.probability("error rate");
  given.capacity = c.in.whole("capacity", 1, largest_capacity);
  while (c.in.more()) {
    if (!given.read_option(c.in)) c.in.unknown();
  }
  if (opened<Family>(c, name, rm::read).exists()) fail("item exists");
  write_target<Family> target(c, name, given);
  target.commit(c, Family::names.reserve_event);
  replicate_reserve<Family>(c, name, given);
  c.ok();
}

// The time of a question: AT, or now.
inline instant asked_time(call& c) {
  return from_ms(c.in.option("AT") ? c.in.time_ms("time") : now_ms());
}

// Their rows in the table of commands. A file that uses it has `shared`, the common<> of its
// family.
#define BLOOMTIME_SHARED_COMMANDS(prefix)                                                        \
  command{prefix ".INFO",  entry<shared::info>,                                                  \
          "readonly fast", -2,                                                                   \
          "key [field]",   "Returns parameters and sizes",                                       \
          "O(1)"},                                                                               \
      command{prefix ".CARD",                                                                    \
              entry<shared::card>,                                                               \
              "readonly",                                                                        \
              2,                                                                                 \
              "key",                                                                             \
              "Returns the number of different items, estimated",                                \
              "O(N) for N bytes at most"},                                                       \
      command{prefix ".SHARD",          entry<shared::shard_numbers>,                            \
              "readonly fast",          -4,                                                      \
              "key shards:int item...", "Returns the shards that items belong to, from 0 on",    \
              "O(N) for N items"},                                                               \
      command{prefix ".RESET",                                                                   \
              entry<shared::reset>,                                                              \
              "write",                                                                           \
              2,                                                                                 \
              "key",                                                                             \
              "Forgets all items and keeps the parameters",                                      \
              "O(N) for N bytes"},                                                               \
      command{prefix ".SCANDUMP", entry<shared::scan_dump>,                                      \
              "readonly",         3,                                                             \
              "key iterator:int", "Returns a chunk of the stored form",                          \
              "O(N) for N bytes"},                                                               \
      command{prefix ".LOADCHUNK",     entry<shared::load_chunk>,          "write deny-oom",  4, \
              "key iterator:int data", "Takes a chunk of the stored form", "O(N) for N bytes"},  \
      command {                                                                                  \
    prefix ".DEBUG", entry<shared::debug>, "readonly", 2, "key",                                 \
        "Returns parameters, sizes and what takes a scan of all cells", "O(N) for N bytes"       \
  }

}  // namespace bloomtime::redis
