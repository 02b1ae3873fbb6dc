#include "logs/zip.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace bloomtime::logs {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr std::uint32_t local_header = 0x04034b50;
constexpr std::uint32_t data_descriptor = 0x08074b50;
constexpr std::size_t header_size = 30;

Bytef* zlib_bytes(const char* p) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(p));  // NOLINT: it only reads
}

}  // namespace

zip_decompressor::zip_decompressor(std::uint64_t) {
  constexpr int bare = -15;
  if (inflateInit2(&stream_, bare) != Z_OK) throw std::bad_alloc();
}

zip_decompressor::~zip_decompressor() { inflateEnd(&stream_); }

decompressor::step zip_decompressor::run(std::span<const char> in, std::span<char> out, bool) {
  const std::size_t before = in.size();
  step done;
  // Until there is output: a step that produces nothing and consumes something is called again.
  switch (where_) {
    case place::header:
      if (line_open_ && !out.empty()) {
        out.front() = '\n';
        line_open_ = false;
        return {.produced = 1};
      }
      if (gather(in, 4) && number_at(0, 4) != local_header) {
        where_ = place::directory;
      } else if (gather(in, header_size)) {
        done = read_header();
      }
      break;
    case place::skipped: {
      const auto count = std::min<std::uint64_t>(skip_, in.size());
      in = in.subspan(count);
      skip_ -= count;
      if (skip_ == 0) where_ = deflated_ ? place::deflated : place::stored;
      if (skip_ == 0 && !deflated_ && left_ == 0) end_member(expected_);
      break;
    }
    case place::stored: return run_stored(in, out);
    case place::deflated: return run_deflated(in, out);
    case place::descriptor: read_descriptor(in); break;
    case place::directory: in = {}; break;
    case place::damage: return {.damaged = true};
  }
  done.consumed = before - in.size();
  return done;
}

// Whether `size` bytes of a header are there.
bool zip_decompressor::gather(std::span<const char>& in, std::size_t size) {
  if (gathered_size_ >= size) return true;
  const std::size_t count = std::min(size - gathered_size_, in.size());
  if (count != 0) std::memcpy(gathered_.data() + gathered_size_, in.data(), count);
  gathered_size_ += count;
  in = in.subspan(count);
  return gathered_size_ == size;
}

std::uint32_t zip_decompressor::number_at(std::size_t at, std::size_t size) const {
  std::uint32_t number = 0;
  for (std::size_t i = size; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(gathered_[at + i - 1]);
  }
  return number;
}

decompressor::step zip_decompressor::read_header() {
  const std::uint32_t flags = number_at(6, 2);
  const std::uint32_t method = number_at(8, 2);
  const std::uint32_t size = number_at(18, 4);
  gathered_size_ = 0;
  deflated_ = method == Z_DEFLATED;
  described_ = (flags & 8U) != 0;
  if ((flags & 1U) != 0) return {.problem = "is encrypted; decrypt it beforehand"};
  if (method != 0 && !deflated_) {
    return {.problem = "is packed by another method than deflate; unpack it beforehand"};
  }
  if (!deflated_ && (described_ || size == UINT32_MAX)) {
    return {.problem = "does not say how large a stored member is; unpack it beforehand"};
  }
  expected_ = number_at(14, 4);
  left_ = size;
  skip_ = number_at(26, 2) + number_at(28, 2);
  checksum_ = 0;
  inflateReset(&stream_);
  where_ = place::skipped;
  return {};
}

decompressor::step zip_decompressor::run_stored(std::span<const char> in, std::span<char> out) {
  const auto count = std::min({static_cast<std::size_t>(left_), in.size(), out.size()});
  if (count != 0) std::memcpy(out.data(), in.data(), count);
  follow_text(out.first(count));
  left_ -= count;
  if (left_ == 0) end_member(expected_);
  return {.consumed = count, .produced = count};
}

decompressor::step zip_decompressor::run_deflated(std::span<const char> in, std::span<char> out) {
  stream_.next_in = zlib_bytes(in.data());
  stream_.avail_in = static_cast<uInt>(std::min(in.size(), most_bytes));
  stream_.next_out = zlib_bytes(out.data());
  stream_.avail_out = static_cast<uInt>(std::min(out.size(), most_bytes));
  const auto [in_before, out_before] = std::pair(stream_.avail_in, stream_.avail_out);
  const int status = inflate(&stream_, Z_SYNC_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const std::size_t produced = out_before - stream_.avail_out;
  follow_text(out.first(produced));
  step done;
  if (status == Z_STREAM_END) {
    if (described_) {
      where_ = place::descriptor;
    } else {
      end_member(expected_);
    }
  } else {
    done.damaged = status != Z_OK && status != Z_BUF_ERROR;
  }
  done.consumed = in_before - stream_.avail_in;
  done.produced = produced;
  return done;
}

// A signature that is optional, the checksum, and both sizes in 4 bytes or, in large archives, 8.
void zip_decompressor::read_descriptor(std::span<const char>& in) {
  if (!gather(in, 4)) return;
  const std::size_t at = number_at(0, 4) == data_descriptor ? 4 : 0;
  if (!gather(in, at + 12)) return;
  const bool small = number_at(at + 8, 4) == static_cast<std::uint32_t>(stream_.total_out);
  if (small || gather(in, at + 20)) end_member(number_at(at, 4));
}

// The next step reports the damage; this one may have output.
void zip_decompressor::end_member(std::uint32_t expected) {
  gathered_size_ = 0;
  where_ = checksum_ == expected ? place::header : place::damage;
}

void zip_decompressor::follow_text(std::span<const char> text) {
  if (text.empty()) return;
  checksum_ = static_cast<std::uint32_t>(
      crc32(checksum_, zlib_bytes(text.data()), static_cast<uInt>(text.size())));
  line_open_ = text.back() != '\n';
}

}  // namespace bloomtime::logs
