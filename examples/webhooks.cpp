// A webhook may be delivered several times. It is handled once, also across a restart of the
// receiver, and a failed handler lets the sender try again.

#include <cstdio>
#include <filesystem>
#include <string>

#include <bloomtime/bloomtime.hpp>

using namespace bloomtime;
using namespace std::chrono_literals;

namespace {

class receiver {
 public:
  explicit receiver(std::filesystem::path file) : file_(std::move(file)) {
    if (std::filesystem::exists(file_)) handled_ = recency_table::load(file_);
  }
  void save() const { handled_.save(file_); }  // as a whole or not at all

  // The status that the sender gets. The id is recorded after the work: what failed is not seen.
  template <class Handle>
  int deliver(const std::string& id, instant now, Handle&& handle) {
    if (handled_.seen(id, now)) return 200;
    if (!handle()) return 500;
    handled_.add(id, now);
    return 200;
  }

 private:
  std::filesystem::path file_;
  // One new id in a million looks handled, and is lost: choose the error for what that costs.
  recency_table handled_{{.window = 72h, .error = 1e-6}};
};

}  // namespace

int main() {
  const auto file = std::filesystem::temp_directory_path() / "bloomtime-example.handled";
  std::filesystem::remove(file);
  const instant noon = instant::from_seconds(1'700'049'600);
  const instant later = instant::from_seconds(1'700'053'200);
  int charged = 0;
  const auto charge = [&] { return ++charged > 0; };
  const auto fail = [] { return false; };
  {
    receiver first(file);
    if (first.deliver("evt_1", noon, charge) != 200) return 1;
    if (first.deliver("evt_1", noon, charge) != 200) return 2;  // a second delivery
    if (first.deliver("evt_2", noon, fail) != 500) return 3;
    first.save();
  }
  receiver restarted(file);
  if (restarted.deliver("evt_1", later, charge) != 200) return 4;  // known from the file
  if (restarted.deliver("evt_2", later, charge) != 200) return 5;  // tried again
  std::printf("five deliveries of two events, charged %d times\n", charged);
  return charged == 2 ? 0 : 6;
}
