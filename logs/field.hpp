#pragma once

#include <cstddef>
#include <string>

#include "logs/shape.hpp"

namespace bloomtime::logs {

// One value of a line: where it stands, and what of it is meant.
struct field {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  enum class part {
    value,     // the column, or the value of the key
    line,      // the line
    method,    // of a request, "GET /a HTTP/1.1"
    path,      // of a request
    protocol,  // of a request
    url_path,  // of a request that names a URL, or of the URL: "/a" of "http://b:80/a"
    url_site,  // "b"
    address,   // without the port: "192.0.2.1:80", "[2001:db8::1]:80"
    stem,      // a path whose query is in the column `second`
    decoded,   // %20 stands for a blank
    family,    // of an agent
    facility,  // of a syslog priority
    severity,
    absent,  // no line has it
  };

  std::string name;  // as typed
  part what = part::value;
  std::size_t column = 0;     // from 0; that of the request for its parts
  std::size_t second = none;  // of a stem
  std::string key = {};       // in formats with keys
  shape form = {};            // how items are shortened

  friend bool operator==(const field&, const field&) = default;
};

}  // namespace bloomtime::logs
