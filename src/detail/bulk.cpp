#include <bloomtime/detail/bulk.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {

void expect_as_many(std::size_t items, std::size_t given, std::string_view what) {
  if (items == given) return;
  throw error(errc::invalid_argument, "a bulk call with " + std::to_string(items) +
                                          " items needs as many " + std::string(what) + ", got " +
                                          std::to_string(given));
}

}  // namespace bloomtime::detail
