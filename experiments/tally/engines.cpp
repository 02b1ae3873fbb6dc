// All engines: updates and queries per second, bits per item, share of exact counts.
// 5 % error for each; the published ones with k = 3. The exact answer is a hash map.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>

#include <bloomtime/published/dynamic_count/counting_filter.hpp>
#include <bloomtime/tally/rising_tally.hpp>

#include "arrivals.hpp"
#include "bench/harness/keys.hpp"
#include "bench/harness/measure.hpp"
#include "experiments/heat/streams.hpp"
#include "experiments/history/checks.hpp"

namespace {

using namespace experiments;
using namespace bloomtime;
using namespace bloomtime::published;

constexpr unsigned rounds = 3;

std::uint64_t key_of(std::uint64_t item) { return bench::key_of<bench::short_key>(item); }

class exact_tally {
 public:
  static constexpr bool removes = true;

  outcome add(std::uint64_t x) {
    ++counts_[x];
    return outcome::added;
  }
  outcome remove(std::uint64_t x) {
    const auto found = counts_.find(x);
    if (found == counts_.end()) return outcome::refused;
    if (--found->second == 0) counts_.erase(found);
    return outcome::added;
  }
  counted count(std::uint64_t x) const {
    const auto found = counts_.find(x);
    const std::uint64_t value = found == counts_.end() ? 0 : found->second;
    return {value, value, value, false};
  }
  // A node has a link, an item and its count, and 8 bytes of the allocator's.
  std::uint64_t memory() const { return 32 * counts_.size() + 8 * counts_.bucket_count(); }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

struct load {
  std::string name;
  std::vector<std::uint64_t> items;  // their keys, as they come
  std::vector<std::uint64_t> truth;  // by item, from 0
  population size;                   // as far as it matters: how many come, and how many of them
};

load load_of(const stream& s) {
  load l{s.name, {}, std::vector<std::uint64_t>(s.items), {}};
  for (const hit& h : s.hits) {
    l.items.push_back(key_of(h.item));
    ++l.truth[h.item];
  }
  l.size.items = 0;
  for (const std::uint64_t count : l.truth) l.size.items += count > 0;
  l.size.total = s.hits.size();
  return l;
}

struct accuracy {
  double exact = 0;  // shares of all items that came
  double saturated = 0;
  double too_low = 0;  // without reporting saturation
  double excess = 0;   // mean, of those that are not saturated
};

template <class Engine>
accuracy accuracy_of(const Engine& f, const load& l) {
  accuracy a;
  double answers = 0;
  for (std::uint64_t x = 0; x < l.truth.size(); ++x) {
    if (l.truth[x] == 0) continue;
    const counted answer = f.count(key_of(x));
    const double error = static_cast<double>(answer.value) - static_cast<double>(l.truth[x]);
    if (answer.saturated) {
      ++a.saturated;
      continue;
    }
    ++answers;
    a.exact += error == 0;
    a.too_low += error < 0;
    a.excess += error;
  }
  const auto items = static_cast<double>(l.size.items);
  for (double* share : {&a.exact, &a.saturated, &a.too_low}) *share /= items;
  a.excess /= std::max(1.0, answers);
  return a;
}

double nanoseconds_per(const std::vector<std::uint64_t>& items, auto&& use) {
  const auto start = std::chrono::steady_clock::now();
  for (const std::uint64_t x : items) use(x);
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / static_cast<double>(items.size());
}

struct figures {
  std::string name;
  double bits;
  accuracy right;
  std::size_t add;
  std::size_t count;
  std::size_t remove = 0;
  bool removes = false;
};

// One engine after the other, and then all their cases in turns.
class comparison {
 public:
  explicit comparison(const load& l) : load_(l) {}

  template <class Make>
  void add(std::string name, Make make) {
    using engine = std::invoke_result_t<Make>;
    engine full = make();
    for (const std::uint64_t x : load_.items) full.add(x);
    figures f{std::move(name), 8 * static_cast<double>(full.memory()), accuracy_of(full, load_), 0,
              0};
    f.bits /= static_cast<double>(load_.size.items);
    f.add = cases_.add([this, make] {
      engine empty = make();
      return nanoseconds_per(load_.items, [&](std::uint64_t x) { empty.add(x); });
    });
    f.count = cases_.add([this, full] {
      return nanoseconds_per(load_.items,
                             [&](std::uint64_t x) { bench::keep(full.count(x).value); });
    });
    if constexpr (engine::removes) {
      f.removes = true;
      f.remove = cases_.add([this, full] {
        engine emptied = full;
        return nanoseconds_per(load_.items, [&](std::uint64_t x) { (void)emptied.remove(x); });
      });
    }
    all_.push_back(std::move(f));
  }

  void run() {
    cases_.run(rounds);
    for (const figures& f : all_) {
      const auto millions = [&](std::size_t which) { return 1e3 / cases_.time(which).median; };
      std::printf("%s,%ju,%ju,%s,%.2f,%.2f,%.2f,%.2f,%.3f,%.3f,%.3f,%.4f\n", load_.name.c_str(),
                  static_cast<std::uintmax_t>(load_.size.items),
                  static_cast<std::uintmax_t>(load_.size.total), f.name.c_str(), millions(f.add),
                  f.removes ? millions(f.remove) : 0.0, millions(f.count), f.bits,
                  100 * f.right.exact, 100 * f.right.saturated, 100 * f.right.too_low,
                  f.right.excess);
    }
  }

  const std::vector<figures>& all() const { return all_; }

 private:
  const load& load_;
  bench::schedule cases_;
  std::vector<figures> all_;
};

void compare(const load& l) {
  const population p = l.size;
  const auto counting = [p](unsigned bits) {
    return [p, bits] {
      return counting_filter(
          {.items = p.items, .error = usual_error, .k = usual_k, .cell_bits = bits});
    };
  };
  const spectral_config spectral{.items = p.items, .error = usual_error, .k = usual_k};
  const auto tally = [p](unsigned bits) {
    return tally_config{.items = p.items, .error = usual_error, .cell_bits = bits};
  };
  comparison all(l);
  all.add("exact map", [] { return exact_tally(); });
  all.add("counting 4", counting(4));
  all.add("counting 16", counting(16));
  all.add("spectral", [p] { return spectral_of(p); });
  all.add("spectral rising", [spectral] { return rising_spectral_filter(spectral); });
  all.add("spectral recurring", [spectral] { return recurring_spectral_filter(spectral); });
  all.add("dynamic", [p] { return dynamic_of(p); });
  all.add("tally 4", [tally] { return tally_filter(tally(4)); });
  all.add("tally 8", [tally] { return tally_filter(tally(8)); });
  all.add("rising tally 8", [tally] { return rising_tally(tally(8)); });
  all.run();
  std::map<std::string, accuracy> right;
  for (const figures& f : all.all()) right[f.name] = f.right;
  for (const auto& [name, of] : right) {
    if (name == "spectral recurring") continue;
    check(of.too_low == 0, "{}: {} never counts too low without a word", l.name, name);
  }
  check(right["rising tally 8"].excess <= right["tally 8"].excess,
        "{}: where nothing leaves, minimum increase errs no more ({:.3f}) than plain ({:.3f})",
        l.name, right["rising tally 8"].excess, right["tally 8"].excess);
}

}  // namespace

int main() {
  std::puts(
      "stream,items,total,engine,million_adds_per_s,million_removes_per_s,million_counts_per_s,"
      "bits_per_item,exact_percent,saturated_percent,too_low_percent,mean_excess");
  std::vector<stream> streams;
  for (const double z : {0.0, 1.0, 1.5}) {
    streams.push_back(zipf_stream(z, 10'000, 50'000, 20));
  }
  for (stream& s : real_streams()) streams.push_back(std::move(s));
  for (const stream& s : streams) compare(load_of(s));
}
