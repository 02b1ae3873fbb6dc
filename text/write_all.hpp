#pragma once

#include <cerrno>
#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace bloomtime::text {

struct write_result {
  std::size_t written = 0;  // bytes that were accepted
  int reason = 0;           // the error number if not all were; else 0
};

inline write_result write_most(int descriptor, std::string_view text) noexcept {
  write_result done;
  while (done.written < text.size()) {
    const ssize_t n = ::write(descriptor, text.data() + done.written, text.size() - done.written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      done.reason = errno;
      break;
    }
    done.written += static_cast<std::size_t>(n);
  }
  return done;
}

// 0, or the error number if not all could be written.
inline int write_all(int descriptor, std::string_view text) noexcept {
  return write_most(descriptor, text).reason;
}

}  // namespace bloomtime::text
