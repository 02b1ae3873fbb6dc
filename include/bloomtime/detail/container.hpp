#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

// The file format, described in docs/FORMAT.md: a head (fixed part, directory, parameters) and
// sections. Files, Redis values and chunks in transit are all containers.
namespace bloomtime {

// Totals are not a filter: a store keeps exact counts per minute in such a container.
enum class family : std::uint8_t {
  bloom = 1,
  heat = 2,
  history = 3,
  recency = 4,
  tally = 5,
  totals = 6
};

std::string_view name_of(family f) noexcept;

// Takes bytes in order, a piece at a time.
using byte_sink = std::function<void(std::span<const std::byte>)>;

}  // namespace bloomtime

namespace bloomtime::detail {

inline constexpr std::uint16_t format_version = 1;

// The seed of containers that hash nothing: totals and the state of a command. They were written
// with hash 1 before there was another, and an older bloomtime still reads them.
inline constexpr hash_seed no_hash{0, hash_id::xxh3_128};

// The fixed part of every container. Engine ids count from 1 within a family; ids are added, and
// never change their meaning.
struct container_info {
  bloomtime::family family{};
  std::uint8_t engine = 0;
  std::uint8_t layout = 0;  // 0 if the engine has no layout of cells
  hash_seed seed = 0;
  std::optional<tick_clock> clock;

  friend bool operator==(const container_info&, const container_info&) = default;
};

// Collects parameters and sections, then writes them at once. Section ids must ascend; otherwise
// writing throws error(invalid_argument).
class container_writer {
 public:
  explicit container_writer(container_info info) : info_(info) {}

  container_writer(const container_writer&) = delete;
  container_writer& operator=(const container_writer&) = delete;
  container_writer(container_writer&&) noexcept = default;
  container_writer& operator=(container_writer&&) noexcept = default;
  ~container_writer() = default;

  container_info& info() noexcept { return info_; }
  byte_writer& parameters() noexcept { return parameters_; }
  // The bytes are not copied and must outlive the writer.
  void section(std::uint32_t id, std::span<const std::byte> bytes) {
    section(id, byte_pieces{bytes});
  }
  // The same for bytes that lie in several places; the section has them one behind the other.
  void section(std::uint32_t id, byte_pieces pieces);
  // The writer keeps these bytes.
  void section(std::uint32_t id, std::vector<std::byte>&& bytes) {
    kept_.push_back(std::move(bytes));
    section(id, std::span<const std::byte>(kept_.back()));
  }
  // Containers, one behind the other. The writer keeps theirs.
  void section(std::uint32_t id, std::vector<container_writer>&& containers);

  std::uint64_t size() const noexcept;
  void write_to(const byte_sink& sink) const;
  std::vector<std::byte> bytes() const;
  void save(const std::filesystem::path& path) const;

 private:
  struct body {
    std::uint32_t id;
    byte_pieces pieces;
    std::uint64_t size;
  };

  bool ids_ascend() const noexcept;
  std::size_t head_size() const noexcept;
  std::vector<std::byte> head() const;
  byte_pieces pieces(std::span<const std::byte> head) const;

  container_info info_;
  byte_writer parameters_;
  std::vector<body> bodies_;
  std::list<std::vector<std::byte>> kept_;
  std::vector<container_writer> inside_;
};

// A view of the bytes of a container. Parsing checks magic, version, kinds, every length, every
// offset and the checksum of the head; verify() checks the bodies.
class container_view {
 public:
  static container_view parse(std::span<const std::byte> bytes);

  const container_info& info() const noexcept { return info_; }
  // The checksum of the head, which contains those of all bodies: it identifies the contents.
  std::uint64_t identity() const noexcept { return identity_; }
  byte_reader parameters() const noexcept { return byte_reader(parameters_); }

  // The section with this id and exactly this length.
  std::span<const std::byte> section(std::uint32_t id, std::uint64_t length) const;
  // The section with this id, of any length.
  std::span<const std::byte> section(std::uint32_t id) const;
  // Throws error(unknown_kind): `expected` ("a heat filter") is not what the container holds.
  [[noreturn]] void refuse_kind(std::string_view expected) const;
  // Throws unless there are exactly the sections that the engine knows: others would be lost
  // silently.
  void expect_sections(std::size_t count) const;

  // Throws error(corrupt) unless every section has its checksum and all padding is zero.
  void verify() const;

 private:
  struct entry {
    std::uint32_t id;
    std::span<const std::byte> body;
    std::span<const std::byte> padding;
    std::uint64_t checksum;
  };

  void read_directory(std::span<const std::byte> bytes, std::size_t head_size, std::uint32_t count);

  container_info info_;
  std::uint64_t identity_ = 0;
  std::span<const std::byte> parameters_;
  std::vector<entry> entries_;
};

}  // namespace bloomtime::detail
