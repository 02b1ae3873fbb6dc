#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/dedupe/deduper.hpp"
#include "cli/dedupe/state.hpp"

namespace bloomtime::cli {

// Test-and-set of keys for several threads, on a state of `bloomtime dedupe`.
class duplicate_service {
 public:
  // Opens the state of this file, or begins one with this window of wall-clock time; without a file
  // it lasts as long as this object.
  duplicate_service(const std::string& file, std::chrono::microseconds window, double error,
                    std::chrono::seconds between_saves);

  // Whether each key was seen within the window. All of them were, afterwards. `at` is needed by a
  // state whose times come from lines. Throws usage_error if it lacks.
  std::vector<bool> add_if_new(const std::vector<std::string>& keys, std::optional<instant> at);

  // Saves what has changed since the last time, and gives up the file. Nothing may be added then.
  void end();
  // Saves what has changed, if it is time. A state that cannot be saved now may be saved later, so
  // an error is only noted.
  void save_if_due(std::chrono::steady_clock::time_point now);

  template <class Visit>
  void see(Visit&& visit) const {
    const std::scoped_lock held(guard_);
    visit(*work_);
  }

 private:
  void save();

  mutable std::mutex guard_;
  std::optional<state_file> file_;
  std::optional<deduper> work_;
  bool changed_ = false;
  std::chrono::seconds between_saves_;
  std::chrono::steady_clock::time_point due_;
};

}  // namespace bloomtime::cli
