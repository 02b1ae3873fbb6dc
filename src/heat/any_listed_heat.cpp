#include <bloomtime/heat/any_listed_heat.hpp>

#include <algorithm>
#include <variant>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/detail/mix.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime {
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

outcome any_listed_heat::add(digest d, std::string_view item, instant when, std::uint64_t weight) {
  const outcome became = heat_.add(d, when, weight);
  const bool counted = became == outcome::added || became == outcome::late;
  if (hot_ && counted) hot_->add(d, item, when, weight);
  return became;
}

std::vector<hot_item> any_listed_heat::top(std::size_t n, instant when) const {
  if (!hot_) throw error(errc::unsupported, "there is no list of the hottest items");
  return std::visit(
      [&]<class Engine>(const Engine& e) {
        if constexpr (decaying<Engine>) return hot_->top(n, when, e);
        return hot_->top(n, when);
      },
      heat_.get());
}

void any_listed_heat::clear() {
  heat_.clear();
  if (hot_) hot_->clear();
}

void any_listed_heat::merge(const any_listed_heat& other, double weight) {
  if (hot_.has_value() != other.hot_.has_value()) {
    refuse_merge("one of both has a list of the hottest items; list as many items in both");
  }
  heat_.merge(other.heat_, weight);
  if (hot_) hot_->merge(*other.hot_, weight);
}

void any_listed_heat::relocate() {
  heat_.relocate();
  if (hot_) hot_ = hot_list(std::as_const(*hot_));
}

std::vector<fact> any_listed_heat::with_list(std::vector<fact> facts) const {
  facts.push_back({"topk", hot_ ? hot_->entries() : 0});
  if (hot_) {
    facts.push_back({"topk_listed", hot_->listed()});
    facts.push_back({"topk_memory", hot_->memory()});
  }
  return facts;
}

std::uint64_t any_listed_heat::identity() const {
  if (!hot_) return heat_.identity();
  const auto list = hot_->serialize();
  return detail::mix(heat_.identity() ^
                     detail::mix(detail::container_view::parse(list).identity()));
}

std::uint64_t any_listed_heat::serialized_size() const {
  return heat_.serialized_size() + (hot_ ? hot_->serialized_size() : 0);
}

void any_listed_heat::write_to(const byte_sink& sink) const {
  heat_.write_to(sink);
  if (hot_) hot_->write_to(sink);
}

std::vector<std::byte> any_listed_heat::serialize() const {
  std::vector<std::byte> bytes = heat_.serialize();
  if (!hot_) return bytes;
  const auto list = hot_->serialize();
  bytes.insert(bytes.end(), list.begin(), list.end());
  return bytes;
}

void any_listed_heat::save(const std::filesystem::path& path) const {
  const auto bytes = serialize();
  const std::span<const std::byte> piece(bytes);
  detail::replace_file(path, {&piece, 1});
}

mapped<any_listed_heat> any_listed_heat::map(const std::filesystem::path& path) {
  auto file = detail::mapped_file::open(path);
  any_listed_heat loaded = load(file->bytes());
  return {std::move(file), std::move(loaded)};
}

any_listed_heat any_listed_heat::load(std::span<const std::byte> containers) {
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

}  // namespace bloomtime
