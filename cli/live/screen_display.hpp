#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "cli/live/display.hpp"
#include "cli/live/keys.hpp"
#include "cli/live/screen.hpp"
#include "cli/live/terminal.hpp"

namespace bloomtime::cli::live {

// Draws on the terminal, anew whenever its period is over or a key was pressed.
class screen_display : public display {
 public:
  screen_display(const source& from, const style& how, std::chrono::seconds every,
                 bool input_is_log);

  void attend(time now, bool waits) override;
  void note(std::string_view text) override;
  void advance(const logs::reading& so_far) override;
  int wakes() const override { return terminal_.keys(); }
  bool quits() const override { return chosen_.quit; }
  bool stays() const override { return terminal_.keys() >= 0; }
  int failed() const override { return failed_; }
  void finish(time now) override;

 private:
  bool read_keys(time now);
  void refresh(time now);
  std::string state_text(time now);
  void redraw();

  const source& from_;
  style how_;
  std::chrono::seconds every_;
  terminal terminal_;
  key_decoder decoder_;
  time typed_;  // when the last byte came
  controls chosen_;
  model shown_;
  log_clock clock_;
  time due_;
  std::size_t drawn_order_ = 0;
  bool caught_up_ = false;
  bool ended_ = false;                                // the input has ended
  std::uint64_t percent_ = 0;                         // of the files, read so far
  std::deque<std::pair<time, std::uint64_t>> lines_;  // at the last redraws
  std::vector<std::string> notes_;
  time message_ends_;
  int failed_ = 0;
};

}  // namespace bloomtime::cli::live
