#include "cli/dedupe/suppressed.hpp"

#include <algorithm>
#include <utility>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/error.hpp>

#include "text/usage_error.hpp"

namespace bloomtime::cli {

void suppressed_lines::add(digest key, std::uint64_t lines) {
  const auto found = young_.find(key.lo);
  if (found != young_.end()) {
    found->second += lines;
    return;
  }
  if (young_.size() >= most_keys_) {
    complete_ = complete_ && old_.empty();
    old_ = std::exchange(young_, {});
  }
  young_.emplace(key.lo, take_from(old_, key) + lines);
}

std::uint64_t suppressed_lines::take(digest key) {
  return take_from(young_, key) + take_from(old_, key);
}

std::uint64_t suppressed_lines::take_from(counts& some, digest key) {
  const auto found = some.find(key.lo);
  if (found == some.end()) return 0;
  const std::uint64_t count = found->second;
  some.erase(found);
  return count;
}

std::vector<std::byte> suppressed_lines::bytes() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sorted(young_.begin(), young_.end());
  sorted.insert(sorted.end(), old_.begin(), old_.end());
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
    sound = count != 0 && (old_.empty() || key > last);
    old_.emplace(last = key, count);
  }
  if (sound) return;
  text::corrupt("the counts of dropped lines are invalid");
}

}  // namespace bloomtime::cli
