#pragma once

#include <string>

// What the containers of a store are for: what they are, and of which item.
namespace bloomtime::cli::store {

inline constexpr const char* ledger_role = "ledger";

inline std::string heat_role(const std::string& item) { return "heat." + item; }
inline std::string hot_role(const std::string& item) { return "hot." + item; }
inline std::string history_role(const std::string& item) { return "history." + item; }

}  // namespace bloomtime::cli::store
