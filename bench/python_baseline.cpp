// Nanoseconds per item of the bulk calls that the Python package makes, for bench/python.
#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/bloomtime.hpp>

namespace {

using namespace bloomtime;

constexpr std::size_t count = 1'000'000;
constexpr instant start = instant::from_seconds(1'400'000'000);

// Of this process: other programs do not count.
double cpu_nanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

template <class Call>
void measure(const char* name, const Call& call) {
  const double before = cpu_nanoseconds();
  call();
  std::printf("%s %.3f\n", name, (cpu_nanoseconds() - before) / count);
}

// All answers are allocated by the measured call, as they are in Python.
template <class Item>
void measure_all(const std::string& kind, const std::vector<Item>& items) {
  const auto named = [&](const char* call) { return kind + " " + call; };
  const std::vector<instant> times(count, start);
  {
    bloom_filter f({.items = count, .error = 0.01});
    measure(named("Bloom add_many").c_str(), [&] { f.add_bulk(items); });
    measure(named("Bloom query_many").c_str(), [&] {
      const auto answers = std::make_unique<bool[]>(count);
      f.may_contain_bulk(items, {answers.get(), count});
    });
  }
  {
    recency_table f({.window = std::chrono::minutes(10), .items = count, .reserve = true});
    measure(named("Recency add_many").c_str(), [&] {
      std::vector<novelty> answers(count);
      f.add_if_new_bulk(items, times, answers);
    });
    measure(named("Recency query_many").c_str(), [&] {
      const auto answers = std::make_unique<bool[]>(count);
      f.seen_bulk(items, start, {answers.get(), count});
    });
  }
  {
    tally_table f({.items = count, .reserve = true});
    measure(named("Tally add_many").c_str(), [&] {
      std::vector<outcome> outcomes(count);
      f.add_bulk(items, outcomes);
    });
    measure(named("Tally query_many").c_str(), [&] {
      std::vector<counted> answers(count);
      f.count_bulk(items, answers);
    });
  }
  {
    heat_table f({.items = count, .reserve = true, .half_life = std::chrono::hours(1)});
    measure(named("Heat add_many").c_str(), [&] {
      std::vector<outcome> outcomes(count);
      f.add_bulk(items, times, outcomes);
    });
    measure(named("Heat query_many").c_str(), [&] {
      std::vector<estimate> answers(count);
      f.at_bulk(items, start, answers);
    });
  }
}

}  // namespace

int main() {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    numbers.push_back(i * 0x9e3779b97f4a7c15);
    texts.push_back("item:" + std::to_string(i));
  }
  const std::vector<std::string_view> words(texts.begin(), texts.end());
  measure_all("integers", numbers);
  measure_all("strings", words);
}
