#pragma once

#include <array>
#include <cstdint>

// Is this core working for somebody else as well? Where two threads run on one core, another
// program, or another tenant of the host, takes half of its units for a while: what is computed
// then takes up to twice as long, what waits for memory does not, and no ratio of the two means
// anything. The load average does not show it.
namespace bench {

class core {
 public:
  // The one this program runs on, with what it has seen so far.
  static core& instance();

  // Before something is timed: until nobody shares the core, or for about a millisecond.
  void wait_until_alone();
  // After it was timed: whether nobody did at either end.
  bool was_alone();
  // How often the answer was no.
  double share_of_shared() const;

 private:
  core();
  bool alone();
  void learn(double crowding);

  std::array<std::uint64_t, 300> seen_{};  // by crowding, in hundredths
  std::uint64_t probes_ = 0;
  double limit_ = 0;
  bool began_alone_ = false;
  std::uint64_t asked_ = 0;
  std::uint64_t shared_ = 0;
};

}  // namespace bench
