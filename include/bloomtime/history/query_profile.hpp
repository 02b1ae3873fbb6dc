#pragma once

#include <cstdint>
#include <vector>

#include <bloomtime/time.hpp>

namespace bloomtime {

// What is asked of a history of dyadic levels, counted from the questions alone: how many nodes of
// every height cover them. Whether a level said yes, or was asked at all, must not matter: one with
// few bits would then be asked less, and be given still fewer (history.md 9.3). Owned by whoever
// asks, and fed with observe(); answers never learn by themselves.
class query_profile {
 public:
  explicit query_profile(std::uint64_t ticks);  // of the span

  // A question about these ticks; the part that lies in the span counts.
  void observe(interval asked) noexcept;
  // Forgets half of what it knows, at the end of a partition.
  void fade() noexcept;

  double questions() const noexcept { return questions_; }
  unsigned heights() const noexcept { return static_cast<unsigned>(counts_.size()); }
  double count(unsigned height) const noexcept { return counts_[height]; }

  // Nodes of every height per question. `smoothing` of them are as if questions of all lengths had
  // been asked, every power of two alike, so that no level is left without bits because nobody has
  // asked for it so far; 0 is what was published.
  std::vector<double> frequencies(double smoothing = 0.02) const;

 private:
  std::uint64_t ticks_;
  std::vector<double> counts_;  // by height
  double questions_ = 0;
};

}  // namespace bloomtime
