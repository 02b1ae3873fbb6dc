#include "cli/dedupe/suppressed.hpp"

#include <algorithm>
#include <utility>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::cli {

void suppressed_lines::add(digest key) {
  const auto found = counts_.find(key.lo);
  if (found != counts_.end()) {
    ++found->second;
  } else if (counts_.size() < most_keys_) {
    counts_.emplace(key.lo, 1);
  } else {
    complete_ = false;
  }
}

std::uint64_t suppressed_lines::take(digest key) {
  const auto found = counts_.find(key.lo);
  if (found == counts_.end()) return 0;
  const std::uint64_t count = found->second;
  counts_.erase(found);
  return count;
}

std::vector<std::byte> suppressed_lines::bytes() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(counts_.begin(), counts_.end());
  std::sort(sorted.begin(), sorted.end());
  detail::byte_writer out;
  out.u64(complete_ ? 1 : 0);
  for (const auto& [key, count] : sorted) {
    out.u64(key);
    out.u64(count);
  }
  return out.written();
}

void suppressed_lines::read(std::span<const std::byte> bytes) {
  detail::byte_reader in(bytes);
  const std::uint64_t complete = in.u64();
  complete_ = complete == 1;
  bool sound = complete <= 1;
  for (std::uint64_t last = 0; sound && in.remaining() != 0;) {
    const std::uint64_t key = in.u64();
    const std::uint64_t count = in.u64();
    sound = count != 0 && (counts_.empty() || key > last);
    counts_.emplace(last = key, count);
  }
  if (sound && counts_.size() <= most_keys_) return;
  throw error(errc::corrupt, "the counts of dropped lines contradict each other");
}

}  // namespace bloomtime::cli
