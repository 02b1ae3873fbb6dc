#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Splits one line into columns. Each function fills `into` from the front, returns how many columns
// it found, and ignores the rest of the line.
namespace bloomtime::logs {

// host ident user [time] "request" status bytes "referer" "agent" and further columns; with
// `virtual_host` the virtual host comes first. Brackets and quotes are removed. A user may contain
// blanks.
std::size_t split_log(std::string_view text, bool virtual_host, std::span<std::string_view> into);

std::size_t split_tabs(std::string_view text, std::span<std::string_view> into);
std::size_t split_words(std::string_view text, std::span<std::string_view> into);

// RFC 4180, one record per line. Quotes stay for unquoted(). Returns 0 if they are unbalanced.
std::size_t split_commas(std::string_view text, std::span<std::string_view> into);

// A column without the quotes around it and with "" as "; `scratch` holds it if it changed.
std::string_view unquoted(std::string_view column, std::string& scratch);

// Undoes text::in_tsv(): \t \n \r \\ and \xNN stand for one byte, any other backslash for itself.
std::string_view unescaped(std::string_view column, std::string& scratch);

// "GET /index.html HTTP/1.1". A request of another form is all path; its other parts are "-".
struct request_parts {
  std::string_view method;
  std::string_view path;
  std::string_view protocol;
};
request_parts split_request(std::string_view request);

// Joins several values to one item, as a line of CSV. It can be read and typed, and different
// values never give the same item.
void append_joined(std::string& item, std::span<const std::string_view> values);

}  // namespace bloomtime::logs
