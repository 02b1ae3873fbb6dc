#pragma once

#include <cstdint>

namespace bloomtime::detail {

// 64 random bits, drawn once per process. Hash tables in memory mix them into the place of an
// entry, so that nobody can choose items that all lie in the same places. Nothing that is stored or
// answered may depend on them.
std::uint64_t process_key() noexcept;

}  // namespace bloomtime::detail
