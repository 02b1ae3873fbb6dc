#pragma once

#include <cstdint>
#include <string>

#include "api.hpp"

// The module's configuration, `bloomtime.*`, at start and by CONFIG SET.
namespace bloomtime::redis {

struct settings {
  std::uint64_t max_object_bytes = std::uint64_t{128} << 20;
  double error_rate = 0.001;
  std::uint64_t capacity = 1'000'000;
  std::uint64_t halflife_ms = 3'600'000;
  std::uint64_t window_ms = 600'000;
  std::uint64_t granularity_ms = 1'000;
  std::uint64_t max_future_skew_ms = 60'000;
  bool random_seed = true;
  bool defrag = true;
};

const settings& configured() noexcept;

// False if the server refuses one of them.
bool register_settings(rm::Ctx* ctx);

}  // namespace bloomtime::redis
