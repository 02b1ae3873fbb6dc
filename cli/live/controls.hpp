#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/live/keys.hpp"

namespace bloomtime::cli::live {

// The state that keys change. A row is an index into the list of the items that contain `find`.
struct controls {
  std::size_t field = 0;
  std::size_t order = 0;
  std::string find = {};  // shows the items that contain it
  bool typing = false;    // `find` is being typed
  bool paused = false;
  bool quit = false;
  std::optional<std::string> opened = {};  // the item whose timeline is shown

  std::size_t row = 0;                       // the selected one
  std::optional<std::string> held = {};      // the item that the selection follows
  std::optional<std::string> selected = {};  // the item of that row; nothing if there is no row
  std::size_t first = 0;                     // row at the top of the screen
  std::size_t page = 1;                      // rows on the screen
};

struct choices {
  std::size_t fields = 1;
  std::size_t orders = 1;
};

// What a key does. False if it does nothing.
bool press(controls& chosen, const key& pressed, const choices& of);

// Adapts the selection to the items that are found now and to the rows on the screen. The selection
// stays with its item wherever that moves; on the first row it stays there.
void settle(controls& chosen, const std::vector<std::string>& items, std::size_t page);

}  // namespace bloomtime::cli::live
