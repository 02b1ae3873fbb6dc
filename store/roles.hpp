#pragma once

#include <cstdint>
#include <string>

// The roles of the containers of a store: what they are, and of which item.
namespace bloomtime::store {

inline constexpr const char* ledger_role = "ledger";
inline constexpr const char* web_role = "web";

inline std::string heat_role(const std::string& item) { return "heat." + item; }
inline std::string hot_role(const std::string& item) { return "hot." + item; }
inline std::string history_role(const std::string& item) { return "history." + item; }
inline std::string totals_role(const std::string& item) { return "totals." + item; }
inline std::string largest_role(const std::string& item) { return "largest." + item; }
inline std::string tally_role(const std::string& item) { return "tally." + item; }

inline constexpr std::uint64_t default_tally_memory = 16'000'000;

}  // namespace bloomtime::store
