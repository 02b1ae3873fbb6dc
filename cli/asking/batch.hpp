#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output/printer.hpp"

// Queries from a file, one per line, and answers in the same order.
namespace bloomtime::cli {

struct batch_line {
  std::string_view text;
  const std::string& file;
  std::uint64_t number;  // from 1

  // Throws usage_error with the file, the line number and the problem.
  [[noreturn]] void refuse(std::string_view what) const;
};

void for_each_line(const std::string& path, const std::function<void(const batch_line&)>& visit);

// The items of a file, one per line: `visit` gets the line and the item without escapes.
void for_each_item(const std::string& path,
                   const std::function<void(std::string_view line, std::string_view item)>& visit);

// STORE (ITEM... | --batch FILE), as typed.
struct asked_items {
  std::vector<std::string> words;  // the store, then items
  std::string batch;

  const std::string& store() const { return words.front(); }
  // Throws usage_error unless there is a store.
  void expect_store(std::string_view command, std::string_view example) const;
  // Throws usage_error unless there are either items or a batch.
  void expect_items(std::string_view command, std::string_view example) const;
  void for_each(const std::function<void(std::string_view item)>& visit) const;
};

// How a file of --batch is read, for the help.
inline constexpr const char* batch_rules =
    "In the file \\t \\n \\r \\\\ and \\xNN stand for one byte, as in all TSV that bloomtime "
    "prints;\n"
    "any other backslash stands for itself. --json and --table print a report instead.";

// Prints a line per item of the batch: the item as typed, a tab, and its answer.
void print_batch(const asked_items& asked,
                 const std::function<std::string(std::string_view item)>& answer,
                 const printer& out);

// Prints many lines at a time. If an error ends the batch early, the answers so far are printed.
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
