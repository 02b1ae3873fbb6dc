#pragma once

#include <string>
#include <string_view>

// Parts of values of web logs.
namespace bloomtime::logs {

// Without the port: "192.0.2.1" of "192.0.2.1:80", "2001:db8::1" of "[2001:db8::1]:80".
std::string_view without_port(std::string_view address);

// "/a?b" and "c" of "http://c:80/a?b"; a URL without a host is all path, and its site "-".
std::string_view path_of_url(std::string_view url);
std::string_view site_of_url(std::string_view url);

// The same for the URL of a request, "GET http://c:80/a?b HTTP/1.1", or for a URL alone.
std::string_view url_of_request(std::string_view request);

// A path with its query, which may be empty or "-", and may begin with ?.
std::string_view with_query(std::string_view path, std::string_view query, std::string& scratch);

// %20 stands for a blank, and %2520 as well: CloudFront escapes what browsers sent escaped.
std::string_view percent_decoded(std::string_view text, std::string& scratch);

}  // namespace bloomtime::logs
