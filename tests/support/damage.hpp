#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include <bloomtime/error.hpp>

namespace bloomtime::support {

// Expects that load() accepts the container, and refuses it with any byte changed or cut off.
template <class Engine>
void expect_damage_refused(const std::vector<std::byte>& good) {
  EXPECT_TRUE(Engine::load(good).serialize() == good);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_THROW((void)Engine::load(bad), error) << i;
    EXPECT_THROW((void)Engine::load(std::span(good).first(i)), error) << i;
  }
}

}  // namespace bloomtime::support
