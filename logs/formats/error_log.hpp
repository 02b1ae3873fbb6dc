#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

// Error logs of web servers. Columns that a line lacks have no data (data() is null).
namespace bloomtime::logs {

// 2024/03/01 10:00:00 [error] 12#34: *56 open() "/a" failed (2: No such file), client: 192.0.2.1,
// server: b, request: "GET /a HTTP/1.1", host: "b", referrer: "http://c/"
std::size_t split_nginx_error(std::string_view text, std::span<std::string_view> into);
const std::vector<field>& nginx_error_fields();

// [Fri Mar 01 10:00:00.123456 2024] [core:error] [pid 12:tid 34] [client 192.0.2.1:5678] AH00037:
// message, referer: http://c/
std::size_t split_apache_error(std::string_view text, std::span<std::string_view> into);
const std::vector<field>& apache_error_fields();

}  // namespace bloomtime::logs
