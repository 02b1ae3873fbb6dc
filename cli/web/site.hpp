#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/web/api.hpp"
#include "cli/web/gate.hpp"
#include "web/server.hpp"

namespace bloomtime::cli {

struct site_settings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7979;
  std::string token;               // empty: none is needed
  std::vector<std::string> hosts;  // names of this server besides localhost
  std::string title;
  web::limits most;
};

// The page, the API and /metrics of a profile, or of keys that are judged, or of both.
class site {
 public:
  // `see` may be empty, and `duplicates` null. Both outlive the site.
  site(const site_settings& how, page_view see, duplicate_service* duplicates);

  // Makes the document anew and sends it to all pages, if it is time: making it takes at most a
  // tenth of the time. Returns whether it was.
  bool refresh(std::chrono::steady_clock::time_point now);
  std::uint16_t port() const { return server_.port(); }

 private:
  web::response answer(const web::request& r);
  web::response page();
  std::shared_ptr<const std::string> document();
  std::string new_document() const;

  std::string title_;
  request_gate gate_;
  page_view see_;
  duplicate_service* duplicates_;
  json_api api_;
  std::mutex guard_;  // of document_
  std::shared_ptr<const std::string> document_;
  std::chrono::steady_clock::time_point due_;
  web::server server_;  // last: it calls the others
};

// http://127.0.0.1:7979/, for people.
std::string site_address(const site_settings& how, std::uint16_t port);

}  // namespace bloomtime::cli
