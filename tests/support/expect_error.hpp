#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <bloomtime/error.hpp>

namespace bloomtime::support {

// What the action threw must be a bloomtime::error with this code, and a sentence that names
// `mention`.
template <class Action>
void expect_error(errc code, Action&& action, std::string_view mention = "") {
  try {
    action();
    ADD_FAILURE() << "expected an error, nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(mention), std::string_view::npos)
        << '"' << e.what() << "\" does not mention \"" << mention << '"';
  }
}

}  // namespace bloomtime::support
