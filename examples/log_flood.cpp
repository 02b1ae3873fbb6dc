// A broken service writes the same error thousands of times a minute. One line of each kind passes
// per ten minutes, with the number of those that were held back.

#include <cstdio>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

namespace {

class flood_gate {
 public:
  // True if the line is to be written; `held_back` are those of its kind since the last one was.
  bool passes(const std::string& kind, instant now, std::uint64_t& held_back) {
    if (!recent_.add_if_new(kind, now).fresh) {
      held_back_.add(kind);
      return false;
    }
    held_back = held_back_.count(kind).value;
    if (held_back != 0 && held_back_.remove(kind, held_back) != outcome::added) held_back = 0;
    return true;
  }

 private:
  // Without refresh an error that never stops is still reported every ten minutes.
  recency_table recent_{{.window = 10min, .refresh = false}};
  tally_table held_back_{{}};
};

}  // namespace

int main() {
  flood_gate gate;
  int written = 0;
  std::uint64_t reported = 0;
  for (int second = 0; second < 3600; ++second) {
    const instant now = instant::from_seconds(1'700'000'000 + second);
    for (int i = 0; i < 50; ++i) {
      std::uint64_t held_back = 0;
      if (!gate.passes("disk /dev/sda1 is full", now, held_back)) continue;
      std::printf("%4d s: disk /dev/sda1 is full (%llu more held back)\n", second,
                  static_cast<unsigned long long>(held_back));
      ++written;
      reported += held_back;
    }
  }
  // 180,000 lines in an hour. A window ends up to one of its 64 ticks late.
  return written == 6 && reported + 6 <= 180'000 && reported > 140'000 ? 0 : 1;
}
