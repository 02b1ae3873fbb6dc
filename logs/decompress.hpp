#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace bloomtime::cli {

// Bytes in, bytes out, as much as fits of either; nothing is kept back that could be handed out.
class decompressor {
 public:
  struct step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool damaged = false;
    bool too_large = false;  // rather: what stands there needs more memory than is allowed
  };

  decompressor() = default;
  decompressor(const decompressor&) = delete;
  decompressor& operator=(const decompressor&) = delete;
  virtual ~decompressor() = default;

  // `last` says that nothing follows `in`.
  virtual step run(std::span<const char> in, std::span<char> out, bool last) = 0;
  virtual bool complete() const = 0;  // the data may end here
  virtual std::string_view name() const = 0;
};

// Whether more bytes are needed to tell what a stream that begins so is.
bool magic_unclear(std::string_view beginning);

// A few bytes can ask for this much memory before anything is read. `zstd --long=27` and `xz -9`
// need no more.
inline constexpr std::uint64_t default_unpack_memory = std::uint64_t{128} << 20;

// For a stream that begins so; null for one that is not compressed.
std::unique_ptr<decompressor> decompressor_for(std::string_view beginning,
                                               std::uint64_t most_memory);

}  // namespace bloomtime::cli
