#pragma once

namespace bloomtime {

// An estimate with bounds: lower <= truth <= upper, with the certainty that the function that
// returns it documents.
struct estimate {
  double value = 0;
  double lower = 0;
  double upper = 0;

  friend bool operator==(const estimate&, const estimate&) = default;
};

}  // namespace bloomtime
