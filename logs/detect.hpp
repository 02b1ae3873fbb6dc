#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/format.hpp"

// What the first lines of a file say about it.
namespace bloomtime::logs {

// The first lines of `text`, at most 100 in at most 64 KiB, but at least one whole, without their
// ends; an unfinished one at the end only if it is the only one.
std::vector<std::string_view> first_lines(std::string_view text);

// The format of most of the lines; plain if none fits.
input_format detect(const std::vector<std::string_view>& lines);

// The column names in the first line, if it is a header: it stands above numbers or times, or has a
// name that was asked for or that is common for times; and it has none of the words in `data`.
std::optional<std::vector<std::string>> header_of(input_format f,
                                                  const std::vector<std::string_view>& lines,
                                                  const std::vector<std::string>& asked,
                                                  const std::vector<std::string>& data);

// All columns of a line of CSV or TSV.
std::vector<std::string> columns_of(input_format f, std::string_view text);

// Whether most lines, or most below the header, begin with a column that is likely a time.
bool begins_with_times(input_format f, const std::vector<std::string_view>& lines, bool header);

// The keys of a line of a format with keys; nothing if it is not of this format.
std::optional<std::vector<std::string>> keys_of(input_format f, std::string_view text);

// Whether it can be read as a time since 1973: smaller numbers are more often something else.
bool is_likely_time(std::string_view text);

// The names under which a time is looked for by default, and the first known name among `names`,
// ignoring case.
const std::vector<std::string>& time_names();
std::optional<std::string> first_known(const std::vector<std::string>& known_names,
                                       const std::vector<std::string>& names);

}  // namespace bloomtime::logs
