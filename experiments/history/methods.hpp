#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/published/persistent/allocation.hpp>

#include "exact.hpp"
#include "loads.hpp"
#include "streams.hpp"

// The histories that are compared: one entry each in methods().
namespace experiments {

struct answers {
  std::uint64_t maybe = 0;
  std::uint64_t probes = 0;
};

// A history of any type. It is given whole lists, so that times are those of the history.
struct subject {
  std::function<void(std::span<const record>)> add;
  std::function<void()> finish;  // nothing more is added
  std::function<answers(std::span<const question>)> ask;
  std::function<std::uint64_t()> bits;
};

template <class History>
subject subject_of(History history) {
  auto h = std::make_shared<History>(std::move(history));
  return {[h](std::span<const record> records) {
            for (const record& r : records) h->add(r.item, at(r.tick));
          },
          [h] {
            if constexpr (requires { h->seal(); }) h->seal();
          },
          [h](std::span<const question> questions) {
            answers sum;
            for (const question& q : questions) {
              std::uint64_t probes = 0;
              sum.maybe += h->seen(q.item, q.asked, probes) == bloomtime::sighting::maybe;
              sum.probes += probes;
            }
            return sum;
          },
          [h] { return 8 * h->memory(); }};
}

// What is known when a history is made.
struct order {
  std::uint64_t bits;
  std::uint64_t pairs;
  std::uint64_t ticks;
  std::uint64_t length;  // of questions
  const loads& truth;
  const loads& learned;
};

struct method {
  std::string_view name;
  bool is_tuned;  // to the queries that are tested
  subject (*make)(const order&);

  bool suits(const order& o) const {
    return !name.starts_with("tree") ||
           (!o.truth.tree.nodes.empty() && !o.learned.tree.nodes.empty());
  }
};

std::span<const method> methods();
const method& method_of(std::string_view name);

// Made, given all pairs, and finished.
subject filled(const method& m, const order& o, const trace& t);

// The levels of those methods that have some.
std::vector<bloomtime::published::filter_size> level_sizes(std::string_view method, const order& o);

}  // namespace experiments
