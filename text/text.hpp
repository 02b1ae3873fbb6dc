#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Prepares text for a screen.
namespace bloomtime::text {

// Columns that UTF-8 text takes on a terminal: none for combining marks, two for East Asian wide
// characters and emoji. Bytes that are not UTF-8 take four, as printable() writes them.
std::size_t display_width(std::string_view text);

// The text without terminal controls: control, bidirectional and invisible characters and bytes
// that are not UTF-8 become \xNN.
std::string printable(std::string_view text);

// The same for a field of TSV, with \t, \n, \r and \\ in place of these characters. Bytes from 0xa0
// on that are not UTF-8 stay as they are. logs::unescaped() undoes it.
std::string in_tsv(std::string_view text);

// JSON in which the same characters are \uNNNN: a writer of JSON escapes only those below U+0020.
std::string in_json(std::string_view json);

// The text in ASCII: the characters this program draws with are replaced, the rest becomes \xNN.
std::string ascii_only(std::string_view text);

// The text, or its beginning and "…" if it is wider.
std::string cut_to(std::string_view text, std::size_t columns);

// A value for an error message: short, printable, in quotes unless it is plain.
std::string shown(std::string_view typed);

// Lines no wider than `width` broken at blanks; a longer word has a line of its own.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace bloomtime::text
