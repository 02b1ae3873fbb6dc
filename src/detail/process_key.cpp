#include <bloomtime/detail/process_key.hpp>

#include <exception>
#include <random>

#include <bloomtime/digest.hpp>

namespace bloomtime::detail {
namespace {

std::uint64_t drawn() noexcept {
  try {
    std::random_device source;
    return (std::uint64_t{source()} << 32) ^ source();
  } catch (const std::exception&) {
    // Without a source of randomness, uses the address of the stack.
    const int here = 0;
    return mix(reinterpret_cast<std::uintptr_t>(&here));
  }
}

}  // namespace

std::uint64_t process_key() noexcept {
  static const std::uint64_t key = drawn();
  return key;
}

}  // namespace bloomtime::detail
