#pragma once

#include <bzlib.h>

#include "logs/decompress.hpp"

namespace bloomtime::logs {

// bzip2 by libbz2. Streams may follow each other, as pbzip2 writes them. It needs 4 MB at most.
class bzip2_decompressor final : public decompressor {
 public:
  explicit bzip2_decompressor(std::uint64_t most_memory);
  ~bzip2_decompressor() override;

  step run(std::span<const char> in, std::span<char> out, bool last) override;
  bool complete() const override { return ended_; }
  std::string_view name() const override { return "bzip2"; }

 private:
  void begin();

  bz_stream stream_{};
  bool ended_ = false;
};

}  // namespace bloomtime::logs
