#pragma once

#include <string>
#include <string_view>

// The page: HTML, CSS and JavaScript from web/page, compiled into the program.
namespace bloomtime::web {

// What the page may do: run its own script and style, and ask the server it came from. Everything
// else is forbidden, above all other hosts.
std::string content_policy(std::string_view nonce);

// 128 random bits as text, new for each page.
std::string random_nonce();

// One file with everything in it. `document` is the JSON that it shows; a page that is `live` gets
// newer ones from /api/events.
std::string page_with(std::string_view title, std::string_view document, std::string_view nonce,
                      bool live);

}  // namespace bloomtime::web
