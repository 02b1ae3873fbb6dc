#pragma once

#include <functional>
#include <string>

#include "cli/web/document.hpp"
#include "cli/web/duplicate_service.hpp"
#include "web/server.hpp"

namespace bloomtime::cli {

// Lets the caller see the profile, while nothing changes it. Visits nothing if there is none.
using page_view = std::function<void(const page_visit&)>;

// The answers below /api/, as docs/web.md and /api/openapi.json describe them. Questions to a
// profile are answered with the object that the command of the same name prints with --json.
class json_api {
 public:
  // Without a profile or without a service, questions to it are answered 404.
  json_api(page_view see, duplicate_service* duplicates);

  // Throws usage_error if a question is wrong.
  web::response answer(const web::request& r) const;

 private:
  web::response ask_profile(const web::request& r) const;
  web::response add_keys(const web::request& r) const;

  page_view see_;
  duplicate_service* duplicates_;
};

}  // namespace bloomtime::cli
