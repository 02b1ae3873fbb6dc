// A year of door cards: was this card used that night, and when? A "no" is certain.

#include <cstdio>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

int main() {
  history doors({.tick = 1min});
  const auto time = [](int day, int hour, int minute) {
    return instant::from_seconds(1'704'067'200 + 86'400 * day + 3600 * hour + 60 * minute);
  };
  // 400 cards come in the morning and leave in the evening; one was used at night.
  for (int day = 0; day < 365; ++day) {
    for (int card = 0; card < 400; ++card) {
      const std::string name = "card " + std::to_string(card);
      doors.add(name, time(day, 7 + card % 3, card % 60));
      doors.add(name, time(day, 16 + card % 3, (card * 7 + day) % 60));
    }
  }
  doors.add("card 17", time(200, 2, 41));
  doors.compact();

  int perhaps = 0;
  for (int card = 0; card < 400; ++card) {
    const std::string name = "card " + std::to_string(card);
    if (doors.seen(name, time(200, 0, 0), time(200, 5, 0)) == sighting::no) continue;
    ++perhaps;
    const interval night = doors.clock().covering(time(200, 0, 0), time(200, 5, 0));
    for (const interval& seen : doors.when(name, night)) {
      const auto minute = (doors.clock().start_of(seen.first).micros / 60'000'000) % 1440;
      std::printf("%s at %02d:%02d\n", name.c_str(), static_cast<int>(minute / 60),
                  static_cast<int>(minute % 60));
    }
  }
  std::printf("%llu sightings in %.0f kB\n", static_cast<unsigned long long>(doors.records()),
              static_cast<double>(doors.memory()) / 1000);
  return perhaps == 1 ? 0 : 1;
}
