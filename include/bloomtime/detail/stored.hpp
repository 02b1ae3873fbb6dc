#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/mapped.hpp>

// How every engine is stored. An engine says once what it consists of:
//
//   static constexpr detail::stored_kind kind{family::tally, {4}, "a tally filter"};
//   void write(detail::container_writer& out) const;                // fills in info and sections
//   static tally_filter read(const detail::container_view& view);   // checks parameters and bodies
//
// All three may be private if stored<Engine> is a friend. detail/storing.hpp defines the members;
// the engine's own .cpp includes it and instantiates stored<Engine>.
namespace bloomtime::detail {

struct stored_kind {
  bloomtime::family family;
  std::array<std::uint8_t, 4> engines;  // every id that read() accepts; the rest are 0
  std::string_view called;              // "a heat filter", for messages
  // Whether read() leaves its cells in the bytes of the container and checks only their lengths.
  // Such an engine also has `void expect_sound() const`, which checks the cells themselves.
  bool in_place = false;

  constexpr bool accepts(const container_info& info) const noexcept {
    if (info.family != family || info.engine == 0) return false;
    for (const std::uint8_t id : engines) {
      if (info.engine == id) return true;
    }
    return false;
  }
};

// Throws error(corrupt): the parameters of "a heat filter" (`called`) contradict each other.
[[noreturn]] void refuse_parameters(std::string_view called);

template <class Engine>
class stored {
 public:
  std::vector<std::byte> serialize() const;
  std::uint64_t serialized_size() const;
  // Hands the same bytes to `sink`, piece by piece and in order.
  void write_to(const byte_sink& sink) const;
  // What is written, for a container that has this one inside. It refers to the engine.
  container_writer container() const;
  // Replaces the file as a whole or not at all.
  void save(const std::filesystem::path& path) const;

  // The only decoder. It checks everything before it allocates memory for cells.
  static Engine load(std::span<const std::byte> container);
  static Engine load(const std::filesystem::path& path);
  // Throws what load() would throw, without keeping anything.
  static void verify(std::span<const std::byte> container);
  // Answers from the file itself if the engine can; only the head is checked then. Engines that
  // cannot are loaded.
  static mapped<Engine> map(const std::filesystem::path& path);

 protected:
  stored() noexcept = default;
  stored(const stored&) noexcept = default;
  stored& operator=(const stored&) noexcept = default;
  ~stored() = default;

  // For read() and expect_sound().
  [[noreturn]] static void contradict() { refuse_parameters(Engine::kind.called); }
  static void expect(bool consistent) {
    if (!consistent) contradict();
  }

  // What map() does, with bytes that the caller keeps alive.
  static Engine view(std::span<const std::byte> container);

 private:
  static Engine checked(std::span<const std::byte> container);
};

}  // namespace bloomtime::detail
