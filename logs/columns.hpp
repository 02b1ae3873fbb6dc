#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Cutting one line into columns. Each fills `into` from the front, as far as it or the line goes,
// and returns how many columns it found; the rest of the line is not looked at.
namespace bloomtime::cli {

// host ident user [time] "request" status bytes "referer" "agent" and whatever follows; with
// `virtual_host` one more before the host. Brackets and quotes are left out. A user may contain
// blanks.
std::size_t split_log(std::string_view text, bool virtual_host, std::span<std::string_view> into);

std::size_t split_tabs(std::string_view text, std::span<std::string_view> into);
std::size_t split_words(std::string_view text, std::span<std::string_view> into);

// RFC 4180, one record a line. Quotes are left in place for unquoted(). 0 if they do not match.
std::size_t split_commas(std::string_view text, std::span<std::string_view> into);

// A column without the quotes around it and with "" as "; `scratch` holds it if it had to change.
std::string_view unquoted(std::string_view column, std::string& scratch);

// A column as bloomtime writes it: \t \n \r \\ and \xNN stand for one byte, any other backslash for
// itself.
std::string_view unescaped(std::string_view column, std::string& scratch);

// "GET /index.html HTTP/1.1". What is not of that form is all path, and the others are "-".
struct request_parts {
  std::string_view method;
  std::string_view path;
  std::string_view protocol;
};
request_parts split_request(std::string_view request);

// Several values as one item: a line of CSV, so that it can be read and typed, and different values
// never give the same item.
void append_joined(std::string& item, std::span<const std::string_view> values);

}  // namespace bloomtime::cli
