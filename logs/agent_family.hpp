#pragma once

#include <array>
#include <string>
#include <string_view>

namespace bloomtime::logs {

// What kind of program an agent says it is: "bot", "tool", "browser", or "other".
std::string_view agent_family(std::string_view agent);

// The same, with a memory of agents seen before.
class family_reader {
 public:
  std::string_view read(std::string_view agent);

 private:
  struct entry {
    std::string agent;
    std::string_view family;
  };
  std::array<entry, 256> known_{};
};

}  // namespace bloomtime::logs
