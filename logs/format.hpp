#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomtime::cli {

enum class input_format { common, combined, vhost_combined, ndjson, csv, tsv, plain };

// "auto", the default, is std::nullopt; throws usage_error for what is no format.
std::optional<input_format> format_named(const std::string& typed);

std::string_view described(input_format f);  // "combined log"
constexpr bool is_log(input_format f) { return f <= input_format::vhost_combined; }
constexpr bool has_columns(input_format f) {
  return f == input_format::csv || f == input_format::tsv;
}

// The first lines of `text`, at most 100 in at most 64 KiB, but at least one whole, without their
// ends; an unfinished one at the end only if it is the only one.
std::vector<std::string_view> first_lines(std::string_view text);

// What most of the lines are, or plain.
input_format detect(const std::vector<std::string_view>& lines);

// The columns of the first line if it names them: above numbers or times, or with a name that was
// asked for or is known as that of a time; and with none of the words that are data.
std::optional<std::vector<std::string>> header_of(input_format f,
                                                  const std::vector<std::string_view>& lines,
                                                  const std::vector<std::string>& asked,
                                                  const std::vector<std::string>& data);

// All columns of a line of CSV or TSV.
std::vector<std::string> columns_of(input_format f, std::string_view text);

// Whether most lines, or most below the header, begin with a column that is likely a time.
bool begins_with_times(input_format f, const std::vector<std::string_view>& lines, bool header);

// What a time is called where nobody says so, and the first of such names that there is, in small
// or capital letters.
const std::vector<std::string>& time_names();
std::optional<std::string> first_known(const std::vector<std::string>& known_names,
                                       const std::vector<std::string>& names);

}  // namespace bloomtime::cli
