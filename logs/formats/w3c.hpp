#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

// W3C extended logs, as IIS writes them with blanks and CloudFront with tabs between columns. Lines
// that begin with # are directives; #Fields names the columns of the lines below it.
namespace bloomtime::logs {

inline bool is_directive(std::string_view text) { return text.starts_with('#'); }

// The columns of a #Fields line; nothing for another line.
std::optional<std::vector<std::string>> w3c_columns(std::string_view text);

// Quotes around a column are removed.
std::size_t split_w3c(std::string_view text, std::span<std::string_view> into);
std::size_t split_cloudfront(std::string_view text, std::span<std::string_view> into);

// The columns under their own names, and the usual ones of web logs under the names of bloomtime:
// c-ip is also host. CloudFront writes %20 for a blank in agent and referrer.
std::vector<field> w3c_fields(const std::vector<std::string>& columns, bool cloudfront);

}  // namespace bloomtime::logs
