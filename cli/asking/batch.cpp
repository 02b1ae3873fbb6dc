#include "cli/asking/batch.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "logs/byte_source.hpp"
#include "logs/columns.hpp"
#include "logs/lines.hpp"

namespace bloomtime::cli {

void batch_line::refuse(std::string_view what) const {
  text::refuse("{}, line {} {}", file, count_text(number), what);
}

void for_each_line(const std::string& path, const std::function<void(const batch_line&)>& visit) {
  logs::byte_source source(path);
  logs::line_reader lines(source);
  const std::string name(source.name());
  std::uint64_t number = 0;
  while (const logs::event* e = lines.next()) {
    const logs::line& found = e->raw;
    const bool first = ++number == 1;
    const batch_line asked{first ? logs::without_mark(found.text) : found.text, name, number};
    if (found.what != logs::line::part::whole) asked.refuse("is longer than any item");
    visit(asked);
  }
}

void for_each_item(const std::string& path,
                   const std::function<void(std::string_view line, std::string_view item)>& visit) {
  std::string scratch;
  for_each_line(path, [&](const batch_line& line) {
    if (line.text.find('\t') != line.text.npos) {
      line.refuse("has several columns; expected one item, with \\t for a tab in it");
    }
    visit(line.text, logs::unescaped(line.text, scratch));
  });
}

void asked_items::expect_store(std::string_view command, std::string_view example) const {
  if (!words.empty()) return;
  refuse("{} needs a store. Try bloomtime {} {}", command, command, example);
}

void asked_items::expect_items(std::string_view command, std::string_view example) const {
  if ((words.size() == 1) != batch.empty()) return;
  refuse("{} needs {}. Try bloomtime {} {} {}", command,
         batch.empty() ? "an item, or --batch with a file of them" : "either items or --batch",
         command, store(), example);
}

void asked_items::for_each(const std::function<void(std::string_view item)>& visit) const {
  for (std::size_t i = 1; i < words.size(); ++i) visit(words[i]);
  if (batch.empty()) return;
  for_each_item(batch, [&](std::string_view, std::string_view item) { visit(item); });
}

void print_batch(const asked_items& asked,
                 const std::function<std::string(std::string_view item)>& answer,
                 const printer& out) {
  batch_answers answers(out);
  for_each_item(asked.batch, [&](std::string_view as_typed, std::string_view item) {
    answers.add(fmt::format("{}\t{}", as_typed, answer(item)));
  });
  answers.finish();
}

void batch_answers::add(std::string_view line) {
  constexpr std::size_t at_once = 1 << 16;
  waiting_.append(line).push_back('\n');
  if (waiting_.size() >= at_once) finish();
}

void batch_answers::finish() {
  // Cleared first, so that the destructor does not print it again after an error.
  const std::string answers = std::exchange(waiting_, {});
  out_.print(answers);
}

batch_answers::~batch_answers() {
  try {
    finish();
  } catch (const std::exception&) {
    // The destructor runs because of another error.
  }
}

}  // namespace bloomtime::cli
