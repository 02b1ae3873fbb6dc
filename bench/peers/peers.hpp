#pragma once

#include <vector>

#include "bench/choosing/trial.hpp"

// What other libraries and programs of Debian take for the questions of docs/peers.md. Those that
// were not installed when this was compiled, or do not start, give no candidates.
namespace bench {

enum class subject { ever, recency, heat, tally, history };

std::vector<candidate> absl_candidates(subject asked);     // libabsl-dev
std::vector<candidate> roaring_candidates(subject asked);  // libroaring-dev
std::vector<candidate> sqlite_candidates(subject asked);   // libsqlite3-dev
std::vector<candidate> redis_candidates(subject asked);    // libhiredis-dev, redis-server

// Bytes that this process has from malloc: what a structure takes is the difference.
std::uint64_t heap_in_use();

}  // namespace bench
