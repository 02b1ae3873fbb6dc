#pragma once

#include <optional>
#include <string>
#include <vector>

#include "web/server.hpp"

namespace bloomtime::cli {

// Who may ask. Host must name this server, so that no page of another site reaches it under a name
// of its own; Origin must be this server, so that no page of another site can make a browser ask.
// With a token every request needs it.
class request_gate {
 public:
  // `hosts`: names besides localhost and addresses.
  request_gate(std::string token, std::vector<std::string> hosts);

  // Nothing if the request may pass; otherwise what it is answered.
  std::optional<web::response> refuses(const web::request& r) const;

 private:
  bool is_known(std::string_view host) const;
  bool has_token(const web::request& r) const;

  std::string token_;
  std::vector<std::string> hosts_;
};

bool is_loopback(const std::string& address);

// {"error": "..."}
web::response error_response(unsigned status, const std::string& sentence);

}  // namespace bloomtime::cli
