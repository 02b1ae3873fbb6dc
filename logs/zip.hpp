#pragma once

#include <array>
#include <cstdint>

#include <zlib.h>

#include "logs/decompress.hpp"

namespace bloomtime::logs {

// The members of a zip archive, one after the other, as one text: a line end is added behind a
// member that lacks one. Reads the local headers in the order of the file and ends at the
// directory, so that a pipe can be read. Members are stored or deflated; checksums are verified.
// Encrypted members, and stored ones of unknown size, are refused. It needs 32 KiB.
class zip_decompressor final : public decompressor {
 public:
  explicit zip_decompressor(std::uint64_t most_memory);
  ~zip_decompressor() override;

  step run(std::span<const char> in, std::span<char> out, bool last) override;
  bool complete() const override { return where_ == place::directory; }
  std::string_view name() const override { return "zip"; }

 private:
  enum class place { header, skipped, stored, deflated, descriptor, directory, damage };

  step read_header();
  step run_stored(std::span<const char> in, std::span<char> out);
  step run_deflated(std::span<const char> in, std::span<char> out);
  void read_descriptor(std::span<const char>& in);
  void end_member(std::uint32_t expected);
  bool gather(std::span<const char>& in, std::size_t size);
  void follow_text(std::span<const char> text);
  std::uint32_t number_at(std::size_t at, std::size_t size) const;

  z_stream stream_{};
  place where_ = place::header;
  std::array<char, 30> gathered_{};  // of a header or descriptor
  std::size_t gathered_size_ = 0;
  bool deflated_ = false;
  bool described_ = false;  // size and checksum follow the data
  std::uint64_t skip_ = 0;  // name and extra fields
  std::uint64_t left_ = 0;  // of a stored member
  std::uint32_t expected_ = 0;
  std::uint32_t checksum_ = 0;
  bool line_open_ = false;  // the text does not end with a line end
};

}  // namespace bloomtime::logs
