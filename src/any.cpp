#include <bloomtime/any.hpp>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>

namespace bloomtime {
namespace {

std::vector<fact> facts_of(const bloom_filter& f) {
  return {
      {"family", std::string(name_of(family::bloom))},
      {"engine", "bloom_filter"},
      {"layout", std::string(name_of(f.layout()))},
      {"memory", f.memory()},
      {"bits", f.bits()},
      {"k", std::uint64_t{f.k()}},
      {"seed", f.seed()},
      {"capacity", f.capacity()},
      {"insertions", f.insertions()},
      {"distinct", f.distinct()},
      {"fill", f.fill()},
      {"error_at_capacity", f.predicted_error(f.capacity())},
      {"error_now", f.current_error()},
  };
}

}  // namespace

any_filter load_any(std::span<const std::byte> container) {
  const auto info = detail::container_view::parse(container).info();
  if (info.family == family::bloom) return bloom_filter::load(container);
  if (info.family == family::totals) {
    throw error(
        errc::unknown_kind,
        "this container (family 6) holds the totals per minute of a store and no filter; name "
        "the directory of the store instead");
  }
  throw error(errc::unknown_kind, "this container holds a filter of family " +
                                      std::to_string(static_cast<unsigned>(info.family)) +
                                      ", which this bloomtime does not know");
}

any_filter load_any(const std::filesystem::path& path) {
  return load_any(detail::mapped_file::open(path)->bytes());
}

std::vector<fact> describe(const any_filter& filter) {
  return std::visit([](const auto& f) { return facts_of(f); }, filter);
}

}  // namespace bloomtime
