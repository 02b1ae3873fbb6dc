#include <bloomtime/time.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime {

void tick_clock::refuse_resolution(std::int64_t micros) {
  throw error(
      errc::invalid_argument,
      "a clock's resolution must be at least one microsecond, got " + std::to_string(micros));
}

}  // namespace bloomtime
