#pragma once

#include <array>
#include <cstdint>

// Detects whether this core is shared. If another program, or another tenant of the host, runs on
// the second thread of the core, computations take up to twice as long while memory accesses do
// not, and ratios of the two are meaningless. The load average does not show it.
namespace bench {

class core {
 public:
  // The core of this program, with the measurements so far.
  static core& instance();

  // Before a measurement: waits until the core is not shared, for at most about a millisecond.
  void wait_until_alone();
  // After a measurement: whether the core was not shared at either end.
  bool was_alone();
  // How often it was shared.
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
