#include "cli/asking/filter_bytes.hpp"

#include <algorithm>

#include <bloomtime/any.hpp>
#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/file.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/dedupe/deduper.hpp"
#include "cli/text.hpp"
#include "store/roles.hpp"

namespace bloomtime::cli {
namespace {

filter_bytes copied(std::span<const std::byte> bytes) {
  (void)facts_of_filter(bytes);
  return {detail::container_view::parse(containers_in(bytes).filter).info().family,
          {bytes.begin(), bytes.end()}};
}

filter_bytes in_file(const std::string& path) {
  try {
    const auto file = detail::mapped_file::open(path);
    return copied(holds_dedupe_state(file->bytes()) ? deduper::filter_in(file->bytes())
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

filter_bytes in_store(const std::string& path, const std::string& wanted,
                      const std::string& typed_field) {
  const opened_store store(path);
  const std::vector<std::string>& fields = store.read().items;
  const std::string& field = fields[chosen_field(fields, typed_field)];
  const bool is_tally = store.parts().has(store::tally_role(field));
  if (wanted.empty() && !is_tally) {
    refuse("{} has several filters; choose one with --family heat or --family history", path);
  }
  const std::string role = role_of(wanted.empty() ? "tally" : wanted, field);
  if (!store.parts().has(role)) {
    refuse("{} has no {} of {}; it was made by bloomtime {}", path, wanted, shown(field),
           is_tally ? "tally" : "profile");
  }
  filter_bytes found = copied(store.parts().container(role)->bytes());
  if (found.family == family::heat && store.parts().has(store::hot_role(field))) {
    const auto list = store.parts().container(store::hot_role(field));
    found.bytes.insert(found.bytes.end(), list->bytes().begin(), list->bytes().end());
  }
  return found;
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

filter_containers containers_in(std::span<const std::byte> bytes) {
  constexpr std::size_t total_offset = 48;  // docs/FORMAT.md, The fixed part
  if (bytes.size() < total_offset + sizeof(std::uint64_t)) return {bytes, {}};
  const std::uint64_t total = detail::byte_reader(bytes.subspan(total_offset)).u64();
  const std::size_t first = std::min<std::uint64_t>(total, bytes.size());
  return {bytes.first(first), bytes.subspan(first)};
}

bool holds_dedupe_state(std::span<const std::byte> bytes) {
  return deduper::is_state(containers_in(bytes).filter);
}

std::vector<fact> facts_of_filter(std::span<const std::byte> bytes) {
  const filter_containers parts = containers_in(bytes);
  std::vector<fact> facts = describe(load_any(parts.filter));
  if (parts.list.empty()) return facts;
  if (detail::container_view::parse(parts.filter).info().family != family::heat) {
    corrupt("there are bytes after the end of the filter");
  }
  facts.push_back({"topk", std::uint64_t{hot_list::load(parts.list).entries()}});
  return facts;
}

}  // namespace bloomtime::cli
