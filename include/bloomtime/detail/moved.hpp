#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bloomtime::detail {

// A value that is T{} after it was moved from. A filter that keeps its k or its span in one detects
// that it was moved from, with the move operations that the compiler generates: it then has no
// cells. Members that cannot throw treat such a filter as empty and refuse additions; the others
// throw.
template <class T>
class zero_when_moved {
 public:
  constexpr zero_when_moved() noexcept = default;
  constexpr zero_when_moved(T value) noexcept : value_(value) {}
  constexpr zero_when_moved(const zero_when_moved&) noexcept = default;
  constexpr zero_when_moved(zero_when_moved&& other) noexcept
      : value_(std::exchange(other.value_, T{})) {}
  constexpr zero_when_moved& operator=(const zero_when_moved&) noexcept = default;
  constexpr zero_when_moved& operator=(zero_when_moved&& other) noexcept {
    const T taken = std::exchange(other.value_, T{});
    value_ = taken;  // last, so that a move to itself changes nothing
    return *this;
  }
  ~zero_when_moved() = default;

  constexpr operator T() const noexcept { return value_; }
  constexpr zero_when_moved& operator+=(T more) noexcept {
    value_ += more;
    return *this;
  }
  constexpr zero_when_moved& operator-=(T less) noexcept {
    value_ -= less;
    return *this;
  }

 private:
  T value_{};
};

// Throws error(invalid_argument). `called` names the filter: "a Bloom filter".
[[noreturn]] void refuse_moved_from(std::string_view called);

inline void expect_not_moved_from(bool has_cells, const char* what) {
  if (!has_cells) refuse_moved_from(std::string("this ") + what);
}

}  // namespace bloomtime::detail
