#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomtime::store {

// Replaces the names of items by keyed digests: SipHash-2-4 with 128 bits, as 32 hexadecimal
// digits. The same name and key give the same digest. Without the key a digest tells nothing about
// the name; with the key names can be guessed and tried.
class pseudonyms {
 public:
  using key = std::array<std::uint64_t, 2>;

  explicit pseudonyms(const key& k) : key_(k) {}

  std::string operator()(std::string_view name) const;

  // Tells whether another key is the same, and nothing else about it.
  std::string check() const { return (*this)("bloomtime"); }
  // The key as 32 hexadecimal digits.
  std::string text() const;
  static std::optional<pseudonyms> parse(std::string_view text);
  static pseudonyms random();

  friend bool operator==(const pseudonyms&, const pseudonyms&) = default;

 private:
  key key_;
};

// What a store says about its pseudonyms.
struct pseudonym_facts {
  std::string key;  // empty if it is not kept in the store
  std::string check;

  friend bool operator==(const pseudonym_facts&, const pseudonym_facts&) = default;
};

}  // namespace bloomtime::store
