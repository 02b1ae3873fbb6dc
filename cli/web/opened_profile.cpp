#include "cli/web/opened_profile.hpp"

#include "cli/asking/opened_store.hpp"

namespace bloomtime::cli {
namespace {

const store::facts& facts_in(const store::reader& parts, const std::string& directory) {
  expect_profile(parts.about(), directory);
  return parts.about().read;
}

}  // namespace

opened_profile::opened_profile(const std::string& directory)
    : opened_profile(directory, store::reader(directory)) {}

opened_profile::opened_profile(const std::string& directory, const store::reader& parts)
    : what_{.files = {directory},
            .read = facts_in(parts, directory),
            .counts = {},
            .records_before = 0,
            .store = directory},
      profile_(profile::profiler::load(parts, what_.read, profile::profiler::wanted::everything)),
      totals_(parts.totals()) {
  profile_.include_held(profile_.newest().value_or(instant()));
}

}  // namespace bloomtime::cli
