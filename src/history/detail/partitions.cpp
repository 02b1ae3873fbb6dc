#include <bloomtime/history/detail/partitions.hpp>

#include <algorithm>
#include <new>
#include <string>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::detail {

partitions::partitions(const partitions& other)
    : rules_(other.rules_),
      parts_(other.parts_),
      live_(other.live_),
      busy_(other.busy_),
      present_(other.present_),
      unjoined_(other.unjoined_),
      wants_pair_(other.wants_pair_) {}

partitions& partitions::operator=(const partitions& other) {
  if (this != &other) *this = partitions(other);
  return *this;
}

bool partitions::any_lent() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const auto& p) { return p.second.is_lent(); });
}

partitions::map::iterator partitions::find(std::uint64_t number) noexcept {
  const auto after = parts_.upper_bound(number);
  if (after == parts_.begin()) return parts_.end();
  const auto found = std::prev(after);
  return number - found->first < found->second.count ? found : parts_.end();
}

// -- adding --------------------------------------------------------------------------------------

void partitions::put(std::uint64_t number, partition p) {
  live_ += p.engine.live_memory();
  look_at(number);
  if (joining_ && number >= joining_->into.first &&
      number - joining_->into.first < joining_->into.count) {
    cancel_join();  // it belongs to the block
  }
  parts_.emplace(number, std::move(p));
}

outcome partitions::add(map::iterator to, digest d, instant when) {
  const std::uint64_t number = to->first;
  make_room(to);
  if (has_work()) if_there_is_memory([&] { step(work_per_event); });
  to = find(number);  // it may have become part of another one
  // Counting takes time, and only parts that have work to do, or were refused, have such tables.
  const bool may_wait = !busy_.empty() || to->second.is_refused;
  if (may_wait && to->second.engine.waiting_tables() > 1) {
    if_there_is_memory([&] { step_part(to->first, work_per_event); });
  }
  partition& p = to->second;
  if (p.is_lent()) {
    timeline_history owned(p.engine);
    p.engine = std::move(owned);
    p.lent = {};
    p.lender = nullptr;
  }
  const std::uint64_t before = p.engine.table_memory();
  const outcome became = p.engine.add(d, when);
  live_ += p.engine.table_memory() - before;
  return became;
}

void partitions::set_aside(map::iterator p) {
  if (!p->second.is_refused) busy_.insert(p->first);
  p->second.engine.set_table_aside();
}

// A full table is set aside. If all of them together take too much, so is the next one that is not
// small, wherever it is.
void partitions::make_room(map::iterator to) {
  if (to->second.engine.is_table_full()) set_aside(to);
  if (live_ < rules_.live_memory) return;
  const std::uint64_t least = live_ / (2 * parts_.size());
  constexpr int most_looked_at = 64;
  auto p = parts_.lower_bound(room_);
  for (int i = 0; i < most_looked_at; ++i, ++p) {
    if (p == parts_.end()) p = parts_.begin();
    room_ = p->first + 1;
    if (p->second.engine.table_memory() >= least) return set_aside(p);
  }
}

// -- work ----------------------------------------------------------------------------------------

// One part after the other, and then the join, so that all of it comes to an end.
void partitions::step(std::uint64_t share) {
  if (!joining_ && may_join()) begin_join();
  if (busy_.empty() && !joining_) return;
  const auto next = busy_.lower_bound(turn_);
  if (next != busy_.end()) {
    turn_ = *next + 1;
    return step_part(*next, share);
  }
  turn_ = 0;
  if (joining_) return step_join(share);
  if (!busy_.empty()) step(share);
}

void partitions::step_part(std::uint64_t number, std::uint64_t share) {
  partition& p = parts_.find(number)->second;
  ++work_done_;
  if (p.is_joined) return;  // its turn comes after the join
  const std::uint64_t tables = 1 + p.engine.waiting_tables();
  const std::uint64_t given = share > any_work / tables ? any_work : share * tables;
  const std::uint64_t before = p.engine.live_memory();
  std::uint64_t left = given;
  bool done = true;
  try {
    done = p.engine.upkeep(left);
  } catch (const error& e) {
    if (e.code() != errc::too_large && e.code() != errc::corrupt) throw;
    p.is_refused = true;
  }
  work_done_ += given - left;
  live_ += p.engine.live_memory() - before;
  if (!done) return;
  look_at(number);
  busy_.erase(number);
}

// What there is no memory for is tried again.
template <class Work>
void partitions::if_there_is_memory(Work&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  } catch (const error& e) {
    if (e.code() != errc::out_of_memory) throw;
  }
}

void partitions::finish() {
  while (has_work()) step(any_work);
}

void partitions::close(map::iterator p) {
  partition& over = p->second;
  if (over.is_joined || over.is_refused) return;
  if (keeps_no_names(over)) {
    over.engine.begin_seal();
  } else {
    over.engine.begin_compact();
  }
  if (over.engine.needs_upkeep()) busy_.insert(p->first);
}

void partitions::close_before(std::uint64_t number) {
  for (auto p = parts_.begin(); p != parts_.end() && p->first < number; ++p) close(p);
  count_live();
  const std::uint64_t upto = work_done_ + work_per_partition;
  while (!busy_.empty() && work_done_ < upto) step(upto - work_done_);
}

void partitions::resume(std::uint64_t present) {
  for (auto p = parts_.begin(); p != parts_.end() && p->first < present; ++p) {
    if (!p->second.is_lent() && keeps_no_names(p->second) && !p->second.engine.is_sealed()) {
      close(p);
    }
  }
}

void partitions::compact() {
  finish();
  for (auto& [number, p] : parts_) p.engine.compact();
  count_live();
}

void partitions::seal() {
  finish();
  for (auto& [number, p] : parts_) p.engine.seal();
  count_live();
}

void partitions::retire(const std::filesystem::path& directory) {
  finish();
  for (auto& [number, p] : parts_) {
    if (p.is_lent() || number + p.count > newest()) continue;
    p.engine.seal();
    const auto path = directory / ("history-" + std::to_string(p.engine.first()) + ".bloomtime");
    p.engine.save(path);
    const auto file = mapped_file::open(path);
    p.engine = timeline_history::view(file->bytes());
    p.lent = file->bytes();
    p.lender = file;
  }
  count_live();
}

// -- dropping ------------------------------------------------------------------------------------

void partitions::erase(map::iterator p) noexcept {
  if (p->second.is_joined) cancel_join();
  busy_.erase(p->first);
  unjoined_.erase(p->first);
  live_ -= p->second.engine.live_memory();
  parts_.erase(p);
}

void partitions::erase_if_empty(std::uint64_t number) noexcept {
  const auto p = parts_.find(number);
  if (p != parts_.end() && p->second.engine.records() == 0) erase(p);
}

void partitions::drop_before(std::uint64_t number) noexcept {
  while (!parts_.empty() && parts_.begin()->first + parts_.begin()->second.count <= number) {
    erase(parts_.begin());
  }
}

// -- sizes ---------------------------------------------------------------------------------------

void partitions::count_live() noexcept {
  live_ = 0;
  for (const auto& [number, p] : parts_) live_ += p.engine.live_memory();
}

std::uint64_t partitions::memory() const noexcept {
  constexpr std::uint64_t links = 4 * sizeof(void*);  // of a node: parent, children, colour
  const std::uint64_t node = allocated_bytes(links + hooked_bytes<map::value_type>(1));
  const std::uint64_t mark = allocated_bytes(links + hooked_bytes<std::uint64_t>(1));
  std::uint64_t bytes = joining_ ? joining_->work.bytes() + allocated_by(joining_->parts) : 0;
  bytes += parts_.size() * node + (busy_.size() + unjoined_.size()) * mark;
  for (const auto& [number, p] : parts_) bytes += p.engine.memory();
  return bytes;
}

bool partitions::is_too_much() const noexcept {
  if (rules_.memory == 0) return false;
  std::uint64_t bytes = 0;
  for (const auto& [number, p] : parts_) bytes += p.is_lent() ? 0 : p.engine.memory();
  return bytes > rules_.memory;
}

}  // namespace bloomtime::detail
