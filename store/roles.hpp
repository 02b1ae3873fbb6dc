#pragma once

#include <string>

// The roles of the containers of a store: what they are, and of which item.
namespace bloomtime::store {

inline constexpr const char* ledger_role = "ledger";

inline std::string heat_role(const std::string& item) { return "heat." + item; }
inline std::string hot_role(const std::string& item) { return "hot." + item; }
inline std::string history_role(const std::string& item) { return "history." + item; }

}  // namespace bloomtime::store
