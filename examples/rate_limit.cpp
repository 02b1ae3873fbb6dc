// At most 100 requests per client and minute, for any number of clients, in a few bytes each.

#include <cstdio>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

namespace {

class rate_limit {
 public:
  // Only requests that pass are counted, so a client that keeps asking is served 100 per minute.
  bool allows(const std::string& client, instant now) {
    // `upper` is never below the truth, so no client gets more than 100. It includes requests up to
    // one slot, a second, older than the minute.
    if (passed_.at(client, now).upper >= 100) return false;
    return passed_.add(client, now) != outcome::full;
  }
  std::uint64_t memory() const { return passed_.memory(); }

 private:
  window_table passed_{{.window = 1min, .slots = 60, .error = 1e-4}};
};

}  // namespace

int main() {
  rate_limit limit;
  int greedy = 0, modest = 0, refused_modest = 0;
  for (int second = 0; second < 600; ++second) {
    const instant now = instant::from_seconds(1'700'000'000 + second);
    for (int i = 0; i < 10; ++i) greedy += limit.allows("203.0.113.9", now);
    for (int i = 0; i < 100; ++i) {  // 6000 clients, one request per minute each
      const bool allowed = limit.allows("client " + std::to_string((second * 100 + i) % 6000), now);
      ++(allowed ? modest : refused_modest);
    }
  }
  std::printf(
      "the greedy client got %d of 6000 requests in ten minutes, others %d of 60000; %.0f kB\n",
      greedy, modest, static_cast<double>(limit.memory()) / 1000);
  // At most 100 in each minute; a request leaves the count at most one second late.
  return greedy <= 1000 && greedy >= 900 && refused_modest == 0 ? 0 : 1;
}
