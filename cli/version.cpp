#include "cli/version.hpp"

#include <string>

#include <fmt/format.h>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/cpu.hpp>
#include <bloomtime/version.hpp>

namespace bloomtime::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

void print_version(const printer& out) {
  const bool avx2 = detail::cpu_has_avx2();
  if (out.how().form == view::json) {
    out.print({.command = "version",
               .fields = {{"version", std::string(version)},
                          {"compiler", compiler()},
                          {"avx2", avx2},
                          {"format_version", std::uint64_t{detail::format_version}}},
               .tables = {}});
    return;
  }
  // The same line for people and programs, because scripts cut it.
  out.print(fmt::format("bloomtime {} ({}, bulk calls {}, file format {})\n", version, compiler(),
                        avx2 ? "with AVX2" : "without AVX2", detail::format_version));
}

}  // namespace bloomtime::cli
