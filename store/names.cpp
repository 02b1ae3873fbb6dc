#include "store/names.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace bloomtime::store {
namespace {

// Cuts `prefix` off the text and the digits after it; false unless both are there.
bool take_number(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  const auto digits = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(digits);
  return 1 <= digits && digits <= 20;
}

}  // namespace

std::string part_name(std::uint64_t generation, std::uint64_t number) {
  return fmt::format("part-{}-{}.bloomtime", generation, number);
}

bool is_part_name(std::string_view name) {
  return take_number(name, "part-") && take_number(name, "-") && name == ".bloomtime";
}

std::vector<std::string> file_names(const std::filesystem::path& directory,
                                    std::error_code& problem) {
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(directory, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_disposable_name(std::string_view name) {
  // As detail::replace_file names them.
  const auto suffix = name.find(".tmp.");
  if (suffix == std::string_view::npos) return is_part_name(name);
  std::string_view rest = name.substr(suffix);
  const std::string_view target = name.substr(0, suffix);
  return take_number(rest, ".tmp.") && take_number(rest, ".") && rest.empty() &&
         (target == manifest_name || is_part_name(target));
}

}  // namespace bloomtime::store
