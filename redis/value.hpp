#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/hooked.hpp>
#include <bloomtime/digest.hpp>

#include "api.hpp"
#include "arguments.hpp"
#include "call.hpp"
#include "memory.hpp"
#include "settings.hpp"

// The value of a key. A Family is a family_of<...> and has `names`, see family.hpp.
namespace bloomtime::redis {

// Of all keys of a family, for INFO. Keys are freed in other threads.
struct totals {
  std::atomic<std::uint64_t> keys = 0;
  std::atomic<std::uint64_t> relocated = 0;
};

template <class Family>
inline totals totals_of;

// A filter, or the bytes of one while its chunks arrive.
template <class Family>
struct value {
  using content = typename Family::content;
  using bytes = std::vector<std::byte, detail::hooked<std::byte>>;

  std::optional<content> filter;
  bytes pending;
  std::uint64_t chunks_left = 0;

  value() noexcept { ++totals_of<Family>.keys; }
  explicit value(content&& made) : filter(std::move(made)) { ++totals_of<Family>.keys; }
  value(const value& other)
      : filter(other.filter), pending(other.pending), chunks_left(other.chunks_left) {
    ++totals_of<Family>.keys;
  }
  value& operator=(const value&) = delete;
  ~value() { --totals_of<Family>.keys; }

  void swap(value& other) noexcept {
    filter.swap(other.filter);
    pending.swap(other.pending);
    std::swap(chunks_left, other.chunks_left);
    std::swap(most_memory_, other.most_memory_);
  }

  std::uint64_t memory() const noexcept {
    return sizeof(value) + (filter ? filter->memory() : 0) + pending.capacity();
  }

  void replace(content&& by) {
    filter = std::move(by);
    most_memory_ = unknown;
  }

  // Whether the filter stays within `limit` bytes if it takes growth(memory) more, which is then
  // promised to it. Some filters take long to say how much memory they have, so they are asked only
  // when what was promised since then might exceed the limit.
  template <class Growth>
  bool has_room(std::uint64_t limit, const Growth& growth) {
    if (promised(limit, growth)) return true;
    most_memory_ = filter->memory();
    return promised(limit, growth);
  }

  template <class... Arguments>
  static value* make(Arguments&&... arguments) {
    void* const place = rm::TryAlloc(sizeof(value));
    if (place == nullptr) throw std::bad_alloc();
    try {
      return new (place) value(std::forward<Arguments>(arguments)...);
    } catch (...) {
      rm::Free(place);
      throw;
    }
  }
  static void destroy(value* v) noexcept {
    v->~value();
    rm::Free(v);
  }

 private:
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  template <class Growth>
  bool promised(std::uint64_t limit, const Growth& growth) {
    if (most_memory_ > limit) return false;
    const std::uint64_t more = growth(most_memory_);
    if (more > limit - most_memory_) return false;
    most_memory_ += more;
    return true;
  }

  std::uint64_t most_memory_ = unknown;  // bytes that the filter may have
};

// A key that a command has opened.
template <class Family>
class opened {
 public:
  opened(const call& c, rm::String* name, int mode)
      : name_(name), key_(rm::OpenKey(c.context(), name, mode)) {
    if (key_ == nullptr) return;
    if (rm::ModuleTypeGetType(key_) == Family::type) {
      value_ = static_cast<value<Family>*>(rm::ModuleTypeGetValue(key_));
    } else if (rm::KeyType(key_) != rm::key_type_empty) {
      rm::CloseKey(key_);
      throw failure(rm::wrong_type);
    }
  }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() {
    if (key_ != nullptr) rm::CloseKey(key_);
  }

  rm::String* name() const noexcept { return name_; }
  bool exists() const noexcept { return value_ != nullptr; }
  value<Family>& get() const noexcept { return *value_; }

  // The filter, or nullptr if there is no key. Throws while its chunks arrive.
  typename Family::content* filter() const {
    if (value_ == nullptr) return nullptr;
    if (!value_->filter) fail("the key is being loaded; send the remaining chunks");
    return &*value_->filter;
  }
  typename Family::content& existing() const {
    if (auto* const found = filter()) return *found;
    fail("not found");
  }

  // Of a missing key: one that exists would lose its time to live.
  void set(value<Family>* made) {
    rm::ModuleTypeSetValue(key_, Family::type, made);
    value_ = made;
  }

 private:
  rm::String* name_;
  rm::Key* key_;
  value<Family>* value_ = nullptr;
};

// make(), which may allocate as much as a key may have.
template <class Make>
auto made_within_limit(const call& c, Make&& make) {
  if (c.is_replayed()) return make();
  const memory_budget budget(configured().max_object_bytes);
  return make();
}

// The digests of every `step`-th item, in memory that the next call reuses.
template <class Filter>
std::span<const digest> digests_of(const Filter& filter, std::span<rm::String* const> items,
                                   std::size_t step = 1) {
  const std::span<digest> all = scratch<digest>((items.size() + step - 1) / step);
  const hash_seed& seed = filter.seed();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = digest_of(text_of(items[i * step]), seed);
  return all;
}

}  // namespace bloomtime::redis
