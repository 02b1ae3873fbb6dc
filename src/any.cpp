#include <bloomtime/any.hpp>

#include <string>

#include "detail/handle.hpp"

namespace bloomtime {

static std::vector<fact> facts_of(const bloom_filter& f, effort) {
  return {
      {"layout", std::string(name_of(f.layout()))},
      {"memory", f.memory()},
      {"bits", f.bits()},
      {"k", f.k()},
      {"seed", f.seed().value()},
      {"capacity", f.capacity()},
      {"insertions", f.insertions()},
      {"distinct", f.distinct()},
      {"fill", f.fill()},
      {"error_at_capacity", f.predicted_error(f.capacity())},
      {"error_now", f.current_error()},
  };
}

namespace {

[[noreturn]] void refuse(const detail::container_info& info) {
  if (info.family == family::totals) {
    throw error(
        errc::unknown_kind,
        "this container (family 6) holds the totals per minute of a store, not a filter; name "
        "the directory of the store instead");
  }
  std::string kind = std::to_string(static_cast<unsigned>(info.family));
  if (info.family >= family::bloom && info.family <= family::tally) {
    kind += " (" + std::string(name_of(info.family)) + "), engine " + std::to_string(info.engine);
  }
  throw error(errc::unknown_kind, "this container holds a filter of family " + kind +
                                      ", which this bloomtime does not know");
}

}  // namespace

any_filter load_any(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  auto filter = detail::load_engine<any_filter>(view, container);
  if (!filter) refuse(view.info());
  return *std::move(filter);
}

any_filter load_any(const std::filesystem::path& path) {
  return load_any(detail::mapped_file::open(path)->bytes());
}

std::vector<fact> describe(const any_filter& filter) {
  return std::visit([](const auto& f) { return detail::describe_engine(f, effort::scan); }, filter);
}

std::vector<fact> describe(const bloom_filter& filter) {
  return detail::describe_engine(filter, effort::scan);
}

std::vector<fact> describe(const hot_list& list) {
  return detail::describe_engine(list, effort::scan);
}

}  // namespace bloomtime
