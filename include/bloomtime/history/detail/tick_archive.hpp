#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/history/detail/name_removal.hpp>
#include <bloomtime/history/detail/positions.hpp>
#include <bloomtime/history/detail/tick_span.hpp>
#include <bloomtime/history/detail/timelines.hpp>
#include <bloomtime/history/detail/timelines_merge.hpp>

// The ticks of a timeline history that are no longer written to. Full tables become timelines, and
// timelines of similar size are merged, in steps of bounded work, as in a log-structured merge
// tree. A merge takes little more memory than its result: what it has written answers at once, and
// what that was made of gives its memory back.
namespace bloomtime::detail {

// Ticks of many items: a full table, or timelines. Both are immutable and may be shared, but what
// lies outside of `keys` must not be read.
struct tick_layer {
  std::shared_ptr<const live_ticks> table;  // either this
  std::shared_ptr<const timelines> lines;   // or that
  std::uint64_t first = 0;                  // tick of the archive that is tick 0 here
  unsigned level = 0;                       // 0: a table; each level is 8 times larger
  key_range keys = {};                      // of the items that it answers for
  std::size_t discarded = 0;                // bytes of the stream

  tick_range reach() const noexcept;  // all ticks lie in it
  bool seen(digest d, tick_range asked) const noexcept;
  // Whether the item may be there at any time, without reading much.
  bool may_have(digest d) const noexcept {
    const std::uint64_t key = timeline_key(d);
    return keys.has(key) && (table || lines->filter().may_have(key));
  }
  // Items below this key are in another layer from now on, and their memory is given back.
  void hand_over(std::uint64_t upto) noexcept;
  // For questions that follow: first where to look, then what is there.
  void prefetch_place(digest d) const noexcept {
    if (table) return table->prefetch(d);
    lines->prefetch_directory(timeline_key(d));
  }
  void prefetch_item(digest d) const noexcept {
    if (lines) lines->prefetch_bucket(timeline_key(d));
  }
  // visit(tick_range) for all ticks of an item, in order.
  template <class Visit>
  void for_each(digest d, Visit&& visit) const {
    if (!keys.has(timeline_key(d))) return;
    const auto later = [&](tick_range r) { visit(tick_range{r.first + first, r.last + first}); };
    if (table) return table->for_each(d, [&](std::uint64_t t) { later({t, t}); });
    const auto line = lines->view().find(timeline_key(d));
    if (!line) return;
    timeline_cursor ticks(*line);
    while (const std::optional<tick_range> run = ticks.next()) later(*run);
  }

  std::uint64_t items() const noexcept { return table ? table->items() : lines->shape().items; }
  std::uint64_t ticks() const noexcept { return table ? table->ticks() : lines->shape().ticks; }
  std::uint64_t bytes() const noexcept { return table ? table->bytes() : lines->bytes(); }
  shared_source source(std::uint64_t later_by = 0) const;
};

using tick_layers = std::vector<tick_layer, hooked<tick_layer>>;
using position_sets = std::vector<positions, hooked<positions>>;

// Whether it is timelines of this whole span, and answers for all of them.
bool is_whole(const tick_layer& layer, std::uint64_t span) noexcept;
tick_sources sources_of(std::span<const tick_layer> layers, std::uint64_t later_by = 0);

// Sets of sightings without names that a history can have: two of the 4096 sections of a container
// each.
inline constexpr std::uint64_t most_nameless_sets = 2046;

// For how many sightings without names there is room: see timeline_config.
struct name_limits {
  double error;
  std::uint64_t length;
};

// Makes one layer of several, and removes the names of items that hardly repeat if limits are
// given.
class layer_merge {
 public:
  layer_merge(std::uint64_t span, tick_layers from, std::optional<name_limits> names);

  // As timelines_merge::step and name_removal::step.
  bool step(std::uint64_t& work);

  // What writes the result, if it is written now and the layers have much memory to give back.
  std::shared_ptr<const timelines_writer> writer() const noexcept;

  bool removes_names() const noexcept { return names_.has_value(); }
  unsigned level() const noexcept { return from_.front().level; }
  std::uint64_t bytes() const noexcept;  // beside the layers that are merged

  // When all is done: what kept its name, null if nothing did, and what did not.
  std::shared_ptr<const timelines> lines() noexcept { return lines_; }
  std::optional<positions>& nameless() noexcept { return nameless_; }

 private:
  bool step_names(std::uint64_t& work);

  tick_layers from_;
  std::optional<name_limits> names_;
  std::optional<timelines_merge> merge_;
  std::shared_ptr<const timelines> lines_;
  std::shared_ptr<name_removal> removal_;
  std::optional<positions> nameless_;
};

class tick_archive {
 public:
  // A table is full when it has as many of either: at most about 1 MB. It depends on nothing else,
  // so that a history that was stored and loaded goes on in the same way.
  static constexpr std::uint64_t most_table_items = 4096;
  static constexpr std::uint64_t most_table_ticks = 65'536;
  static bool is_full(const live_ticks& table) noexcept {
    return table.items() >= most_table_items || table.ticks() >= most_table_ticks;
  }

  explicit tick_archive(std::uint64_t span = 1) noexcept : span_(span) {}
  // A copy owns its bytes, and begins anew with what is not merged yet.
  tick_archive(const tick_archive& other);
  tick_archive& operator=(const tick_archive& other);
  tick_archive(tick_archive&&) noexcept = default;
  tick_archive& operator=(tick_archive&&) noexcept = default;
  ~tick_archive() = default;

  // Takes what is in the table and leaves it empty. If memory is out, nothing has changed.
  void freeze(live_ticks& table);
  void put(timelines lines);
  // All layers and the table, which is empty then, become one at once. If it throws, the answers of
  // both together are the same, and nothing has changed if nothing was written.
  void unite(live_ticks& table);
  void put(positions set) { nameless_.push_back(std::move(set)); }
  void reserve(std::size_t layers, std::size_t sets) {
    layers_.reserve(layers);
    nameless_.reserve(sets);
  }
  // Takes what another one has behind so many layers, and all that has no name, as of a time later
  // by so many ticks. A set that is already there is skipped, so that merging the same history
  // again adds nothing. Throws nothing if there is room.
  void take(tick_archive& other, std::size_t layers, std::uint64_t later_by);

  // Wants one layer instead of those that there are now, and no names of items that hardly repeat
  // if limits are given, unless they were removed before.
  void begin(std::optional<name_limits> names);
  // Whether there is something to do.
  bool is_busy() const noexcept { return !merges_.empty() || whole_ > 0 || due() > 0; }
  // Does about so much work, one for every item and every run of ticks that is read or written, and
  // takes what was done from it. Returns whether all is done. If it throws, the answers are the
  // same, and it can be called again.
  bool step(std::uint64_t& work);
  // All of the work that there is.
  void finish();
  // Removes names at once.
  void remove_names(const name_limits& limits);
  bool names_removed() const noexcept { return names_removed_; }
  void set_names_removed(bool removed) noexcept { names_removed_ = removed; }

  const tick_layers& layers() const noexcept { return layers_; }
  const position_sets& nameless() const noexcept { return nameless_; }
  // Whether there is at most one layer, of timelines of the whole span.
  bool is_whole() const noexcept {
    return layers_.empty() || (layers_.size() == 1 && detail::is_whole(layers_[0], span_));
  }
  // The timelines of the first layer, or none.
  const timelines& lines() const noexcept;

  std::uint64_t tables() const noexcept;       // that wait to become timelines
  std::uint64_t table_bytes() const noexcept;  // of these
  // Of everything else, with what is being written, but without filters, which are not stored.
  std::uint64_t sealed_bytes() const noexcept;
  std::uint64_t filter_bytes() const noexcept;

 private:
  static constexpr std::size_t fan = 8;  // layers of a level that become one of the next

  // What a merge has written so far.
  struct grown_lines {
    std::shared_ptr<const timelines_writer> by;  // whose memory they are in
    timelines lines;
  };
  struct running {
    std::size_t at;     // the first of its layers
    std::size_t count;  // of them
    layer_merge merge;
    std::shared_ptr<grown_lines> grown = nullptr;  // of the first of its layers, once there is one
  };

  void put_copies(const tick_layers& of, std::size_t whole);
  std::size_t due() const noexcept;
  void begin_next(std::uint64_t& work);
  void begin_growing(running& r);
  void hand_over(running& r);
  void end_last() noexcept;
  void abandon() noexcept;
  void thaw(live_ticks& table) noexcept;

  std::uint64_t span_;
  tick_layers layers_;  // the oldest first
  position_sets nameless_;
  bool names_removed_ = false;  // or it was not worth it
  // In the order of their layers; the last one is worked on.
  std::vector<running, hooked<running>> merges_;
  std::size_t whole_ = 0;  // so many of the first layers are to become one
  bool again_ = false;     // and then those that came since
  std::optional<name_limits> names_;
};

}  // namespace bloomtime::detail
