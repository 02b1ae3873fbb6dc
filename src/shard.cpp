#include <bloomtime/shard.hpp>

#include <string>

#include "detail/refuse.hpp"

namespace bloomtime {

void check(const shard& s) {
  if (!std::has_single_bit(s.count) || s.count > shard::most || s.number >= s.count) {
    detail::refuse("a filter has 1 to " + std::to_string(shard::most) +
                   " shards, a power of two, numbered from 0; got shard " +
                   std::to_string(s.number) + " of " + std::to_string(s.count));
  }
}

}  // namespace bloomtime
