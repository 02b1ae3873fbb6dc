#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomtime::logs {

// What a line of a web log says about the response. Read only if input_options::web asks for it.
struct web_facts {
  unsigned status = 0;                      // 0 if the line has none that can be read
  std::string_view method = {};             // "-" or empty if the request has none
  std::optional<std::uint64_t> bytes = {};  // of the response; 0 where the log has "-"

  // 1 to 5 for the statuses 100 to 599, otherwise 0.
  unsigned status_class() const { return status >= 100 && status < 600 ? status / 100 : 0; }

  friend bool operator==(const web_facts&, const web_facts&) = default;
};

}  // namespace bloomtime::logs
