#include "logs/time_gate.hpp"

#include <algorithm>
#include <utility>

namespace bloomtime::logs {

time_gate::time_gate(std::optional<instant> clock, std::vector<held_event> held)
    : clock_(clock), held_(std::move(held)) {}

std::vector<held_event>::iterator time_gate::first_believable() noexcept {
  return std::find_if(held_.begin(), held_.end(), [this](const held_event& e) {
    return e.agreeing >= enough || (clock_ && !is_far(*clock_, e.at));
  });
}

std::optional<instant> time_gate::newest() const {
  if (clock_) return clock_;
  std::vector<instant> waiting;
  for (const held_event& e : held_) waiting.push_back(e.at);
  std::sort(waiting.begin(), waiting.end());
  const auto end = std::adjacent_find(waiting.begin(), waiting.end(), is_far);
  if (waiting.empty()) return std::nullopt;
  return end == waiting.end() ? waiting.back() : *end;
}

time_gate::verdict time_gate::judge(held_event next) {
  for (held_event& e : held_) ++(is_far(next.at, e.at) ? e.contradict : e.agreeing);
  held_.push_back(std::move(next));
  verdict decided;
  // Each belief may bring others within reach, also of those that came before.
  for (auto e = first_believable(); e != held_.end(); e = first_believable()) {
    if (!clock_ || *clock_ < e->at) clock_ = e->at;
    decided.believed.push_back(std::move(*e));
    held_.erase(e);
  }
  for (auto e = held_.begin(); e != held_.end();) {
    if (e->contradict < patience) {
      ++e;
      continue;
    }
    decided.rejected.push_back(std::move(*e));
    e = held_.erase(e);
  }
  return decided;
}

}  // namespace bloomtime::logs
