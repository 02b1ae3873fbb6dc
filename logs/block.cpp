#include "logs/block.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "logs/lines.hpp"

namespace bloomtime::logs {
namespace {

// What is not in the bytes of the block is copied: a reader uses its memory for the next line.
std::string_view kept(block& b, std::string_view text) {
  const char* const begin = b.memory.get();
  const std::less<> before;
  if (!before(text.data(), begin) && before(text.data(), begin + b.end)) return text;
  if (text.empty()) return {};
  auto* const copy = static_cast<char*>(b.texts.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

}  // namespace

std::string_view block::before(std::size_t place, std::size_t most) const {
  const std::size_t size = std::min(most, begin + place);
  return {memory.get() + begin + place - size, size};
}

void block::split(std::size_t longest_line) {
  events.clear();
  std::string_view rest = bytes();
  while (!rest.empty()) {
    const void* const newline =
        what == part::lines ? std::memchr(rest.data(), '\n', rest.size()) : nullptr;
    std::size_t size = rest.size();
    std::size_t ending = 0;
    if (newline != nullptr) {
      size = static_cast<std::size_t>(static_cast<const char*>(newline) - rest.data());
      ending = 1;
      if (size != 0 && rest[size - 1] == '\r') {
        --size;
        ending = 2;
      }
    }
    event& e = events.emplace_back();
    e.raw.text = rest.substr(0, size);
    e.raw.ending = rest.substr(size, ending);
    e.raw.what = what == part::piece                ? line::part::piece
                 : continues || size > longest_line ? line::part::last_piece
                                                    : line::part::whole;
    e.raw.first = first && events.size() == 1;
    continues = false;
    rest.remove_prefix(size + ending);
  }
}

block_parser::block_parser(line_layout layout, std::optional<hash_seed> seed)
    : layout_(std::move(layout)), seed_(seed) {}

void block_parser::parse(block& b, std::size_t first) {
  const std::size_t width = layout_.items.size();
  const std::size_t hashed = seed_ ? std::max<std::size_t>(width, 1) : 0;
  b.items.resize(b.events.size() * width);
  b.present.resize(b.events.size() * width);
  b.digests.resize(b.events.size() * hashed);
  auto reader = take_reader();
  for (std::size_t i = first; i < b.events.size(); ++i) {
    if (b.events[i].raw.what == line::part::whole) read(*reader, b, i);
  }
  put_back(std::move(reader));
}

void block_parser::read(record_reader& reader, block& b, std::size_t number) const {
  event& e = b.events[number];
  e.text = e.raw.first ? without_mark(e.raw.text) : e.raw.text;
  if (const auto bad = reader.read(e.text)) {
    e.what = event::kind::bad;
    e.reason = *bad;
    if (bad == bad_line::no_item || bad == bad_line::no_time) e.lacks = reader.first_lacking();
    return;
  }
  e.what = reader.excluded() ? event::kind::excluded : event::kind::event;
  if (e.what == event::kind::excluded) return;
  const std::size_t width = layout_.items.size();
  const std::size_t at = number * width;
  for (std::size_t i = 0; i < width; ++i) {
    b.items[at + i] = kept(b, reader.items()[i]);
    b.present[at + i] = reader.present()[i];
    if (seed_ && reader.present()[i]) b.digests[at + i] = digest_of(b.items[at + i], *seed_);
  }
  e.items = {b.items.data() + at, width};
  e.present = {b.present.data() + at, width};
  if (seed_ && width == 0) b.digests[number] = digest_of(e.text, *seed_);
  if (seed_)
    e.digests = {b.digests.data() + (width == 0 ? number : at), std::max<std::size_t>(width, 1)};
  e.amount = reader.amount();
  e.web = reader.web();
  if (e.web) e.web->method = kept(b, e.web->method);
  e.at.reset();
  if (!reader.has_time()) return;
  e.at = reader.time().at;
  e.offset = reader.time().offset;
}

std::vector<std::string> block_parser::lacking(std::string_view text) {
  auto reader = take_reader();
  (void)reader->read(text);
  std::vector<std::string> names = reader->lacking();
  put_back(std::move(reader));
  return names;
}

std::unique_ptr<record_reader> block_parser::take_reader() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  return std::make_unique<record_reader>(layout_);
}

void block_parser::put_back(std::unique_ptr<record_reader> reader) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

}  // namespace bloomtime::logs
