#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace bloomtime::logs {

// Decompresses a stream step by step. A step consumes and produces as much as fits, and holds no
// output back.
class decompressor {
 public:
  struct step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool damaged = false;
    bool too_large = false;         // the data needs more memory than is allowed
    std::string_view problem = {};  // why it cannot be read, if it is neither: "is encrypted"
  };

  decompressor() = default;
  decompressor(const decompressor&) = delete;
  decompressor& operator=(const decompressor&) = delete;
  virtual ~decompressor() = default;

  // `last`: nothing follows `in`.
  virtual step run(std::span<const char> in, std::span<char> out, bool last) = 0;
  virtual bool complete() const = 0;  // the data may end here
  virtual std::string_view name() const = 0;
};

// Whether more bytes are needed to recognise how a stream is compressed.
bool magic_unclear(std::string_view beginning);

// Limits what a few bytes of input can make the process allocate. `zstd --long=27` and `xz -9` need
// no more.
inline constexpr std::uint64_t default_unpack_memory = std::uint64_t{128} << 20;

// The decompressor of a stream with this beginning; null if it is not compressed.
std::unique_ptr<decompressor> decompressor_for(std::string_view beginning,
                                               std::uint64_t most_memory);

}  // namespace bloomtime::logs
