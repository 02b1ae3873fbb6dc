#include "heat_value.hpp"

#include <algorithm>
#include <variant>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/mix.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::redis {
namespace {

constexpr std::size_t total_offset = 48;  // docs/FORMAT.md, The fixed part

[[noreturn]] void refuse_merge(const char* why) { throw error(errc::incompatible, why); }

// The first container, and what follows it. If the length in its head is wrong, loading fails.
std::pair<std::span<const std::byte>, std::span<const std::byte>> divided(
    std::span<const std::byte> bytes) {
  if (bytes.size() < total_offset + sizeof(std::uint64_t)) return {bytes, {}};
  const std::uint64_t total = detail::byte_reader(bytes.subspan(total_offset)).u64();
  const std::size_t first = std::min<std::uint64_t>(total, bytes.size());
  return {bytes.first(first), bytes.subspan(first)};
}

}  // namespace

std::vector<hot_item> heat_value::top(std::size_t n, instant when) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (decaying<Engine>) return hot_->top(n, when, e);
        return hot_->top(n, when);
      },
      heat_.get());
}

void heat_value::clear() {
  heat_.clear();
  if (hot_) hot_->clear();
}

void heat_value::merge(const heat_value& other, double weight) {
  if (hot_.has_value() != other.hot_.has_value()) {
    refuse_merge("one of both has a list of the hottest items; use one TOPK for both");
  }
  heat_.merge(other.heat_, weight);
  if (hot_) hot_->merge(*other.hot_, weight);
}

void heat_value::relocate() {
  heat_.relocate();
  if (hot_) hot_ = hot_list(std::as_const(*hot_));
}

std::vector<fact> heat_value::with_list(std::vector<fact> facts) const {
  facts.push_back({"topk", hot_ ? hot_->entries() : 0});
  if (hot_) {
    facts.push_back({"topk_listed", hot_->listed()});
    facts.push_back({"topk_memory", hot_->memory()});
  }
  return facts;
}

std::uint64_t heat_value::identity() const {
  if (!hot_) return heat_.identity();
  const auto list = hot_->serialize();
  return detail::mix(heat_.identity() ^
                     detail::mix(detail::container_view::parse(list).identity()));
}

std::uint64_t heat_value::serialized_size() const {
  return heat_.serialized_size() + (hot_ ? hot_->serialized_size() : 0);
}

void heat_value::write_to(const byte_sink& sink) const {
  heat_.write_to(sink);
  if (hot_) hot_->write_to(sink);
}

std::vector<std::byte> heat_value::serialize() const {
  std::vector<std::byte> bytes = heat_.serialize();
  if (!hot_) return bytes;
  const auto list = hot_->serialize();
  bytes.insert(bytes.end(), list.begin(), list.end());
  return bytes;
}

heat_value heat_value::load(std::span<const std::byte> containers) {
  const auto [first, second] = divided(containers);
  any_heat heat = any_heat::load(first);
  std::optional<hot_list> hot;
  if (!second.empty()) {
    hot = hot_list::load(second);
    if (hot->seed() != heat.seed()) {
      throw error(errc::corrupt, "the hot list has another seed than the filter beside it");
    }
  }
  return {std::move(heat), std::move(hot)};
}

}  // namespace bloomtime::redis
