#include "logs/bzip2.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace bloomtime::logs {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // libbz2 counts in 32 bits

}  // namespace

bzip2_decompressor::bzip2_decompressor(std::uint64_t) { begin(); }

bzip2_decompressor::~bzip2_decompressor() { BZ2_bzDecompressEnd(&stream_); }

void bzip2_decompressor::begin() {
  stream_ = {};
  if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
}

decompressor::step bzip2_decompressor::run(std::span<const char> in, std::span<char> out, bool) {
  if (ended_) {
    if (in.empty()) return {};
    BZ2_bzDecompressEnd(&stream_);
    begin();
  }
  stream_.next_in = const_cast<char*>(in.data());  // NOLINT: it only reads
  stream_.avail_in = static_cast<unsigned>(std::min(in.size(), most_bytes));
  stream_.next_out = out.data();
  stream_.avail_out = static_cast<unsigned>(std::min(out.size(), most_bytes));
  const auto [in_before, out_before] = std::pair(stream_.avail_in, stream_.avail_out);
  const int status = BZ2_bzDecompress(&stream_);
  if (status == BZ_MEM_ERROR) throw std::bad_alloc();
  ended_ = status == BZ_STREAM_END;
  return {in_before - stream_.avail_in, out_before - stream_.avail_out,
          status != BZ_OK && status != BZ_STREAM_END};
}

}  // namespace bloomtime::logs
