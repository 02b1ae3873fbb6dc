#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <bloomtime/history/detail/live_ticks.hpp>
#include <bloomtime/history/detail/tick_runs.hpp>
#include <bloomtime/history/detail/timelines.hpp>

// Timelines of the items of several sources, made item by item. Beside the sources it takes as much
// memory as the result, and that of the runs of one bucket of items. The work can be spread over
// many calls.
namespace bloomtime::detail {

// Items in the order of their keys, each with its ticks as runs in the order of time.
class tick_source {
 public:
  virtual ~tick_source() = default;

  // Goes back to before the first item.
  virtual void rewind() = 0;
  // Moves on to the next item; false behind the last. A key may come several times, and an item
  // without runs is none. Throws error(corrupt) where timelines are damaged, as take() does.
  virtual bool next() = 0;
  virtual std::uint64_t key() const noexcept = 0;
  // Adds the next runs of this item, at most so many. Returns whether there are more.
  virtual bool take(tick_runs& runs, std::size_t most) = 0;
  // The head of this item's timeline, if that is known without taking its runs and no other item of
  // this source has its key.
  virtual std::optional<timeline_head> head() const noexcept = 0;
  // The body of such an item as it is written, if it can be trusted. It lives as long as the
  // source.
  virtual std::optional<coded_body> body() const noexcept { return std::nullopt; }
  // Memory or bytes of a file that everything comes from.
  virtual std::uint64_t bytes() const noexcept = 0;
  // Memory of the source itself.
  virtual std::uint64_t own_bytes() const noexcept = 0;
};

// Items of sealed timelines, which must outlive it, with all ticks later by `later_by`.
class sealed_source : public tick_source {
 public:
  explicit sealed_source(const timelines& sealed, std::uint64_t later_by = 0, key_range keys = {});

  void rewind() override;
  bool next() override;
  std::uint64_t key() const noexcept override { return items_.key(); }
  bool take(tick_runs& runs, std::size_t most) override;
  std::optional<timeline_head> head() const noexcept override;
  std::optional<coded_body> body() const noexcept override;
  std::uint64_t bytes() const noexcept override { return sealed_.bytes(); }
  std::uint64_t own_bytes() const noexcept override { return sizeof *this; }

 private:
  const timelines& sealed_;
  std::uint64_t later_by_;
  key_range keys_;
  timelines_cursor<bit_reader> items_;
  std::optional<timeline_cursor<bit_reader>> ticks_;  // of the item
};

// The table of what is not sealed yet, which must outlive it and not change.
class live_source : public tick_source {
 public:
  explicit live_source(const live_ticks& live, std::uint64_t later_by = 0);

  void rewind() override;
  bool next() override;
  std::uint64_t key() const noexcept override { return key_; }
  bool take(tick_runs& runs, std::size_t most) override;
  std::optional<timeline_head> head() const noexcept override;
  std::uint64_t bytes() const noexcept override { return live_.bytes(); }
  std::uint64_t own_bytes() const noexcept override { return sizeof *this + allocated_by(order_); }

 private:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  std::uint64_t key_of(std::size_t at) const noexcept {
    return at < order_.size() ? timeline_key(live_.item(order_[at])) : no_key;
  }
  std::uint64_t bits_of_pieces(const timeline_head& head) const noexcept;

  const live_ticks& live_;
  std::uint64_t later_by_;
  item_order order_;
  std::size_t at_;          // item, in this order
  std::uint64_t before_;    // key of the item before, or none
  std::uint64_t key_;       // of this item
  std::uint64_t next_key_;  // of the item behind, or none
  live_ticks::place tick_;  // the next one
};

using shared_source = std::shared_ptr<tick_source>;
using tick_sources = std::vector<shared_source, hooked<shared_source>>;

// In memory from the hook.
template <class T, class... Arguments>
std::shared_ptr<T> hooked_shared(Arguments&&... arguments) {
  return std::allocate_shared<T>(hooked<std::remove_const_t<T>>(),
                                 std::forward<Arguments>(arguments)...);
}

// First counts the items and the bits that they will take, then writes them: the same bytes however
// the items are spread over the sources. The body of an item that only one timeline has is copied.
// Few items are remembered when they are counted, so that they are read once.
class timelines_merge {
 public:
  // All ticks are below the span.
  timelines_merge(std::uint64_t span, tick_sources sources);

  // Does about so much work, and takes what was done from it: one for every item, for every run
  // that is read or written, and for every line of bits that is copied. At most the runs and pieces
  // of one bucket of items are written beyond it. Returns whether all is done. Throws
  // error(corrupt) where a source is damaged and error(too_large) where few bytes would become
  // many; what there was is unchanged then.
  bool step(std::uint64_t& work);
  // Does what is left.
  timelines finish();
  // Memory of everything but what the sources come from.
  std::uint64_t bytes() const noexcept;
  // Null before the first item is written. What was written is not read from the sources again.
  const std::shared_ptr<timelines_writer>& writer() const noexcept { return out_; }

 private:
  enum class stage : std::uint8_t { count, write, write_known, close, done };
  // An item that was counted. Of one without runs the head and the body are as in its source.
  struct known_item {
    std::uint64_t key;
    timeline_head head = {};
    coded_body body = {};
    std::size_t runs_at = 0;
    std::size_t runs = 0;
  };
  static constexpr std::uint64_t most_known_bytes = std::uint64_t{1} << 18;  // of sources
  static constexpr std::size_t least_known = 32;
  static constexpr std::size_t most_known = 16'384;
  static constexpr std::size_t most_known_runs = 32'768;

  struct input {
    shared_source source;
    std::uint64_t key = no_key;  // of the item, if there is one
  };
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  std::uint64_t source_bytes() const noexcept;
  void begin(stage next);
  static void advance(input& i);
  bool find_next(std::uint64_t& work);
  bool take_whole(input& only, std::uint64_t& work);
  void know(const known_item& item);
  void write_known(std::uint64_t& work);
  bool take_some(std::uint64_t& work);
  void end_item(std::uint64_t& work);
  void end_pass();
  void expect_reasonable(std::uint64_t bits) const;

  std::uint64_t span_;
  std::vector<input, hooked<input>> inputs_;
  stage stage_ = stage::count;
  bool in_item_ = false;
  std::uint64_t key_ = 0;  // of the item that is put together
  tick_runs runs_;         // of it, so far
  tick_runs part_;         // of it, from the input that is read
  tick_runs scratch_;
  std::uint64_t items_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t bits_ = 0;  // of heads and bodies
  tick_range reach_ = no_ticks;
  bool knows_ = false;      // what was counted
  std::vector<known_item, hooked<known_item>> known_;
  std::size_t written_ = 0;  // of these
  tick_runs known_runs_;
  std::shared_ptr<timelines_writer> out_;
};

}  // namespace bloomtime::detail
