#include "logs/shape.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include <arpa/inet.h>

#include <fmt/format.h>

#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::logs {
namespace {

constexpr unsigned ipv4_bits = 32;
constexpr unsigned ipv6_bits = 128;
constexpr unsigned usual_ipv6_bits = 64;

// Where the path of "http://site/path" begins; 0 if no site is named.
std::size_t path_begin(std::string_view text) {
  const std::size_t site = text.find("://");
  return site == text.npos || text.find('/') < site ? 0 : text.find('/', site + 3);
}

std::string_view first_segments(std::string_view path, unsigned count) {
  path = path.substr(0, path.find_first_of("?#"));
  std::size_t end = path_begin(path);
  for (unsigned i = 0; i < count && end != path.npos; ++i) end = path.find('/', end + 1);
  path = path.substr(0, end);
  return path;
}

// The network of an address; the value itself if it is no address.
template <std::size_t Size>
bool network(int family, std::string_view value, unsigned bits, std::string& scratch) {
  std::array<char, INET6_ADDRSTRLEN> typed{};
  std::array<unsigned char, Size> address{};
  if (value.size() >= typed.size()) return false;
  std::memcpy(typed.data(), value.data(), value.size());
  if (std::strlen(typed.data()) != value.size() ||
      ::inet_pton(family, typed.data(), address.data()) != 1) {
    return false;
  }
  for (std::size_t i = 0; i < Size; ++i) {
    const unsigned kept = std::clamp(static_cast<int>(bits) - static_cast<int>(8 * i), 0, 8);
    address[i] = static_cast<unsigned char>(address[i] & (0xff00U >> kept));
  }
  if (::inet_ntop(family, address.data(), typed.data(), typed.size()) == nullptr) return false;
  scratch.assign(typed.data());
  fmt::format_to(std::back_inserter(scratch), "/{}", bits);
  return true;
}

// Servers that listen to both write an IPv4 address as "::ffff:192.0.2.1".
std::string_view network_of(std::string_view value, const shape& by, std::string& scratch) {
  constexpr std::string_view mapped = "::ffff:";
  if (by.bits != 0 && value.starts_with(mapped)) {
    if (network<4>(AF_INET, value.substr(mapped.size()), by.bits, scratch)) return scratch;
  }
  const bool wide = value.find(':') != value.npos;
  const unsigned bits = wide ? by.wide_bits : by.bits;
  if (bits == 0) return value;
  const bool done = wide ? network<16>(AF_INET6, value, bits, scratch)
                         : network<4>(AF_INET, value, bits, scratch);
  return done ? std::string_view(scratch) : value;
}

[[noreturn]] void refuse_group(const std::string& typed) {
  text::refuse(
      "--group must be a field and how much of it counts, as in path:2 (two segments) or host:/24 "
      "(a network of 1 to 128 bits), got {}",
      text::shown(typed));
}

grouping grouping_of(const std::string& typed) {
  const std::size_t colon = typed.rfind(':');
  if (colon == typed.npos || colon == 0) refuse_group(typed);
  std::string_view how = std::string_view(typed).substr(colon + 1);
  const bool bits = how.starts_with('/');
  if (bits) how.remove_prefix(1);
  const auto number = text::number_in<unsigned>(how);
  if (!number || *number == 0 || (bits && *number > ipv6_bits)) refuse_group(typed);
  grouping made{typed.substr(0, colon), {}};
  if (!bits) {
    made.form.segments = *number;
  } else if (*number > ipv4_bits) {
    made.form.wide_bits = *number;
  } else {
    made.form.bits = *number;
  }
  return made;
}

}  // namespace

std::string_view shaped(std::string_view value, const shape& by, std::string& scratch) {
  if (by.no_query) value = value.substr(0, value.find('?'));
  if (by.segments != 0) value = first_segments(value, by.segments);
  return by.bits == 0 && by.wide_bits == 0 ? value : network_of(value, by, scratch);
}

std::vector<grouping> groupings_of(const std::vector<std::string>& typed) {
  std::vector<grouping> all;
  for (const std::string& one : typed) {
    const grouping made = grouping_of(one);
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const grouping& g) { return g.field == made.field; });
    if (same == all.end()) {
      all.push_back(made);
      continue;
    }
    shape& form = same->form;
    form.segments = std::max(form.segments, made.form.segments);
    form.bits = std::max(form.bits, made.form.bits);
    form.wide_bits = std::max(form.wide_bits, made.form.wide_bits);
  }
  for (grouping& g : all) {
    if (g.form.bits != 0 && g.form.wide_bits == 0) g.form.wide_bits = usual_ipv6_bits;
  }
  return all;
}

}  // namespace bloomtime::logs
