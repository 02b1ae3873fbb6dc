#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "logs/web_facts.hpp"
#include "store/totals.hpp"

namespace bloomtime::store {

// What the lines of web logs say about responses, per minute: how many had each class of status and
// each method, exactly, and how many bytes they sent. A sum of bytes stops at 2^62.
//
// Memory: 16 to 32 bytes for every class or method that a minute has, and for its bytes.
class web_totals {
 public:
  // A status that cannot be read, or no method, is "none".
  static constexpr std::array<std::string_view, 6> statuses{"none", "1xx", "2xx",
                                                            "3xx",  "4xx", "5xx"};
  static constexpr std::array<std::string_view, 9> methods{
      "none", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"};

  void add(instant t, const logs::web_facts& said);
  void merge(const web_totals& other);

  std::uint64_t records() const noexcept;  // lines that were added
  // Lines that say how many bytes were sent. The others count as 0 in bytes().
  std::uint64_t records_with_bytes() const noexcept { return with_bytes_; }

  const minute_totals& status(std::size_t i) const { return series_.at(i); }
  const minute_totals& method(std::size_t i) const { return series_.at(statuses.size() + i); }
  const minute_totals& bytes() const noexcept { return series_.back(); }
  std::uint64_t memory() const noexcept;

  // A container of the family totals, drawn in docs/FORMAT.md.
  std::vector<std::byte> serialize() const;
  static web_totals load(std::span<const std::byte> container);

  friend bool operator==(const web_totals&, const web_totals&) = default;

 private:
  // The statuses, the methods, the bytes.
  std::array<minute_totals, statuses.size() + methods.size() + 1> series_;
  std::uint64_t with_bytes_ = 0;
};

}  // namespace bloomtime::store
