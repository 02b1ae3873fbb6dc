#include "logs/parts.hpp"

#include <algorithm>
#include <optional>

#include "logs/columns.hpp"
#include "logs/take.hpp"
#include "text/quantity.hpp"

namespace bloomtime::logs {
namespace {

// Where the host of a URL begins; npos if it names none.
std::size_t host_begin(std::string_view url) {
  const std::size_t at = url.find("://");
  return at == url.npos || url.find('/') < at ? url.npos : at + 3;
}

void decode(std::string_view text, std::string& into) {
  into.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = text[i] == '%' && i + 2 < text.size()
                          ? text::number_in<unsigned char>(text.substr(i + 1, 2), 16)
                          : std::nullopt;
    into.push_back(byte ? static_cast<char>(*byte) : text[i]);
    if (byte) i += 2;
  }
}

}  // namespace

std::string_view without_port(std::string_view address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t colon = address.rfind(':');
  if (colon == address.npos || address.find(':') != colon) return address;
  return all_digits(address.substr(colon + 1)) ? address.substr(0, colon) : address;
}

std::string_view path_of_url(std::string_view url) {
  const std::size_t host = host_begin(url);
  if (host == url.npos) return url;
  const std::size_t slash = url.find('/', host);
  return slash == url.npos ? std::string_view("/") : url.substr(slash);
}

std::string_view site_of_url(std::string_view url) {
  const std::size_t host = host_begin(url);
  if (host == url.npos) return "-";
  return without_port(url.substr(host, url.find('/', host) - host));
}

std::string_view url_of_request(std::string_view request) {
  return request.find(' ') == request.npos ? request : split_request(request).path;
}

std::string_view with_query(std::string_view path, std::string_view query, std::string& scratch) {
  if (query.empty() || query == "-") return path;
  scratch.assign(path);
  if (query.front() != '?') scratch.push_back('?');
  return scratch.append(query);
}

std::string_view percent_decoded(std::string_view text, std::string& scratch) {
  if (text.find('%') == text.npos) return text;
  decode(text, scratch);
  if (text.find("%25") != text.npos) decode(std::string(scratch), scratch);
  return scratch;
}

}  // namespace bloomtime::logs
