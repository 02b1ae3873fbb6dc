#include "cli/output/text_file.hpp"

#include <array>
#include <span>

#include <bloomtime/detail/file.hpp>

namespace bloomtime::cli {

void write_text_file(const std::string& name, const std::string& text) {
  const std::array<std::span<const std::byte>, 1> pieces{
      std::as_bytes(std::span(text.data(), text.size()))};
  detail::replace_file(name, pieces, detail::links::follow, 0644);
}

}  // namespace bloomtime::cli
