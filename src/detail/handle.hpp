#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/error.hpp>

// What run-time handles over a std::variant of engines have in common.
namespace bloomtime::detail {

// Whether the container is this Engine's. Engines that share an id have reads() to tell.
template <class Engine>
bool reads(const container_view& view) {
  if (!Engine::kind.accepts(view.info())) return false;
  if constexpr (requires { Engine::reads(view); }) {
    return Engine::reads(view);
  } else {
    return true;
  }
}

// Loads the first alternative, from I on, that reads the container; nothing if none does.
template <class Variant, std::size_t I = 0>
std::optional<Variant> load_alternative(const container_view& view,
                                        std::span<const std::byte> container) {
  if constexpr (I == std::variant_size_v<Variant>) {
    return std::nullopt;
  } else {
    using engine = std::variant_alternative_t<I, Variant>;
    if constexpr (requires { engine::kind.accepts(view.info()); }) {
      if (reads<engine>(view)) return engine::load(container);
    }
    return load_alternative<Variant, I + 1>(view, container);
  }
}

template <class Variant, std::size_t... I>
constexpr auto names_of(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{
      std::variant_alternative_t<I, Variant>::name...};
}
// The names of all alternatives, in their order.
template <class Variant>
inline constexpr auto names =
    names_of<Variant>(std::make_index_sequence<std::variant_size_v<Variant>>());

struct parameter {
  std::string_view name;
  bool given;
};

// Throws error(invalid_argument) if one of these was given, which the engine does not have.
inline void refuse_given(std::string_view engine, std::initializer_list<parameter> parameters) {
  for (const parameter& p : parameters) {
    if (!p.given) continue;
    throw error(errc::invalid_argument, std::string(engine) + " has no parameter " +
                                            std::string(p.name) + "; leave it out");
  }
}

[[noreturn]] inline void refuse_engine(std::string_view family, std::string_view asked,
                                       std::span<const std::string_view> engines) {
  std::string list;
  for (const std::string_view name : engines)
    list += (list.empty() ? "" : ", ") + std::string(name);
  throw error(errc::invalid_argument, "the engines of family " + std::string(family) + " are " +
                                          list + "; got " + std::string(asked));
}

}  // namespace bloomtime::detail
