#include <bloomtime/published/time_decaying/detail/digit_pool.hpp>

#include <utility>

namespace bloomtime::detail {

digit_pool::digit_pool(std::uint64_t capacity)
    : digits_(capacity), holders_(4 * capacity), slots_(4 * (capacity + (capacity + 1) / 2)) {}

// Where the holder's node is, or the free slot where the search ends.
std::uint64_t digit_pool::locate(std::uint32_t holder) const noexcept {
  std::uint64_t i = home(holder);
  while (slot(i) != 0 && this->holder(slot(i) - 1) != holder) i = after(i);
  return i;
}

std::optional<std::uint32_t> digit_pool::find(std::uint32_t holder) const noexcept {
  if (used_ == 0) return std::nullopt;
  const std::uint32_t content = slot(locate(holder));
  if (content == 0) return std::nullopt;
  return content - 1;
}

void digit_pool::link(std::uint32_t holder, std::uint32_t node) noexcept {
  set_slot(locate(holder), node + 1);
  set_holder(node, holder);
}

// Closes the gap (see side_table::erase).
void digit_pool::unlink(std::uint32_t holder) noexcept {
  std::uint64_t hole = locate(holder);
  for (std::uint64_t i = after(hole); slot(i) != 0; i = after(i)) {
    const std::uint64_t start = home(this->holder(slot(i) - 1));
    const bool passes_hole = hole <= i ? start <= hole || start > i : start <= hole && start > i;
    if (!passes_hole) continue;
    set_slot(hole, slot(i));
    hole = i;
  }
  set_slot(hole, 0);
}

std::uint32_t digit_pool::add(std::uint32_t holder) noexcept {
  const auto node = static_cast<std::uint32_t>(used_++);
  link(holder, node);
  digits_.set(node, 0);
  return node;
}

void digit_pool::remove(std::uint32_t node) noexcept {
  unlink(holder(node));
  const auto last = static_cast<std::uint32_t>(--used_);
  if (node == last) return;
  if (const auto above = find(as_holder(last))) {
    unlink(as_holder(last));
    link(as_holder(node), *above);
  }
  set_slot(locate(holder(last)), node + 1);
  set_holder(node, holder(last));
  digits_.set(node, digits_.get(last));
}

void digit_pool::grow(std::uint64_t capacity) {
  digit_pool grown(capacity);
  for (std::uint32_t node = 0; node < used_; ++node) {
    grown.link(holder(node), node);
    grown.digits_.set(node, digits_.get(node));
  }
  grown.used_ = used_;
  *this = std::move(grown);
}

}  // namespace bloomtime::detail
