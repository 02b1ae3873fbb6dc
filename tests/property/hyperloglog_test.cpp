#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/hyperloglog.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bloomtime::detail {
namespace hyperloglog_property {

using items = std::vector<std::uint16_t>;  // few enough values for the streams to overlap

hyperloglog count_of(unsigned precision, const items& stream) {
  hyperloglog h(precision);
  for (const auto item : stream) h.add(digest_of(item));
  return h;
}

bool same(const hyperloglog& a, const hyperloglog& b) {
  return std::ranges::equal(a.registers(), b.registers());
}

items concatenated(items a, const items& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RC_GTEST_PROP(hyperloglog_property, merging_equals_counting_the_union, (items a, items b)) {
  const auto precision = *rc::gen::inRange(4u, 17u);
  auto merged = count_of(precision, a);
  merged.merge(count_of(precision, b));
  RC_ASSERT(same(merged, count_of(precision, concatenated(a, b))));
}

RC_GTEST_PROP(hyperloglog_property, order_and_repetition_do_not_matter, (items stream)) {
  auto other = concatenated(stream, stream);
  std::ranges::sort(other);
  RC_ASSERT(same(count_of(4, stream), count_of(4, other)));
}

RC_GTEST_PROP(hyperloglog_property, registers_never_shrink_and_neither_does_the_estimate,
              (items stream)) {
  hyperloglog h(4);
  double before = 0;
  for (const auto item : stream) {
    h.add(digest_of(item));
    RC_ASSERT(h.estimate() >= before);
    before = h.estimate();
  }
}

}  // namespace hyperloglog_property
}  // namespace bloomtime::detail
