#include "cli/live/controls.hpp"

#include <algorithm>
#include <string_view>

namespace bloomtime::cli::live {
namespace {

// More than any list has; settle() reduces it to the last row.
constexpr std::size_t last_row = std::size_t{1} << 40;

void select(controls& chosen, std::size_t row) {
  chosen.row = row;
  chosen.held.reset();
}

void begin_list(controls& chosen) {
  select(chosen, 0);
  chosen.first = 0;
}

// The keys that move the selection.
bool move(controls& chosen, key_name name) {
  const auto up = [&](std::size_t rows) {
    select(chosen, chosen.row - std::min(chosen.row, rows));
  };
  switch (name) {
    case key_name::up: up(1); return true;
    case key_name::down: select(chosen, chosen.row + 1); return true;
    case key_name::page_up: up(chosen.page); return true;
    case key_name::page_down: select(chosen, chosen.row + chosen.page); return true;
    case key_name::home: select(chosen, 0); return true;
    case key_name::end: select(chosen, last_row); return true;
    default: return false;
  }
}

void remove_character(std::string& text) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (!text.empty() && continues(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

bool type(controls& chosen, const key& pressed) {
  constexpr std::size_t longest = 200;
  switch (pressed.name) {
    case key_name::enter: chosen.typing = false; return true;
    case key_name::escape:
      chosen.typing = false;
      chosen.find.clear();
      break;
    case key_name::backspace: remove_character(chosen.find); break;
    case key_name::erase_line: chosen.find.clear(); break;
    case key_name::text:
      if (chosen.find.size() + pressed.text.size() <= longest) chosen.find += pressed.text;
      break;
    default: return move(chosen, pressed.name);
  }
  begin_list(chosen);
  return true;
}

void change(std::size_t& number, std::size_t step, std::size_t of) {
  if (of != 0) number = (number + step) % of;
}

// Letters that are commands while no text is typed.
bool press_letter(controls& chosen, char letter, const choices& of) {
  switch (letter) {
    case 'q': chosen.quit = true; return true;
    case 'p':
    case ' ': chosen.paused = !chosen.paused; return true;
    default: break;
  }
  if (chosen.opened) return false;
  switch (letter) {
    case 'f':
    case 'F':
      change(chosen.field, letter == 'f' ? 1 : of.fields - 1, of.fields);
      begin_list(chosen);
      return true;
    case 'o':
    case 'O':
      change(chosen.order, letter == 'o' ? 1 : of.orders - 1, of.orders);
      begin_list(chosen);
      return true;
    case '/':
      chosen.typing = true;
      chosen.find.clear();
      begin_list(chosen);
      return true;
    case 'j': return move(chosen, key_name::down);
    case 'k': return move(chosen, key_name::up);
    case 'g': return move(chosen, key_name::home);
    case 'G': return move(chosen, key_name::end);
    default: return false;
  }
}

bool press_in_timeline(controls& chosen, key_name name) {
  const bool back =
      name == key_name::escape || name == key_name::enter || name == key_name::backspace;
  if (back) chosen.opened.reset();
  return back;
}

bool press_in_list(controls& chosen, key_name name, const choices& of) {
  switch (name) {
    case key_name::left: return press_letter(chosen, 'F', of);
    case key_name::right: return press_letter(chosen, 'f', of);
    case key_name::enter: chosen.opened = chosen.selected; return chosen.opened.has_value();
    case key_name::escape:
      chosen.find.clear();
      begin_list(chosen);
      return true;
    default: return move(chosen, name);
  }
}

}  // namespace

bool press(controls& chosen, const key& pressed, const choices& of) {
  if (pressed.name == key_name::redraw) return true;
  if (chosen.typing) return type(chosen, pressed);
  if (pressed.name == key_name::text) {
    return pressed.text.size() == 1 && press_letter(chosen, pressed.text.front(), of);
  }
  return chosen.opened ? press_in_timeline(chosen, pressed.name)
                       : press_in_list(chosen, pressed.name, of);
}

void settle(controls& chosen, const std::vector<std::string>& items, std::size_t page) {
  if (page > chosen.page) chosen.first = 0;  // a larger screen shows as much as it can
  chosen.page = std::max<std::size_t>(page, 1);
  if (chosen.held) {
    const auto found = std::find(items.begin(), items.end(), *chosen.held);
    if (found != items.end()) chosen.row = static_cast<std::size_t>(found - items.begin());
  }
  chosen.row = items.empty() ? 0 : std::min(chosen.row, items.size() - 1);
  chosen.selected = items.empty() ? std::nullopt : std::optional(items[chosen.row]);
  chosen.held = chosen.row == 0 ? std::nullopt : chosen.selected;
  chosen.first = std::min(chosen.first, chosen.row);
  if (chosen.row >= chosen.first + chosen.page) chosen.first = chosen.row + 1 - chosen.page;
  // No empty rows below the last one.
  const std::size_t last_first = items.size() - std::min(items.size(), chosen.page);
  chosen.first = std::min(chosen.first, last_first);
}

}  // namespace bloomtime::cli::live
