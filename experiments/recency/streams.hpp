#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/published/inferential/distinct_items.hpp>

// What the experiments about recency are made on: items one after the other, each first asked for
// and then inserted.
namespace experiments {

// Dautrich & Ravishankar 2019: insertions before the first question, questions, items.
inline constexpr std::uint64_t warm_up = std::uint64_t{1} << 20;
inline constexpr std::uint64_t questions = std::uint64_t{1} << 22;
inline constexpr std::uint32_t usual_items = std::uint32_t{1} << 16;

struct stream {
  std::string name;
  std::vector<std::uint32_t> items;  // numbered from 0
  std::uint64_t warm_up;             // of them are not asked for
  std::vector<double> shares;        // of an item among all: what the paper takes as known
  bloomtime::published::distinct_items distinct;
  std::vector<std::uint64_t> windows;
  bool stationary = true;  // as the paper assumes
};

stream uniform_stream(std::uint64_t seed = 1);
stream power_law_stream(std::uint64_t seed = 1);
// In place of CAIDA's addresses, which may not be passed on: 70 % of the items are repeats of one
// of the last 200, the others follow the power law.
stream bursty_stream(std::uint64_t seed = 1);
// Logs of servers in ../shared/data, if there. Says on standard error which are missing.
std::vector<stream> real_streams();

std::vector<stream> generated_streams();

// Of the insertions [from, to): how many different items there are in so many in a row.
bloomtime::published::distinct_items measured_distinct(const std::vector<std::uint32_t>& items);

}  // namespace experiments
