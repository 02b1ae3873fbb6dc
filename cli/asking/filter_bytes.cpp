#include "cli/asking/filter_bytes.hpp"

#include <bloomtime/any.hpp>
#include <bloomtime/detail/file.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/text.hpp"
#include "store/roles.hpp"

namespace bloomtime::cli {
namespace {

filter_bytes copied(std::span<const std::byte> bytes) {
  expect_filter(bytes);
  return {detail::container_view::parse(bytes).info().family, {bytes.begin(), bytes.end()}};
}

filter_bytes in_file(const std::string& path) {
  try {
    const auto file = detail::mapped_file::open(path);
    return copied(deduper::is_state(file->bytes()) ? deduper::filter_in(file->bytes())
                                                   : file->bytes());
  } catch (const error& e) {
    throw error(e.code(), with_path(path, e.what()));
  }
}

std::string role_of(const std::string& family, const std::string& field) {
  return family == "heat"      ? store::heat_role(field)
         : family == "history" ? store::history_role(field)
                               : store::tally_role(field);
}

filter_bytes in_store(const std::string& path, const std::string& family,
                      const std::string& typed_field) {
  const opened_store store(path);
  const std::vector<std::string>& fields = store.read().items;
  const std::string& field = fields[chosen_field(fields, typed_field)];
  const bool is_tally = store.parts().has(store::tally_role(field));
  if (family.empty() && !is_tally) {
    refuse("{} has several filters; choose one with --family heat or --family history", path);
  }
  const std::string role = role_of(is_tally && family.empty() ? "tally" : family, field);
  if (!store.parts().has(role)) {
    refuse("{} has no {} of {}; it was made by bloomtime {}", path, family, shown(field),
           is_tally ? "tally" : "profile");
  }
  return copied(store.parts().container(role)->bytes());
}

}  // namespace

filter_bytes read_filter(const std::string& path, const std::string& family,
                         const std::string& field) {
  if (store::is_folder(path)) return in_store(path, family, field);
  if (!family.empty() || !field.empty()) {
    refuse("--family and --field choose a filter of a store, and {} is a file", path);
  }
  return in_file(path);
}

void expect_filter(std::span<const std::byte> bytes) { (void)load_any(bytes); }

}  // namespace bloomtime::cli
