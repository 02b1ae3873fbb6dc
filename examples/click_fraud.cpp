// Which clicks on an advertisement are paid? Not a second one of the same visitor within a day, and
// none of an address that clicks faster than people do.

#include <cstdio>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

namespace {

class clicks {
 public:
  enum class verdict { paid, repeated, too_fast };

  verdict judge(const std::string& address, const std::string& advertisement, instant now) {
    per_minute_.add(address, now);
    // `lower` is certain but for the error, so no visitor is called too fast by mistake.
    if (per_minute_.at(address, now).lower > 20) return verdict::too_fast;
    const bool first = paid_.add_if_new(address + ' ' + advertisement, now).fresh;
    return first ? verdict::paid : verdict::repeated;
  }
  std::uint64_t memory() const { return paid_.memory() + per_minute_.memory(); }

 private:
  // A pair is paid once per day: a repeated click does not start the day anew.
  recency_table paid_{{.window = 24h, .error = 1e-6, .refresh = false}};
  window_table per_minute_{{.window = 1min, .slots = 60, .error = 1e-6}};
};

}  // namespace

int main() {
  clicks all;
  int paid = 0, repeated = 0, too_fast = 0;
  const auto click = [&](const std::string& address, int advertisement, std::int64_t second) {
    const instant now = instant::from_seconds(1'700'000'000 + second);
    const auto v = all.judge(address, "ad-" + std::to_string(advertisement), now);
    ++(v == clicks::verdict::paid ? paid : v == clicks::verdict::repeated ? repeated : too_fast);
  };

  for (int second = 0; second < 10'000; ++second) {  // a visitor per second, and one machine
    click("10.0." + std::to_string(second / 250) + '.' + std::to_string(second % 250), 7, second);
    if (second < 120) click("203.0.113.9", second, second);
  }
  for (int second = 0; second < 250; ++second) {  // the first visitors come back
    click("10.0.0." + std::to_string(second), 7, 10'000 + second);
  }

  std::printf("paid %d, repeated %d, too fast %d, in %.0f kB\n", paid, repeated, too_fast,
              static_cast<double>(all.memory()) / 1000);
  return repeated == 250 && paid + too_fast == 10'120 && too_fast >= 99 ? 0 : 1;
}
