#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/output/printer.hpp"

// Questions from a file, one a line, and answers in the same order.
namespace bloomtime::cli {

struct batch_line {
  std::string_view text;
  const std::string& file;
  std::uint64_t number;  // from 1

  // Throws usage_error with where it stands and what is wrong with it.
  [[noreturn]] void refuse(std::string_view what) const;
};

void for_each_line(const std::string& path, const std::function<void(const batch_line&)>& visit);

// The items of a file, one a line, written as bloomtime writes them: `visit` gets both.
void for_each_item(const std::string& path,
                   const std::function<void(std::string_view line, std::string_view item)>& visit);

// Prints many lines at a time. Whatever ends the batch early, the answers so far are printed.
class batch_answers {
 public:
  explicit batch_answers(const printer& out) : out_(out) {}
  batch_answers(const batch_answers&) = delete;
  batch_answers& operator=(const batch_answers&) = delete;
  ~batch_answers();

  void add(std::string_view line);  // without its end
  void finish();

 private:
  const printer& out_;
  std::string waiting_;
};

}  // namespace bloomtime::cli
