#pragma once

namespace bloomtime {

// A quantity with bounds: lower <= truth <= upper as the function that returns it promises.
struct estimate {
  double value = 0;
  double lower = 0;
  double upper = 0;

  friend bool operator==(const estimate&, const estimate&) = default;
};

}  // namespace bloomtime
