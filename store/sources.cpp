#include "store/sources.hpp"

#include <algorithm>

#include <bloomtime/digest.hpp>

namespace bloomtime::store {

std::uint64_t excerpt_checksum(std::string_view bytes) {
  return digest_of(bytes, {0, hash_id::xxh3_128}).lo;
}

void keep_newest(std::vector<source>& sources) {
  constexpr std::size_t most = 2000;
  constexpr std::size_t most_text = std::size_t{1} << 20;
  std::size_t text = 0;
  for (const source& s : sources) text += s.path.size();
  while (sources.size() > most || text > most_text) {
    const auto oldest =
        std::min_element(sources.begin(), sources.end(),
                         [](const source& a, const source& b) { return a.last_new < b.last_new; });
    text -= oldest->path.size();
    sources.erase(oldest);
  }
}

}  // namespace bloomtime::store
