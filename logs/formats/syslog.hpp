#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

namespace bloomtime::logs {

// Syslog of RFC 3164 and RFC 5424, also mixed, with or without <priority>; and the first of them
// with an ISO 8601 timestamp, as rsyslog writes it:
//   Oct 11 22:14:15 host program[123]: message
//   2024-03-01T10:00:00.123456+01:00 host program: message
//   <165>1 2024-03-01T10:00:00.003Z host program 123 ID47 [data a="1"] message
// Columns: priority, time, host, program, pid, message, id, data. Those that a line lacks have no
// data (data() is null).
std::size_t split_syslog(std::string_view text, std::span<std::string_view> into);
const std::vector<field>& syslog_fields();

// "mail" and "err" for the priority 19; nothing if it is none.
std::optional<std::string_view> facility_of(std::string_view priority);
std::optional<std::string_view> severity_of(std::string_view priority);

}  // namespace bloomtime::logs
