#include <bloomtime/bloomtime.hpp>

int main() {
  bloomtime::bloom_filter f({.items = 1000, .error = 0.01});
  f.add("x");
  return f.may_contain("x") ? 0 : 1;
}
