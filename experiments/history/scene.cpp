#include "scene.hpp"

#include <utility>

namespace experiments {

scene::scene(trace today, const trace& yesterday)
    : day(std::move(today)), truth(day.pairs), before(yesterday) {}

scene scene_of(const generated& g) { return {trace_of(g, 1), trace_of(g, 2)}; }

scene scene_of(const trace& log) {
  const std::uint32_t half = log.ticks / 2;
  return {part_of(log, half, half), part_of(log, 0, half)};
}

workload workload_of(const scene& s, std::uint64_t length) {
  const auto draw = [&](of_items which, std::uint64_t seed) {
    return negative_questions(s.day, s.truth, length, usual_questions, which, seed);
  };
  workload w{length, draw(of_items::seen, 1), {}, draw(of_items::unseen, 2), {}, {}};
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    w.seen.push_back(draw(of_items::seen, 10 + seed));
  w.truth = true_loads(s.day, s.truth, w.tuned_to);
  w.learned = s.before.learned(draw(of_items::seen, 3));
  return w;
}

std::uint64_t bits_like_edgar(const trace& log, std::uint64_t bits) {
  return bits * log.pairs.size() / edgar.pairs;
}

order order_of(const scene& s, const workload& w, std::uint64_t bits) {
  return {bits, s.day.pairs.size(), s.day.ticks, w.length, w.truth, w.learned};
}

}  // namespace experiments
