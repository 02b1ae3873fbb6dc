#include "store/inspect.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include <bloomtime/any.hpp>

#include "store/ledger.hpp"
#include "store/manifest.hpp"
#include "store/names.hpp"
#include "store/profile_heat.hpp"
#include "store/reader.hpp"
#include "store/web_totals.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
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
  std::error_code ignored;
  for (const std::string& name : file_names(directory, ignored)) {
    if (is_disposable_name(name) && !m.names(name)) all.push_back({directory / name, "", true});
  }
  return all;
}

using bytes_of_part = std::span<const std::byte>;

void check_ledger(bytes_of_part bytes, const manifest& m) {
  const std::size_t fields = ledger::load(bytes).fields.size();
  if (fields == m.read.items.size()) return;
  text::corrupt("this ledger counts {} items, and the manifest names {}", fields,
                m.read.items.size());
}

// Loads the structure that a profile has under this role.
void check_container(const part& p, bytes_of_part bytes, const manifest& m) {
  if (p.role == ledger_role) return check_ledger(bytes, m);
  if (p.role == web_role && m.find(ledger_role) != nullptr) return (void)web_totals::load(bytes);
  for (const std::string& item : m.read.items) {
    if (p.role == heat_role(item)) return (void)profile_heat::load(bytes);
    if (p.role == hot_role(item)) return (void)hot_list::load(bytes);
    if (p.role == history_role(item)) return (void)history::load(bytes);
    if (p.role == totals_role(item)) return (void)profile_totals::load(bytes);
    if (p.role == largest_role(item)) return (void)hot_list::load(bytes);
  }
  (void)load_any(bytes);
  if (m.find(ledger_role) == nullptr) return;
  text::corrupt("a profile of these items has no container {}", text::shown(p.role));
}

// A history may be missing: there were profiles before there were histories. So may totals, but
// not without their names.
std::string problem_of(const manifest& m) {
  if (m.find(ledger_role) == nullptr) return "";
  for (const std::string& item : m.read.items) {
    for (const std::string& role : {heat_role(item), hot_role(item)}) {
      if (m.find(role) != nullptr) continue;
      return fmt::format("the manifest has no container {}", text::shown(role));
    }
    if ((m.find(totals_role(item)) == nullptr) != (m.find(largest_role(item)) == nullptr)) {
      return fmt::format("the manifest has only one of the containers {} and {}",
                         text::shown(totals_role(item)), text::shown(largest_role(item)));
    }
  }
  return "";
}

void check_totals(bytes_of_part bytes, const manifest& m) {
  const std::uint64_t events = minute_totals::load(bytes).events();
  if (m.find(ledger_role) == nullptr || events == m.read.records) return;
  text::corrupt("these totals have {} events, and the manifest {} records", events, m.read.records);
}

std::vector<finding> look_at(const fs::path& directory, const manifest& m) {
  std::vector<finding> all{{directory / manifest_name, problem_of(m)}};
  for (const part& p : m.containers) {
    all.push_back(
        checked(directory, p, [&](bytes_of_part bytes) { check_container(p, bytes, m); }));
  }
  all.push_back(checked(directory, m.totals, [&](bytes_of_part bytes) { check_totals(bytes, m); }));
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

}  // namespace bloomtime::store
