#include "cli/dedupe/state_file.hpp"

#include <array>
#include <span>

#include <unistd.h>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

#include "store/signals_held.hpp"

namespace bloomtime::cli {

state_file::state_file(const std::string& name)
    : name_(name),
      target_(detail::followed(name)),
      lock_(target_.string() + ".lock", "the state " + name) {}

// Still locked, so that nobody can mistake a removed file for the lock.
state_file::~state_file() {
  if (lock_.holds()) ::unlink(lock_.path().c_str());
}

deduper state_file::open(const dedupe_settings& settings) const {
  std::error_code ignored;
  deduper work =
      std::filesystem::exists(target_, ignored) ? load(settings) : deduper::fresh(settings);
  constexpr std::uint64_t head = 4096;
  detail::expect_replaceable(name_, work.memory() + head);
  return work;
}

deduper state_file::load(const dedupe_settings& settings) const {
  try {
    return deduper::load(detail::mapped_file::open(target_)->bytes(), settings, name_);
  } catch (const error& e) {
    const std::string sentence = e.what();
    if (sentence.find(name_) != std::string::npos) throw;
    throw error(e.code(), name_ + ": " + sentence);
  }
}

void state_file::save(const deduper& work) const {
  const store::signals_held calm;
  const auto bytes = work.serialize();
  const std::array<std::span<const std::byte>, 1> pieces{bytes};
  detail::replace_file(name_, pieces);
}

}  // namespace bloomtime::cli
