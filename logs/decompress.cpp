#include "logs/decompress.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <utility>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "logs/bzip2.hpp"
#include "logs/zip.hpp"

namespace bloomtime::logs {
namespace {

using namespace std::string_view_literals;

// zlib counts in 32 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

// The largest window within this memory, as a power of two that zstd takes.
int window_log(std::uint64_t memory) {
  return std::clamp(static_cast<int>(std::bit_width(memory)) - 1, 10, 31);
}

Bytef* zlib_bytes(const char* p) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(p));  // NOLINT: it only reads
}

class gzip_decompressor final : public decompressor {
 public:
  explicit gzip_decompressor(std::uint64_t) {  // it needs 32 KiB
    constexpr int gzip_only = 15 + 16;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decompressor() override { inflateEnd(&stream_); }

  step run(std::span<const char> in, std::span<char> out, bool) override {
    std::size_t padding = 0;
    if (ended_) {
      // Members may follow each other, and zeros may follow the last one.
      while (padding < in.size() && in[padding] == '\0') ++padding;
      in = in.subspan(padding);
      if (in.empty()) return {padding, 0};
      inflateReset(&stream_);
    }
    stream_.next_in = zlib_bytes(in.data());
    stream_.avail_in = static_cast<uInt>(std::min(in.size(), most_at_once));
    stream_.next_out = zlib_bytes(out.data());
    stream_.avail_out = static_cast<uInt>(std::min(out.size(), most_at_once));
    const auto [in_before, out_before] = std::pair(stream_.avail_in, stream_.avail_out);
    const int status = inflate(&stream_, Z_SYNC_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    return {padding + in_before - stream_.avail_in, out_before - stream_.avail_out,
            status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR};
  }

  bool complete() const override { return ended_; }
  std::string_view name() const override { return "gzip"; }

 private:
  z_stream stream_{};
  bool ended_ = false;
};

class zstd_decompressor final : public decompressor {
 public:
  explicit zstd_decompressor(std::uint64_t most_memory) : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    // Data made with --long is not damaged.
    (void)ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, window_log(most_memory));
  }
  ~zstd_decompressor() override { ZSTD_freeDStream(stream_); }

  step run(std::span<const char> in, std::span<char> out, bool) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &to, &from);
    if (from.pos != 0 || to.pos != 0) complete_ = status == 0;
    return {from.pos, to.pos, ZSTD_isError(status) != 0,
            ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge};
  }

  bool complete() const override { return complete_; }
  std::string_view name() const override { return "zstd"; }

 private:
  ZSTD_DStream* stream_;
  bool complete_ = false;
};

class xz_decompressor final : public decompressor {
 public:
  explicit xz_decompressor(std::uint64_t most_memory) {
    if (lzma_stream_decoder(&stream_, most_memory, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~xz_decompressor() override { lzma_end(&stream_); }

  step run(std::span<const char> in, std::span<char> out, bool last) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret status = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    complete_ = status == LZMA_STREAM_END;
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    return {in.size() - stream_.avail_in, out.size() - stream_.avail_out,
            status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR,
            status == LZMA_MEMLIMIT_ERROR};
  }

  bool complete() const override { return complete_; }
  std::string_view name() const override { return "xz"; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool complete_ = false;
};

template <class Decompressor>
std::unique_ptr<decompressor> make(std::uint64_t most_memory) {
  return std::make_unique<Decompressor>(most_memory);
}

struct kind {
  std::string_view magic;  // # stands for a digit from 1 to 9
  std::unique_ptr<decompressor> (*make)(std::uint64_t most_memory);
};

constexpr std::array kinds{
    kind{"\x1f\x8b"sv, make<gzip_decompressor>},
    kind{"\x28\xb5\x2f\xfd"sv, make<zstd_decompressor>},
    kind{"\x50\x2a\x4d\x18"sv, make<zstd_decompressor>},  // a skippable frame: pzstd begins so
    kind{"\xfd"
         "7zXZ\0"sv,
         make<xz_decompressor>},
    kind{"BZh#1AY&SY"sv, make<bzip2_decompressor>},
    kind{"BZh#\x17rE8P\x90"sv, make<bzip2_decompressor>},  // of nothing
    kind{"PK\x03\x04"sv, make<zip_decompressor>},
};

// Whether the shorter one is the beginning of the other.
bool agree(std::string_view beginning, std::string_view magic) {
  const std::size_t size = std::min(beginning.size(), magic.size());
  return std::equal(magic.begin(), magic.begin() + size, beginning.begin(),
                    [](char m, char b) { return m == '#' ? b >= '1' && b <= '9' : m == b; });
}

}  // namespace

bool magic_unclear(std::string_view beginning) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const kind& k) {
    return beginning.size() < k.magic.size() && agree(beginning, k.magic);
  });
}

std::unique_ptr<decompressor> decompressor_for(std::string_view beginning,
                                               std::uint64_t most_memory) {
  for (const kind& k : kinds) {
    if (beginning.size() >= k.magic.size() && agree(beginning, k.magic)) return k.make(most_memory);
  }
  return nullptr;
}

}  // namespace bloomtime::logs
