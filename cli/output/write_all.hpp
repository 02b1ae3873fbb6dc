#pragma once

#include <cerrno>
#include <string_view>

#include <unistd.h>

namespace bloomtime::cli {

// Zero, or the reason for which not all could be written.
inline int write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace bloomtime::cli
