#pragma once

#include <utility>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/detail/stored.hpp>

// The members of detail::stored, for the .cpp files that instantiate it.
namespace bloomtime::detail {

inline void expect_kind(const container_view& view, const stored_kind& kind) {
  if (!kind.accepts(view.info())) view.refuse_kind(kind.called);
}

template <class Engine>
container_writer stored<Engine>::container() const {
  container_writer out(
      {.family = Engine::kind.family, .engine = Engine::kind.engines[0], .clock = {}});
  static_cast<const Engine&>(*this).write(out);
  return out;
}

template <class Engine>
std::vector<std::byte> stored<Engine>::serialize() const {
  return container().bytes();
}

template <class Engine>
std::uint64_t stored<Engine>::serialized_size() const {
  return container().size();
}

template <class Engine>
void stored<Engine>::write_to(const byte_sink& sink) const {
  container().write_to(sink);
}

template <class Engine>
void stored<Engine>::save(const std::filesystem::path& path) const {
  container().save(path);
}

// May refer to the bytes of the container.
template <class Engine>
Engine stored<Engine>::checked(std::span<const std::byte> container) {
  const auto view = container_view::parse(container);
  expect_kind(view, Engine::kind);
  view.verify();
  Engine engine = Engine::read(view);
  if constexpr (Engine::kind.in_place) engine.expect_sound();
  return engine;
}

template <class Engine>
Engine stored<Engine>::load(std::span<const std::byte> container) {
  Engine engine = checked(container);
  if constexpr (!Engine::kind.in_place) return engine;
  return Engine(std::as_const(engine));  // a copy owns its cells
}

template <class Engine>
Engine stored<Engine>::load(const std::filesystem::path& path) {
  return load(mapped_file::open(path)->bytes());
}

template <class Engine>
void stored<Engine>::verify(std::span<const std::byte> container) {
  (void)checked(container);
}

template <class Engine>
Engine stored<Engine>::view(std::span<const std::byte> container) {
  if constexpr (!Engine::kind.in_place) return load(container);
  const auto view = container_view::parse(container);
  expect_kind(view, Engine::kind);
  return Engine::read(view);
}

template <class Engine>
mapped<Engine> stored<Engine>::map(const std::filesystem::path& path) {
  auto file = mapped_file::open(path);
  Engine engine = view(file->bytes());
  return {std::move(file), std::move(engine)};
}

}  // namespace bloomtime::detail
