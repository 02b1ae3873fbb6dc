#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <bloomtime/digest.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/time.hpp>

#include "streams.hpp"

namespace experiments {

// Every tick of every item: the truth, and the memory to store it. It replaces the paper's
// persistent search tree, which is exact as well.
class exact_history {
 public:
  exact_history() = default;
  explicit exact_history(std::span<const record> records);

  void add(std::uint32_t item, bloomtime::instant when);
  bloomtime::sighting seen(std::uint32_t item, bloomtime::interval asked,
                           std::uint64_t& probes) const noexcept;
  bool was_seen(std::uint32_t item, bloomtime::interval asked) const noexcept;
  std::uint64_t memory() const noexcept;  // bytes

 private:
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>> ticks_;  // by digest, sorted
  std::uint64_t places_ = 0;                                            // for ticks
};

struct question {
  std::uint32_t item;
  bloomtime::interval asked;
};

// About items of the trace, with equal probability, or about items that were never seen.
enum class of_items : std::uint8_t { seen, unseen };

// Queries of the same length about times at which the item was not seen.
std::vector<question> negative_questions(const trace& t, const exact_history& truth,
                                         std::uint64_t length, std::size_t number, of_items which,
                                         std::uint64_t seed);

}  // namespace experiments
