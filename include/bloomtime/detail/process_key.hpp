#pragma once

#include <cstdint>

namespace bloomtime::detail {

// 64 random bits, drawn once per process. Hash tables in memory mix them into the position of an
// entry, so crafted items cannot collide on purpose. Nothing that is stored or answered may depend
// on them.
std::uint64_t process_key() noexcept;

}  // namespace bloomtime::detail
