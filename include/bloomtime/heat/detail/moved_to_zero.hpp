#pragma once

#include <utility>

namespace bloomtime::detail {

// A number that becomes 0 when it is moved from: a filter whose memory went elsewhere can tell.
template <class T>
class moved_to_zero {
 public:
  moved_to_zero(T value = 0) noexcept : value_(value) {}
  moved_to_zero(const moved_to_zero&) noexcept = default;
  moved_to_zero& operator=(const moved_to_zero&) noexcept = default;
  moved_to_zero(moved_to_zero&& other) noexcept : value_(std::exchange(other.value_, T{0})) {}
  moved_to_zero& operator=(moved_to_zero&& other) noexcept {
    value_ = std::exchange(other.value_, T{0});
    return *this;
  }
  ~moved_to_zero() = default;

  operator T&() noexcept { return value_; }
  operator const T&() const noexcept { return value_; }

 private:
  T value_;
};

}  // namespace bloomtime::detail
