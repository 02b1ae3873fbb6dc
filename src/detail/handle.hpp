#pragma once

#include <bloomtime/detail/handle.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

// The members of detail::handle, for the .cpp files that instantiate it.
namespace bloomtime::detail {

// -- names -------------------------------------------------------------------------------------

template <class Engines>
inline constexpr std::nullptr_t names = nullptr;
template <class... Engine>
inline constexpr std::array<std::string_view, sizeof...(Engine)> names<std::variant<Engine...>>{
    Engine::name...};

inline std::string listed(std::span<const std::string_view> all) {
  std::string list;
  for (const std::string_view name : all) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

template <class Handle, class Engines>
std::span<const std::string_view> handle<Handle, Engines>::engines() noexcept {
  return names<Engines>;
}

template <class Handle, class Engines>
std::string_view handle<Handle, Engines>::engine() const noexcept {
  return names<Engines>[engine_.index()];
}

template <class Handle, class Engines>
void handle<Handle, Engines>::unsupported(std::string_view act) const {
  throw error(errc::unsupported, "a " + std::string(engine()) + " cannot " + std::string(act));
}

// -- making ------------------------------------------------------------------------------------

// Calls use(std::type_identity<Engine>) for the engines in order, until one returns a value.
template <class Use, class... Engine>
auto first_of(std::type_identity<std::variant<Engine...>>, Use&& use) {
  std::optional<std::variant<Engine...>> found;
  (void)((found = use(std::type_identity<Engine>())) || ...);
  return found;
}

template <class Handle, class Engines>
template <class Make>
Handle handle<Handle, Engines>::make_named(std::string_view name, Make&& make) {
  auto made =
      first_of(std::type_identity<Engines>(), [&]<class Engine>(std::type_identity<Engine> type) {
        std::optional<Engines> engine;
        if (name == Engine::name) engine = make(type);
        return engine;
      });
  if (made) return Handle(*std::move(made));
  throw error(errc::invalid_argument, "there is no engine '" + std::string(name) +
                                          "' in this family; the engines are " + listed(engines()));
}

[[noreturn]] inline void refuse_parameter(std::string_view engine, std::string_view name) {
  throw error(errc::invalid_argument,
              std::string(engine) + " has no parameter " + std::string(name) + "; leave it out");
}

[[noreturn]] inline void require_parameter(std::string_view engine, std::string_view name) {
  throw error(errc::invalid_argument,
              std::string(engine) + " needs the parameter " + std::string(name));
}

// Copies a parameter from `given`, the configuration of all engines, to `own`, that of one. If it
// is set there and has no place here, the engine does not have it.
#define BLOOMTIME_PASS_PARAMETER(given, own, engine, parameter)     \
  if (given.parameter) {                                            \
    if constexpr (requires { own.parameter = *given.parameter; }) { \
      own.parameter = *given.parameter;                             \
    } else {                                                        \
      detail::refuse_parameter(engine, #parameter);                 \
    }                                                               \
  }

// -- calls -------------------------------------------------------------------------------------

template <class Handle, class Engines>
const hash_seed& handle<Handle, Engines>::seed() const noexcept {
  return std::visit([](const auto& e) -> const hash_seed& { return e.seed(); }, engine_);
}

template <class Handle, class Engines>
std::optional<instant> handle<Handle, Engines>::newest() const noexcept {
  return std::visit(
      [](const auto& e) -> std::optional<instant> {
        if constexpr (requires { e.newest(); }) return e.newest();
        return std::nullopt;
      },
      engine_);
}

template <class Handle, class Engines>
const losses& handle<Handle, Engines>::losses() const noexcept {
  return std::visit([](const auto& e) -> const bloomtime::losses& { return e.losses(); }, engine_);
}

template <class Handle, class Engines>
std::uint64_t handle<Handle, Engines>::memory() const noexcept {
  return std::visit([](const auto& e) { return e.memory(); }, engine_);
}

template <class Handle, class Engines>
void handle<Handle, Engines>::advance(instant now) noexcept {
  std::visit(
      [&](auto& e) {
        if constexpr (requires { e.advance(now); }) e.advance(now);
      },
      engine_);
}

template <class Handle, class Engines>
void handle<Handle, Engines>::clear() {
  std::visit([](auto& e) { e.clear(); }, engine_);
}

template <class Handle, class Engines>
template <class Engine>
const Engine& handle<Handle, Engines>::same(const Handle& other) const {
  if (const Engine* const theirs = std::get_if<Engine>(&other.engine_)) return *theirs;
  throw error(errc::incompatible, "a " + std::string(engine()) + " cannot be merged with a " +
                                      std::string(other.engine()) + "; use one engine for both");
}

template <class Handle, class Engines>
void handle<Handle, Engines>::merge(const Handle& other) {
  std::visit(
      [&]<class Engine>(Engine& e) {
        const Engine& theirs = same<Engine>(other);
        if constexpr (requires { e.merge(theirs); }) {
          e.merge(theirs);
        } else {
          unsupported("be merged");
        }
      },
      engine_);
}

template <class Handle, class Engines>
Handle handle<Handle, Engines>::part(const shard& s) const {
  return std::visit(
      [&]<class Engine>(const Engine& e) -> Handle {
        if constexpr (requires { e.part(s); }) {
          return Handle(e.part(s));
        } else {
          unsupported("be divided into shards");
        }
      },
      engine_);
}

template <class Handle, class Engines>
std::uint32_t handle<Handle, Engines>::shard_of(digest d, std::uint32_t shards) const {
  const shard any{0, shards};
  check(any);
  return std::visit(
      [&]<class Engine>(const Engine& e) -> std::uint32_t {
        if constexpr (requires { e.shard_of(d, any); }) {
          return e.shard_of(d, any);
        } else {
          unsupported("be divided into shards");
        }
      },
      engine_);
}

// A copy owns new memory.
template <class Handle, class Engines>
void handle<Handle, Engines>::relocate() {
  engine_ = engines_type(std::as_const(engine_));
}

// How many of n further items fit into an engine that has `present` ones before its answers are
// wrong with a probability above `error`. The steps double at first, because the error of far too
// many items takes long to compute.
template <class Engine>
std::uint64_t room_in(const Engine& engine, double present, std::uint64_t n, double error) {
  if (error >= 1) return n;
  if (!(present < 0x1p63)) return 0;
  const auto now = static_cast<std::uint64_t>(std::ceil(present));
  const auto fits = [&](std::uint64_t more) {
    return more <= n && more <= ~std::uint64_t{0} - now &&
           engine.predicted_error(now + more) <= error;
  };
  std::uint64_t room = 0;
  std::uint64_t step = 1;
  for (; step != 0 && fits(room + step); step *= 2) room += step;
  for (; step > 0; step /= 2) {
    if (fits(room + step)) room += step;
  }
  return room;
}

// -- facts -------------------------------------------------------------------------------------

inline double seconds(std::chrono::microseconds span) {
  return static_cast<double>(span.count()) / 1e6;
}

inline void append(std::vector<fact>& facts, std::vector<fact> more) {
  std::move(more.begin(), more.end(), std::back_inserter(facts));
}

// The family and the name of an engine, and the result of facts_of(), which its family defines.
template <class Engine>
std::vector<fact> describe_engine(const Engine& e, effort most) {
  std::vector<fact> facts{{"family", std::string(name_of(Engine::kind.family))},
                          {"engine", std::string(Engine::name)}};
  append(facts, facts_of(e, most));
  return facts;
}

template <class Handle, class Engines>
std::vector<fact> handle<Handle, Engines>::describe() const {
  return std::visit([](const auto& e) { return describe_engine(e, effort::constant); }, engine_);
}

template <class Handle, class Engines>
std::vector<fact> handle<Handle, Engines>::examine() const {
  return std::visit([](const auto& e) { return describe_engine(e, effort::scan); }, engine_);
}

template <class Handle, class Engines>
std::uint64_t handle<Handle, Engines>::identity() const {
  return container_view::parse(serialize()).identity();
}

// -- storage -----------------------------------------------------------------------------------

template <class Handle, class Engines>
std::vector<std::byte> handle<Handle, Engines>::serialize() const {
  return std::visit([](const auto& e) { return e.serialize(); }, engine_);
}

template <class Handle, class Engines>
std::uint64_t handle<Handle, Engines>::serialized_size() const {
  return std::visit([](const auto& e) { return e.serialized_size(); }, engine_);
}

template <class Handle, class Engines>
void handle<Handle, Engines>::write_to(const byte_sink& sink) const {
  std::visit([&](const auto& e) { e.write_to(sink); }, engine_);
}

template <class Handle, class Engines>
void handle<Handle, Engines>::save(const std::filesystem::path& path) const {
  std::visit([&](const auto& e) { e.save(path); }, engine_);
}

// Whether an engine reads this kind of container. Engines that share an id have reads(), which says
// whether the container is theirs.
template <class Engine>
bool reads(const container_view& view) {
  if (!Engine::kind.accepts(view.info())) return false;
  if constexpr (requires { Engine::reads(view); }) return Engine::reads(view);
  return true;
}

// The engine that reads the container; nothing if none does.
template <class Engines>
std::optional<Engines> load_engine(const container_view& view,
                                   std::span<const std::byte> container) {
  return first_of(std::type_identity<Engines>(), [&]<class Engine>(std::type_identity<Engine>) {
    std::optional<Engines> engine;
    if (reads<Engine>(view)) engine = Engine::load(container);
    return engine;
  });
}

template <class Handle, class Engines>
Handle handle<Handle, Engines>::load(std::span<const std::byte> container) {
  const auto view = container_view::parse(container);
  if (auto engine = load_engine<Engines>(view, container)) return Handle(*std::move(engine));
  view.refuse_kind("one of the engines " + listed(engines()));
}

template <class Handle, class Engines>
Handle handle<Handle, Engines>::load(const std::filesystem::path& path) {
  return load(mapped_file::open(path)->bytes());
}

template <class Handle, class Engines>
void handle<Handle, Engines>::verify(std::span<const std::byte> container) {
  (void)load(container);
}

template <class Handle, class... Engine>
std::optional<mapped<Handle>> map_engine(std::type_identity<std::variant<Engine...>>,
                                         const container_view& view,
                                         const std::filesystem::path& path) {
  std::optional<mapped<Handle>> found;
  (void)((reads<Engine>(view) && (found.emplace(Engine::map(path)), true)) || ...);
  return found;
}

template <class Handle, class Engines>
mapped<Handle> handle<Handle, Engines>::map(const std::filesystem::path& path) {
  const auto file = mapped_file::open(path);
  const auto view = container_view::parse(file->bytes());
  if (auto found = map_engine<Handle>(std::type_identity<Engines>(), view, path)) {
    return *std::move(found);
  }
  view.refuse_kind("one of the engines " + listed(engines()));
}

}  // namespace bloomtime::detail
