#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exact.hpp"
#include "loads.hpp"
#include "methods.hpp"
#include "streams.hpp"

namespace experiments {

inline constexpr std::uint64_t usual_length = 128;
// Of questions, as published (table 3).
inline constexpr std::uint64_t all_lengths[] = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};
inline constexpr std::size_t usual_questions = 10'000;
inline constexpr std::uint64_t seeds = 5;  // of questions

// A day that is queried, and the day before, from which a history learns.
struct scene {
  trace day;
  exact_history truth;
  lesson before;

  scene(trace today, const trace& yesterday);
};

scene scene_of(const generated& g);
// The second half of a log, after the first.
scene scene_of(const trace& log);

// Queries whose correct answer is "no": about items that were seen, one set to which methods may be
// tuned and others that they do not know, and about items that were never seen.
struct workload {
  std::uint64_t length;
  std::vector<question> tuned_to;
  std::vector<std::vector<question>> seen;  // as many sets as seeds
  std::vector<question> unseen;
  loads truth;
  loads learned;
};

workload workload_of(const scene& s, std::uint64_t length);

// The same bits per pair as EDGAR has with `bits`, for logs of other sizes.
std::uint64_t bits_like_edgar(const trace& log, std::uint64_t bits);

order order_of(const scene& s, const workload& w, std::uint64_t bits);

}  // namespace experiments
