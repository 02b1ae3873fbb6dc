#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/digest.hpp>

#include "logs/event.hpp"
#include "logs/record.hpp"

namespace bloomtime::logs {

class block_parser;

// Some of the bytes of an input: whole lines, or one line that has no end or is longer than the
// limit. Its events point into it.
struct block {
  enum class part { lines, piece, unfinished };

  std::string_view bytes() const { return {memory.get() + begin, lines_end - begin}; }
  // With what lies behind the last line: the beginning of the next block.
  std::string_view all_bytes() const { return {memory.get() + begin, end - begin}; }
  // Up to so many bytes before a place in bytes().
  std::string_view before(std::size_t place, std::size_t most) const;

  // Makes an event of each line, of which only `raw` is set.
  void split(std::size_t longest_line);

  std::unique_ptr<char[]> memory;
  std::size_t capacity = 0;
  std::size_t begin = 0;  // before it are the last bytes of the block before
  std::size_t lines_end = 0;
  std::size_t end = 0;

  part what = part::lines;
  bool first = false;      // of the input, or of a file that replaced one that is followed
  bool continues = false;  // the block before is a piece of its first line

  std::vector<event> events;
  std::vector<std::string_view> items;
  std::vector<char> present;
  std::vector<digest> digests;
  std::pmr::monotonic_buffer_resource texts;  // of items that are not as in the line
  std::shared_ptr<const block_parser> parsed_by;
};

// Reads the lines of blocks that have one layout. Several threads may use it at once.
class block_parser {
 public:
  // With a seed, events have the digests of their items, or of the line if it is the item.
  explicit block_parser(line_layout layout, std::optional<hash_seed> seed = {});

  const line_layout& layout() const { return layout_; }
  const std::optional<hash_seed>& seed() const { return seed_; }

  // Reads the events from this one on.
  void parse(block& b, std::size_t first = 0);

  // The fields that a bad line lacks.
  std::vector<std::string> lacking(std::string_view text);

 private:
  std::unique_ptr<record_reader> take_reader();
  void put_back(std::unique_ptr<record_reader> reader);
  void read(record_reader& reader, block& b, std::size_t number) const;

  line_layout layout_;
  std::optional<hash_seed> seed_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<record_reader>> idle_;
};

}  // namespace bloomtime::logs
