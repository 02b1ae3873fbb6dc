// A filter says "perhaps". Is the item worth a trip to the database? That depends on how likely it
// was in the first place and on what each kind of error costs.

#include <cstdio>

#include <bloomtime/bloomtime.hpp>

int main() {
  using bloomtime::prior;

  // Small on purpose: one new user in five looks known.
  bloomtime::bloom_filter known({.items = 10'000, .error = 0.2});
  for (int user = 0; user < 10'000; ++user) known.add(user);

  int absent = 10'000;
  while (!known.may_contain(absent)) ++absent;

  // A trip in vain costs 1, a known user who is taken for a new one costs 3.
  const bloomtime::math::penalties costs{.false_positive = 1, .false_negative = 3};

  std::puts("known beforehand   perhaps known: how sure?   look it up?");
  for (const double before : {0.001, 0.05, 0.2, 0.5}) {
    std::printf("%16.3f   %25.3f   %s\n", before,
                known.posterior(absent, prior::membership(before)),
                known.decide(absent, prior::membership(before), costs) ? "yes" : "no");
  }
}
