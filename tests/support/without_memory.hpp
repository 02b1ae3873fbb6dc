#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <bloomtime/error.hpp>

#include "support/allocations.hpp"

namespace bloomtime::support {

// Runs `attempt` with ever more allocations granted until one run succeeds. Each failed run must
// say that memory is out, leave `subject` as it was, and leak nothing.
template <class Subject, class Attempt>
void expect_no_change_without_memory(const Subject& subject, Attempt&& attempt) {
  const std::vector<std::byte> before = subject.serialize();
  allocations watch;
  for (std::size_t granted = 0;; ++granted) {
    ASSERT_LT(granted, 100u);
    watch.refuse_after(granted);
    const std::size_t live = watch.live();
    try {
      attempt();
      EXPECT_GE(granted, 1u) << "nothing was ever refused";
      return;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << e.what();
    }
    EXPECT_EQ(watch.live(), live);
    ASSERT_TRUE(subject.serialize() == before) << "after " << granted << " allocations";
  }
}

}  // namespace bloomtime::support
