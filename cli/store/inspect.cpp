#include "cli/store/inspect.hpp"

#include <algorithm>
#include <system_error>

#include <bloomtime/any.hpp>

#include "cli/store/ledger.hpp"
#include "cli/store/manifest.hpp"
#include "cli/store/names.hpp"
#include "cli/store/reader.hpp"

namespace bloomtime::cli::store {
namespace {

namespace fs = std::filesystem;

template <class Load>
finding checked(const fs::path& directory, const part& p, Load&& load) {
  try {
    load(open_part(directory, p)->bytes());
    return {directory / p.file, ""};
  } catch (const error& e) {
    return {directory / p.file, e.what()};
  }
}

std::vector<finding> leftovers(const fs::path& directory, const manifest& m) {
  std::vector<finding> all;
  std::error_code problem;
  for (fs::directory_iterator entry(directory, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (is_disposable_name(name) && !m.names(name)) all.push_back({entry->path(), "", true});
  }
  std::sort(all.begin(), all.end(),
            [](const finding& a, const finding& b) { return a.file < b.file; });
  return all;
}

std::vector<finding> look_at(const fs::path& directory, const manifest& m) {
  std::vector<finding> all{{directory / manifest_name, ""}};
  for (const part& p : m.containers) {
    all.push_back(checked(directory, p, [&](auto bytes) {
      if (p.role == ledger_role) {
        (void)ledger::load(bytes);
      } else {
        (void)load_any(bytes);
      }
    }));
  }
  all.push_back(checked(directory, m.totals, [](auto bytes) { (void)minute_totals::load(bytes); }));
  return all;
}

}  // namespace

std::vector<finding> inspect(const fs::path& directory) {
  for (;;) {
    const manifest m = read_manifest(directory);
    std::vector<finding> found = look_at(directory, m);
    const bool sound =
        std::all_of(found.begin(), found.end(), [](const finding& f) { return f.problem.empty(); });
    if (!sound && read_manifest(directory).generation != m.generation) continue;
    for (finding& f : leftovers(directory, m)) found.push_back(std::move(f));
    return found;
  }
}

}  // namespace bloomtime::cli::store
