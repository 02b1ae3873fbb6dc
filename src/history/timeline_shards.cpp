#include <algorithm>
#include <memory>
#include <utility>

#include <bloomtime/history/detail/timelines_merge.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/history/timeline_history.hpp>

// Shards of histories.
namespace bloomtime {
namespace {

// The items of another source that are in a shard.
class shard_source : public detail::tick_source {
 public:
  shard_source(detail::shared_source all, const shard& s) : all_(std::move(all)), shard_(s) {}

  void rewind() override { all_->rewind(); }
  bool next() override {
    while (all_->next()) {
      if (shard_.has(detail::shard_of_key(all_->key(), shard_))) return true;
    }
    return false;
  }
  std::uint64_t key() const noexcept override { return all_->key(); }
  bool take(detail::tick_runs& runs, std::size_t most) override { return all_->take(runs, most); }
  std::optional<detail::timeline_head> head() const noexcept override { return all_->head(); }
  std::optional<detail::coded_body> body() const noexcept override { return all_->body(); }
  std::uint64_t bytes() const noexcept override { return all_->bytes(); }
  std::uint64_t own_bytes() const noexcept override { return sizeof *this + all_->own_bytes(); }

 private:
  detail::shared_source all_;
  shard shard_;
};

}  // namespace

timeline_history timeline_history::part(const shard& s) const {
  check(s);
  detail::tick_sources sources = detail::sources_of(archive_.layers());
  if (!live_.empty()) sources.push_back(detail::hooked_shared<detail::live_source>(live_));
  for (detail::shared_source& each : sources) {
    each = detail::hooked_shared<shard_source>(std::move(each), s);
  }
  timeline_history made(config());
  static_cast<detail::history_base&>(made) = *this;
  made.archive_.put(detail::timelines_merge(ticks_, std::move(sources)).finish());
  for (const detail::positions& set : nameless()) made.archive_.put(set);
  made.archive_.set_names_removed(is_sealed());
  // Its share of the events.
  const double share =
      static_cast<double>(made.pairs()) / static_cast<double>(std::max<std::uint64_t>(1, pairs()));
  made.records_ = static_cast<std::uint64_t>(share * static_cast<double>(records_));
  return made;
}

history history::part(const shard& s) const {
  check(s);
  history made(shape_, known_from_);
  static_cast<detail::history_events&>(made) = *this;
  made.present_ = present_;
  for (const auto& [number, p] : parts_.all()) {
    made.parts_.put(number, {p.count, p.engine.part(s)});
  }
  return made;
}

}  // namespace bloomtime
