#include <bloomtime/detail/container.hpp>

#include <algorithm>
#include <array>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/detail/file.hpp>

namespace bloomtime {

std::string_view name_of(family f) noexcept {
  switch (f) {
    case family::bloom: return "bloom";
    case family::heat: return "heat";
    case family::history: return "history";
    case family::recency: return "recency";
    case family::tally: return "tally";
    case family::totals: return "totals";
  }
  return "unknown";
}

namespace detail {
namespace {

// A high byte and both kinds of line end: damage by text-mode transfer is detected at once.
constexpr std::array<std::uint8_t, 8> magic{0x89, 'B', 'L', 'M', 'T', '\r', '\n', 0x1a};
constexpr std::size_t fixed_size = 64;
constexpr std::size_t entry_size = 32;
constexpr std::size_t checksum_at = 56;
constexpr std::uint32_t max_sections = 4096;
constexpr std::uint32_t max_parameter_bytes = 1u << 20;
constexpr std::uint8_t multiply_shift = 1;  // the only reduction so far
constexpr std::uint8_t has_clock = 1;       // flag

constexpr std::uint64_t align_line(std::uint64_t n) noexcept {
  return (n + line_bytes - 1) / line_bytes * line_bytes;
}

// A body, the zeros that unaligned reads may touch, and zeros up to the next line.
constexpr std::uint64_t stored_size(std::uint64_t body) noexcept {
  return align_line(body + readable_past_end);
}

constexpr std::size_t head_size_for(std::size_t parameter_bytes, std::size_t sections) noexcept {
  return align_line(fixed_size + sections * entry_size + parameter_bytes);
}

std::uint64_t checksum(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum(const byte_pieces& pieces) noexcept {
  if (pieces.size() == 1) return checksum(pieces.front());
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const auto piece : pieces) XXH3_64bits_update(&state, piece.data(), piece.size());
  return XXH3_64bits_digest(&state);
}

std::uint64_t head_checksum(std::span<const std::byte> head) {
  std::vector<std::byte> copy(head.begin(), head.end());
  store_le64(copy.data() + checksum_at, 0);
  return checksum(copy);
}

using std::to_string;

[[noreturn]] void corrupt(const std::string& sentence) { throw error(errc::corrupt, sentence); }

}  // namespace

void container_writer::section(std::uint32_t id, byte_pieces pieces) {
  std::uint64_t size = 0;
  for (const auto piece : pieces) size += piece.size();
  bodies_.push_back({id, std::move(pieces), size});
}

void container_writer::section(std::uint32_t id, std::vector<container_writer>&& containers) {
  byte_pieces all;
  for (container_writer& each : containers) {
    kept_.push_back(each.head());
    for (const auto piece : each.pieces(kept_.back())) all.push_back(piece);
    inside_.push_back(std::move(each));
  }
  section(id, std::move(all));
}

std::size_t container_writer::head_size() const noexcept {
  return head_size_for(parameters_.written().size(), bodies_.size());
}

bool container_writer::ids_ascend() const noexcept {
  const auto not_above = [](const body& a, const body& b) { return b.id <= a.id; };
  return std::adjacent_find(bodies_.begin(), bodies_.end(), not_above) == bodies_.end();
}

std::uint64_t container_writer::size() const noexcept {
  std::uint64_t total = head_size();
  for (const body& b : bodies_) total += stored_size(b.size);
  return total;
}

std::vector<std::byte> container_writer::head() const {
  if (bodies_.size() > max_sections || parameters_.written().size() > max_parameter_bytes) {
    throw error(errc::too_large, "a container has at most " + to_string(max_sections) +
                                     " sections and " + to_string(max_parameter_bytes) +
                                     " parameter bytes, got " + to_string(bodies_.size()) +
                                     " and " + to_string(parameters_.written().size()));
  }
  if (!ids_ascend()) {
    throw error(errc::invalid_argument, "the section ids of a container must ascend");
  }
  byte_writer out;
  out.bytes(std::as_bytes(std::span(magic)));
  out.u16(format_version);
  out.u8(static_cast<std::uint8_t>(info_.family));
  out.u8(info_.engine);
  out.u8(info_.layout);
  out.u8(static_cast<std::uint8_t>(info_.seed.id()));
  out.u8(multiply_shift);
  out.u8(info_.clock ? has_clock : 0);
  out.u64(info_.seed.value());
  out.i64(info_.clock ? info_.clock->origin().micros : 0);
  out.i64(info_.clock ? info_.clock->resolution().count() : 0);
  out.u32(static_cast<std::uint32_t>(parameters_.written().size()));
  out.u32(static_cast<std::uint32_t>(bodies_.size()));
  out.u64(size());
  out.u64(0);  // the checksum, below
  std::uint64_t offset = head_size();
  for (const body& b : bodies_) {
    out.u32(b.id);
    out.u32(0);
    out.u64(offset);
    out.u64(b.size);
    out.u64(checksum(b.pieces));
    offset += stored_size(b.size);
  }
  out.bytes(parameters_.written());
  std::vector<std::byte> bytes = out.written();
  bytes.resize(head_size());
  store_le64(bytes.data() + checksum_at, checksum(bytes));
  return bytes;
}

byte_pieces container_writer::pieces(std::span<const std::byte> head) const {
  static constexpr std::array<std::byte, 2 * line_bytes> zeros{};
  byte_pieces all{head};
  for (const body& b : bodies_) {
    all.insert(all.end(), b.pieces.begin(), b.pieces.end());
    all.push_back(std::span(zeros).first(stored_size(b.size) - b.size));
  }
  return all;
}

void container_writer::write_to(const byte_sink& sink) const {
  const std::vector<std::byte> first = head();
  for (const auto piece : pieces(first)) sink(piece);
}

std::vector<std::byte> container_writer::bytes() const {
  std::vector<std::byte> all;
  all.reserve(size());
  write_to([&](auto piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

void container_writer::save(const std::filesystem::path& path) const {
  const std::vector<std::byte> first = head();
  replace_file(path, pieces(first));
}

namespace {

// The first 64 bytes, unchecked.
struct fixed_part {
  container_info info;
  std::uint8_t hash = 0;
  std::uint8_t reduction = 0;
  std::uint8_t flags = 0;
  std::uint64_t seed = 0;
  instant clock_origin;
  std::int64_t clock_resolution = 0;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t sections = 0;
  std::uint64_t total = 0;
  std::uint64_t head_checksum = 0;
};

// Magic and version are checked first: no other field has a meaning in an unknown format.
void check_format(byte_reader& in) {
  const auto start = in.bytes(magic.size());
  if (!std::equal(start.begin(), start.end(), std::as_bytes(std::span(magic)).begin())) {
    corrupt("this is not a bloomtime container: it does not start with \\x89BLMT");
  }
  const std::uint16_t version = in.u16();
  if (version == 0) corrupt("a container's format version counts from 1, found 0");
  if (version > format_version) {
    throw error(errc::newer_version, "this container has format version " + to_string(version) +
                                         ", and this bloomtime reads up to " +
                                         to_string(format_version) +
                                         ": update bloomtime to read it");
  }
}

fixed_part read_fixed(std::span<const std::byte> bytes) {
  if (bytes.size() < fixed_size) {
    throw error(errc::truncated, "a bloomtime container has at least " + to_string(fixed_size) +
                                     " bytes, this has " + to_string(bytes.size()));
  }
  byte_reader in(bytes.first(fixed_size));
  check_format(in);
  fixed_part fixed;
  fixed.info.family = static_cast<bloomtime::family>(in.u8());
  fixed.info.engine = in.u8();
  fixed.info.layout = in.u8();
  fixed.hash = in.u8();
  fixed.reduction = in.u8();
  fixed.flags = in.u8();
  fixed.seed = in.u64();
  fixed.clock_origin = instant(in.i64());
  fixed.clock_resolution = in.i64();
  fixed.parameter_bytes = in.u32();
  fixed.sections = in.u32();
  fixed.total = in.u64();
  fixed.head_checksum = in.u64();
  return fixed;
}

// Checks sizes before contents: afterwards every byte of the head may be read.
void check_sizes(const fixed_part& fixed, std::uint64_t size) {
  if (fixed.sections > max_sections || fixed.parameter_bytes > max_parameter_bytes) {
    corrupt("a container has at most " + to_string(max_sections) + " sections and " +
            to_string(max_parameter_bytes) + " parameter bytes, this names " +
            to_string(fixed.sections) + " and " + to_string(fixed.parameter_bytes));
  }
  const std::uint64_t least = head_size_for(fixed.parameter_bytes, fixed.sections);
  const std::uint64_t needed = std::max(fixed.total, least);
  if (needed > size) {
    throw error(errc::truncated, "this container says it has " + to_string(needed) +
                                     " bytes, but only " + to_string(size) + " are there");
  }
  if (fixed.total != size) {
    corrupt("this container says it has " + to_string(fixed.total) + " bytes, and " +
            to_string(size) + " are there");
  }
}

hash_seed read_seed(const fixed_part& fixed) {
  const auto id = static_cast<hash_id>(fixed.hash);
  const bool known = id == hash_id::xxh3_128 || id == hash_id::short_128;
  if (!known || fixed.reduction != multiply_shift) {
    throw error(errc::unknown_kind,
                "this container uses hash " + to_string(fixed.hash) + " and reduction " +
                    to_string(fixed.reduction) +
                    ", and this bloomtime knows hashes 1 and 2 and reduction 1");
  }
  return {fixed.seed, id};
}

std::optional<tick_clock> read_clock(const fixed_part& fixed) {
  if (fixed.flags > has_clock) {
    corrupt("unknown flags in the head of this container: " + to_string(fixed.flags));
  }
  if (fixed.flags == 0) {
    if (fixed.clock_origin.micros != 0 || fixed.clock_resolution != 0) {
      corrupt("a container without a clock must leave the clock's fields zero");
    }
    return {};
  }
  if (fixed.clock_resolution <= 0) {
    corrupt("a clock's resolution is at least one microsecond, found " +
            std::to_string(fixed.clock_resolution));
  }
  return tick_clock(std::chrono::microseconds(fixed.clock_resolution), fixed.clock_origin);
}

}  // namespace

container_view container_view::parse(std::span<const std::byte> bytes) {
  const fixed_part fixed = read_fixed(bytes);
  check_sizes(fixed, bytes.size());
  const std::size_t head_size = head_size_for(fixed.parameter_bytes, fixed.sections);
  if (head_checksum(bytes.first(head_size)) != fixed.head_checksum) {
    corrupt("the head of this container does not match its checksum: the file was damaged");
  }
  container_view view;
  view.info_ = fixed.info;
  view.info_.seed = read_seed(fixed);
  view.identity_ = fixed.head_checksum;
  view.info_.clock = read_clock(fixed);
  view.read_directory(bytes, head_size, fixed.sections);
  view.parameters_ = bytes.subspan(fixed_size + fixed.sections * entry_size, fixed.parameter_bytes);
  if (!all_zero(bytes.subspan(0, head_size)
                    .subspan(fixed_size + fixed.sections * entry_size + fixed.parameter_bytes))) {
    corrupt("the padding after the parameters is not zero");
  }
  return view;
}

// Ids ascend and bodies are in the order of the directory, each directly after the one before. So
// sections cannot overlap or point outside, and there are no unused bytes between them.
void container_view::read_directory(std::span<const std::byte> bytes, std::size_t head_size,
                                    std::uint32_t count) {
  byte_reader in(bytes.subspan(fixed_size, count * entry_size));
  std::uint64_t expected = head_size;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t id = in.u32();
    const std::uint32_t reserved = in.u32();
    const std::uint64_t offset = in.u64();
    const std::uint64_t length = in.u64();
    const std::uint64_t sum = in.u64();
    const std::uint64_t room = bytes.size() - expected;
    if (reserved != 0 || offset != expected || length > room || stored_size(length) > room) {
      corrupt("section " + to_string(i) + " of this container does not fit where it should stand");
    }
    if (i > 0 && id <= entries_.back().id) {
      corrupt("the section ids of a container must ascend, found " + to_string(id) + " after " +
              to_string(entries_.back().id));
    }
    const auto stored = bytes.subspan(offset, stored_size(length));
    entries_.push_back({id, stored.first(length), stored.subspan(length), sum});
    expected += stored_size(length);
  }
  if (expected != bytes.size()) corrupt("there are bytes after the last section");
}

std::span<const std::byte> container_view::section(std::uint32_t id) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [id](const entry& e) { return e.id == id; });
  if (found == entries_.end()) corrupt("this container lacks its section " + to_string(id));
  return found->body;
}

std::span<const std::byte> container_view::section(std::uint32_t id, std::uint64_t length) const {
  const auto body = section(id);
  if (body.size() != length) {
    corrupt("section " + to_string(id) + " of this container should have " + to_string(length) +
            " bytes and has " + to_string(body.size()));
  }
  return body;
}

void container_view::refuse_kind(std::string_view expected) const {
  throw error(errc::unknown_kind, "expected " + std::string(expected) + ", found family " +
                                      to_string(static_cast<std::uint8_t>(info_.family)) +
                                      ", engine " + to_string(info_.engine));
}

void container_view::expect_sections(std::size_t count) const {
  if (entries_.size() != count) {
    corrupt("this container should have " + to_string(count) + " sections and has " +
            to_string(entries_.size()));
  }
}

void container_view::verify() const {
  for (const entry& e : entries_) {
    if (checksum(e.body) != e.checksum) {
      corrupt("section " + to_string(e.id) +
              " of this container does not match its checksum: the file was damaged");
    }
    if (!all_zero(e.padding))
      corrupt("the padding after section " + to_string(e.id) + " is not zero");
  }
}

}  // namespace detail
}  // namespace bloomtime
