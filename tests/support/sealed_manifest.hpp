#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bloomtime/digest.hpp>

namespace bloomtime::support {

// The manifest of a store with its checksum made anew, so that a forged key is judged by the check
// meant for it; what is no JSON object stays as it is.
inline std::string sealed(std::string_view text) {
  auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!document.is_object()) return std::string(text);
  document.erase("checksum");
  document["checksum"] = fmt::format("{:016x}", digest_of(document.dump()).lo);
  return document.dump(2) + "\n";
}

}  // namespace bloomtime::support
