// Times of adds over the span and of queries over their length (figures 12 and 13), of both mixed
// (figure 16), and of the allocation of bits (figure 18). Methods take turns in rounds; medians and
// quartiles.
// usage: history_time adds|questions|mixed|allocation

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string_view>

#include <bloomtime/math/random.hpp>

#include "bench/harness/measure.hpp"
#include "checks.hpp"
#include "scene.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;

constexpr unsigned rounds = 5;
constexpr std::uint32_t all_spans[] = {14'400, 28'800, 57'600, 86'400};
constexpr std::string_view timed[] = {
    "single",        "tree uniform",  "tree optimal",   "tree learned", "level uniform",
    "level learned", "level planned", "level doubting", "timeline",     "exact"};

double nanoseconds_per(std::size_t operations, auto&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(operations);
}

// The paper's: 50 000 random items, each at a random time.
scene random_items(std::uint32_t ticks) {
  constexpr counts some{"random", 50'000, 50'000, 50'000, 86'400};
  counts c = some;
  c.ticks = ticks;
  const generated g{c, times::uniform};
  return {trace_of(g, 1), trace_of(g, 2)};
}

// -- figures 12 and 13 -------------------------------------------------------------------------

void time_adds() {
  std::puts("set,ticks,method,ns_per_add,lower,upper,bits_written");
  for (const std::uint32_t ticks : all_spans) {
    const scene s = random_items(ticks);
    const workload w = workload_of(s, usual_length);
    const order o = order_of(s, w, usual_bits);
    bench::schedule all;
    std::map<std::string_view, std::size_t> number;
    for (const std::string_view name : timed) {
      number[name] = all.add([&, name] {
        const subject empty = method_of(name).make(o);
        return nanoseconds_per(s.day.pairs.size(), [&] {
          empty.add(s.day.pairs);
          empty.finish();
        });
      });
    }
    all.run(rounds);
    for (const std::string_view name : timed) {
      unsigned written = 0;
      if (name.starts_with("level")) {
        for (const published::filter_size& size : level_sizes(name, o)) written += size.k;
      }
      if (name == "single") written = published::k_for(static_cast<double>(o.pairs), o.bits);
      const bench::summary time = all.time(number[name]);
      std::printf("%s,%u,%s,%.1f,%.1f,%.1f,%u\n", s.day.name.c_str(), ticks, name.data(),
                  time.median, time.lower, time.upper, written);
    }
    const double ratio = all.ratio(number["level uniform"], number["single"]).median;
    const auto levels = static_cast<double>(o.truth.levels.size());
    guess(ratio >= 2 && ratio <= 1.5 * levels,
          "{} ticks: an add to all {} levels takes {:.1f} times as long as one to a single filter",
          ticks, levels, ratio);
    claim(all.time(number["level uniform"]).median < 20'000,
          "{} ticks: an add to all levels takes less than 20 us", ticks);
    claim(all.time(number["level learned"]).median < all.time(number["level uniform"]).median,
          "{} ticks: an add takes less if levels that nobody asks are left out", ticks);
  }
}

void time_questions_about(const scene& s, of_items which) {
  std::map<std::string_view, std::map<std::uint64_t, double>> medians;
  for (const std::uint64_t length : all_lengths) {
    const workload w = workload_of(s, length);
    const order o = order_of(s, w, usual_bits);
    bench::schedule all;
    std::map<std::string_view, std::size_t> number;
    for (const std::string_view name : timed) {
      const auto& questions = which == of_items::seen ? w.seen[0] : w.unseen;
      const bool is_slow = name == "single";
      const std::size_t asked =
          is_slow ? std::max<std::size_t>(100, 160'000 / length) : questions.size();
      number[name] = all.add([ask = filled(method_of(name), o, s.day).ask, asked, &questions] {
        return nanoseconds_per(asked,
                               [&] { bench::keep(ask(std::span(questions).first(asked)).maybe); });
      });
    }
    all.run(rounds);
    for (const std::string_view name : timed) {
      const bench::summary time = all.time(number[name]);
      medians[name][length] = time.median;
      std::printf("%s,%s,%ju,%s,%.1f,%.1f,%.1f\n", s.day.name.c_str(),
                  which == of_items::seen ? "seen" : "unseen", static_cast<std::uintmax_t>(length),
                  name.data(), time.median, time.lower, time.upper);
    }
  }
  auto& single = medians["single"];
  auto& level = medians["level uniform"];
  guess(single[8192] / single[128] >= 32,
        "{}: a single filter takes {:.0f} times as long at 8192 as at 128", s.day.name,
        single[8192] / single[128]);
  guess(level[8192] / level[16] <= 6, "{}: all levels take {:.1f} times as long at 8192 as at 16",
        s.day.name, level[8192] / level[16]);
  claim(level[8192] < 1000, "{}: all levels take less than 1 us at 8192 ({:.0f} ns)", s.day.name,
        level[8192]);
}

void time_questions() {
  std::puts("set,items,length,method,ns_per_question,lower,upper");
  time_questions_about(random_items(86'400), of_items::unseen);
  time_questions_about(scene_of({edgar, times::bursty}), of_items::seen);
}

// -- figure 16 ---------------------------------------------------------------------------------

// Adds and questions in turn, in blocks of 100, of which `share` are adds. Every round goes on
// where the last one ended, from half of the day on, so that nothing is added twice.
class mixture {
 public:
  mixture(const scene& s, const workload& w, subject history)
      : records_(s.day.records), questions_(w.seen[0]), history_(std::move(history)) {
    const std::size_t half = records_.size() / 2;
    history_.add(records_.first(half));
    records_ = records_.subspan(half);
  }

  double operator()(std::size_t share) {
    constexpr std::size_t block = 100;
    constexpr std::size_t blocks = 1000;
    return nanoseconds_per(block * blocks, [&] {
      std::uint64_t maybes = 0;
      for (std::size_t i = 0; i < blocks; ++i) {
        history_.add(records_.first(share));
        records_ = records_.subspan(share);
        maybes += history_.ask(questions_.subspan(i % 100 * block, block - share)).maybe;
      }
      bench::keep(maybes);
    });
  }

 private:
  std::span<const record> records_;
  std::span<const question> questions_;
  subject history_;
};

void time_mixtures() {
  constexpr unsigned few_rounds = 3;
  std::puts("set,share_of_adds,method,ns_per_operation,lower,upper");
  const scene s = scene_of({edgar, times::bursty});
  const workload w = workload_of(s, usual_length);
  const order o = order_of(s, w, usual_bits);
  std::map<std::string_view, mixture> mixtures;
  for (const std::string_view name : timed) {
    mixtures.try_emplace(name, s, w, method_of(name).make(o));
  }
  std::map<std::string_view, std::map<std::size_t, double>> times;
  for (std::size_t share = 0; share <= 100; share += 10) {
    bench::schedule all;
    std::map<std::string_view, std::size_t> number;
    for (auto& each : mixtures) {
      number[each.first] = all.add([&each, share] { return each.second(share); });
    }
    all.run(few_rounds);
    for (const std::string_view name : timed) {
      const bench::summary time = all.time(number[name]);
      times[name][share] = time.median;
      std::printf("%s,%zu,%s,%.1f,%.1f,%.1f\n", s.day.name.c_str(), share, name.data(), time.median,
                  time.lower, time.upper);
    }
  }
  for (const auto& [name, published] : {std::pair{"level uniform", 40}, {"level learned", 70}}) {
    std::size_t faster = 0;  // up to this share of adds
    while (faster < 100 && times[name][faster + 10] < times["single"][faster + 10]) faster += 10;
    claim(faster + 10 >= std::size_t(published) && faster <= std::size_t(published) + 10,
          "{} is faster than a single filter up to {} % adds ({} % as published)", name, faster,
          published);
  }
  const double ratio = times["level uniform"][100] / times["single"][100];
  claim(ratio > 12 && ratio < 24, "if all are adds, all levels take {:.1f} times as long", ratio);
}

// -- figure 18 ---------------------------------------------------------------------------------

void time_allocation() {
  std::puts("set,ticks,method,filters,us,lower,upper");
  std::map<std::uint32_t, double> tree;
  std::map<std::uint32_t, double> level;
  const trace day = trace_of({edgar, times::bursty}, 1);
  for (const std::uint32_t ticks : all_spans) {
    const scene s(part_of(day, 0, ticks), part_of(day, 0, ticks));
    const workload w = workload_of(s, usual_length);
    bench::schedule all;
    all.add([&] {
      return nanoseconds_per(
          1, [&] { bench::keep(allocate_tree(w.truth.tree, usual_bits).pairs.bits); });
    });
    all.add([&] {
      return nanoseconds_per(
          1, [&] { bench::keep(published::allocate_bits(w.truth.levels, usual_bits).data()); });
    });
    all.run(rounds);
    std::size_t nodes = 1;  // the pairs
    for (const auto& height : w.truth.tree.nodes) nodes += height.size();
    tree[ticks] = all.time(0).median;
    level[ticks] = all.time(1).median;
    for (const auto& [number, method, filters] :
         {std::tuple{0, "tree", nodes}, std::tuple{1, "level", w.truth.levels.size()}}) {
      const bench::summary time = all.time(static_cast<std::size_t>(number));
      std::printf("%s,%u,%s,%zu,%.1f,%.1f,%.1f\n", s.day.name.c_str(), ticks, method, filters,
                  time.median / 1000, time.lower / 1000, time.upper / 1000);
    }
  }
  guess(tree[86'400] / level[86'400] >= 50,
        "to give bits to a tree takes {:.0f} times as long as "
        "to levels",
        tree[86'400] / level[86'400]);
  claim(level[86'400] < 100'000, "to give bits to levels takes less than 100 us");
  const double growth = tree[86'400] / tree[14'400];
  guess(growth >= 3 && growth <= 12, "to a tree {:.1f} times as long for 6 times the span", growth);
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  if (what == "adds") time_adds();
  if (what == "questions") time_questions();
  if (what == "mixed") time_mixtures();
  if (what == "allocation") time_allocation();
}
