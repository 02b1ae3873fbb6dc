#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/choosing/trial.hpp"

// A page of docs/ that a program measures and writes: a table for each question.
namespace bench {

struct size {
  std::uint64_t items;
  const char* name;
};

// The figures of all candidates at one size, in their order.
struct taken_at {
  size at;
  std::vector<measured> figures;
};

struct page {
  const char* head;
  std::vector<size> sizes;
  std::vector<question> questions;
  // What is said below a table.
  std::function<std::string(const question&, const std::vector<taken_at>&)> verdict;
};

// `--help` and the largest number of items to measure with are its arguments. Returns the status of
// the program.
int write_page(const page& all, int count, char** words);

std::string bytes_text(double bytes);
std::string times_text(double ratio);

}  // namespace bench
