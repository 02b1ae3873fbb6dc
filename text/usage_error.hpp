#pragma once

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <bloomtime/error.hpp>

namespace bloomtime::text {

// The command line is wrong. what() is the message to print; it says how to fix it.
class usage_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws a usage_error with this message.
template <class... Values>
[[noreturn]] void refuse(fmt::format_string<Values...> message, Values&&... values) {
  throw usage_error(fmt::format(message, std::forward<Values>(values)...));
}

// Throws a bloomtime::error with this message.
template <class... Values>
[[noreturn]] void throw_error(errc code, fmt::format_string<Values...> message,
                              Values&&... values) {
  throw error(code, fmt::format(message, std::forward<Values>(values)...));
}

// The same for data that is damaged or contradicts itself.
template <class... Values>
[[noreturn]] void corrupt(fmt::format_string<Values...> message, Values&&... values) {
  throw error(errc::corrupt, fmt::format(message, std::forward<Values>(values)...));
}

}  // namespace bloomtime::text
