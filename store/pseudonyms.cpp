#include "store/pseudonyms.hpp"

#include <bit>
#include <cstddef>

#include <fmt/format.h>

#include "store/seed.hpp"
#include "text/quantity.hpp"

namespace bloomtime::store {
namespace {

constexpr std::size_t word = 8;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return n;
}

// J.-P. Aumasson, D. J. Bernstein: SipHash, a fast short-input PRF, and its variant of 128 bits.
class sip_state {
 public:
  explicit sip_state(const pseudonyms::key& k)
      : v0_(k[0] ^ 0x736f6d6570736575),
        v1_(k[1] ^ 0x646f72616e646f6d ^ 0xee),
        v2_(k[0] ^ 0x6c7967656e657261),
        v3_(k[1] ^ 0x7465646279746573) {}

  void add(std::uint64_t m) {
    v3_ ^= m;
    rounds(2);
    v0_ ^= m;
  }
  std::uint64_t first() {
    v2_ ^= 0xee;
    rounds(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }
  std::uint64_t second() {
    v1_ ^= 0xdd;
    rounds(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  void rounds(int n) {
    for (int i = 0; i < n; ++i) {
      v0_ += v1_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v3_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

// In the order of the bytes.
std::string hex(std::uint64_t first, std::uint64_t second) {
  return fmt::format("{:016x}{:016x}", __builtin_bswap64(first), __builtin_bswap64(second));
}

}  // namespace

std::string pseudonyms::operator()(std::string_view name) const {
  sip_state state(key_);
  const std::uint64_t length = std::uint64_t{name.size()} << 56;
  for (; name.size() >= word; name.remove_prefix(word)) {
    state.add(little_endian(name.substr(0, word)));
  }
  state.add(length | little_endian(name));
  const std::uint64_t first = state.first();
  return hex(first, state.second());
}

std::string pseudonyms::text() const { return hex(key_[0], key_[1]); }

std::optional<pseudonyms> pseudonyms::parse(std::string_view text) {
  constexpr std::size_t digits = 2 * word;
  if (text.size() != 2 * digits) return std::nullopt;
  const auto first = text::number_in<std::uint64_t>(text.substr(0, digits), 16);
  const auto second = text::number_in<std::uint64_t>(text.substr(digits), 16);
  if (!first || !second) return std::nullopt;
  const pseudonyms found(key{__builtin_bswap64(*first), __builtin_bswap64(*second)});
  return found.text() == text ? std::optional(found) : std::nullopt;
}

pseudonyms pseudonyms::random() { return pseudonyms(key{random_seed(), random_seed()}); }

}  // namespace bloomtime::store
