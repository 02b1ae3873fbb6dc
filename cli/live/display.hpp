#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/time.hpp>

#include "cli/output/report.hpp"
#include "cli/output/style.hpp"
#include "cli/web/document.hpp"
#include "logs/event_reader.hpp"

namespace bloomtime::cli::live {

// What a session shows and saves.
struct source {
  // What a report contains.
  struct wish {
    std::uint64_t rows = 0;          // per field
    std::size_t order = 0;           // number in `orders`
    std::optional<instant> at = {};  // of the heat; nothing: the newest event
    style how = {};
  };
  // Of one item.
  struct item_wish {
    std::size_t field = 0;
    std::string item = {};
    std::size_t bars = 0;
    std::size_t rows = 0;
  };

  std::vector<std::string> orders = {};
  std::function<std::uint64_t()> lines = {};            // lines read so far
  std::function<std::optional<instant>()> newest = {};  // nothing before the first event
  std::function<report(const wish&)> profile = {};      // not before the first event
  std::function<report(const item_wish&)> timeline = {};
  std::function<void()> save = {};
  // Makes all lines part of the answers; `page` may then be called by several threads at once.
  std::function<void()> settle = {};
  std::function<void(const page_visit&)> page = {};  // visits nothing before the first event
};

// How a session shows itself. `now` is always the time of the call.
class display {
 public:
  using time = std::chrono::steady_clock::time_point;

  display() = default;
  display(const display&) = delete;
  display& operator=(const display&) = delete;
  virtual ~display() = default;

  // Called between lines and at least ten times a second. `waits`: there is no more input now.
  virtual void attend(time now, bool waits) = 0;
  // Called before and after each wait.
  virtual void waits(bool /*begins*/) {}
  virtual void note(std::string_view text) = 0;
  virtual void advance(const logs::reading& so_far) = 0;
  // A descriptor whose input ends a wait; -1 if there is none.
  virtual int wakes() const { return -1; }
  // Whether the user wants to quit.
  virtual bool quits() const { return false; }
  // Whether it stays when the input has ended.
  virtual bool stays() const { return false; }
  // The signal to end with because the output failed; 0 if it did not fail.
  virtual int failed() const { return 0; }
  virtual void finish(time now) = 0;
};

// The clock of the log: the time of its newest event, plus the time since that event arrived.
class log_clock {
 public:
  std::optional<instant> at(std::optional<instant> newest, display::time now);

 private:
  std::optional<instant> newest_;
  display::time since_;
};

}  // namespace bloomtime::cli::live
