#include "cli/web/site.hpp"

#include <utility>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "cli/web/metrics.hpp"
#include "web/page.hpp"

namespace bloomtime::cli {
namespace {

constexpr auto least_pause = std::chrono::seconds(1);
constexpr std::string_view nothing_yet =
    R"({"schema":2,"command":"profile","records":0,"fields":[],"lists":[],)"
    R"("page":{"kind":"profile","version":"","title":"waiting for events: none so far"},)"
    R"("half_life_seconds":3600,"memory_bytes":0,"exact_bytes":0})";

// Errors of the commands name options. The parameters have the same names, without dashes.
std::string with_parameters(std::string sentence) {
  for (const std::string_view option : {"--field", "--by", "--from", "--to"}) {
    for (std::size_t at = 0; (at = sentence.find(option, at)) != sentence.npos;) {
      sentence.erase(at, 2);
    }
  }
  return sentence;
}

}  // namespace

site::site(const site_settings& how, page_view see, duplicate_service* duplicates)
    : title_(how.title),
      gate_(how.token, how.hosts),
      see_(std::move(see)),
      duplicates_(duplicates),
      api_(see_, duplicates),
      server_(how.address, how.port, how.most,
              [this](const web::request& r) { return answer(r); }) {}

std::string site::new_document() const {
  std::string text;
  if (see_) {
    see_([&](const page_subject& about) { text = profile_document(about, usual_page_rows); });
  } else if (duplicates_ != nullptr) {
    duplicates_->see([&](const deduper& d) { text = dedupe_document(d, title_); });
  }
  return text.empty() ? std::string(nothing_yet) : text;
}

std::shared_ptr<const std::string> site::document() {
  const std::scoped_lock held(guard_);
  if (!document_) document_ = std::make_shared<const std::string>(new_document());
  return document_;
}

bool site::refresh(std::chrono::steady_clock::time_point now) {
  if (now < due_) return false;
  auto made = std::make_shared<const std::string>(new_document());
  const auto end = std::chrono::steady_clock::now();
  due_ = end + std::max<std::chrono::steady_clock::duration>(least_pause, 9 * (end - now));
  {
    const std::scoped_lock held(guard_);
    if (document_ && *document_ == *made) return true;
    document_ = made;
  }
  server_.publish("document", *made);
  return true;
}

web::response site::page() {
  const std::string nonce = web::random_nonce();
  return {.type = "text/html; charset=utf-8",
          .body = web::page_with(title_, *document(), nonce, true),
          .headers = {
              {"Content-Security-Policy", web::content_policy(nonce) + "; frame-ancestors 'none'"},
              {"Referrer-Policy", "no-referrer"},
              {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

web::response site::answer(const web::request& r) {
  std::optional<web::response> refused = gate_.refuses(r);
  web::response found;
  try {
    if (refused) {
      found = std::move(*refused);
    } else if (r.path() == "/") {
      found = page();
    } else if (r.path() == "/api/events" && r.method() != "GET") {
      found = error_response(405, "ask this with GET");
    } else if (r.path() == "/api/events") {
      found = {.type = "text/event-stream", .events = true};
    } else if (r.path() == "/metrics") {
      found = {.type = "text/plain; version=0.0.4; charset=utf-8",
               .body = metrics_text(see_, duplicates_, server_.counts())};
    } else if (r.path().starts_with("/api/")) {
      found = api_.answer(r);
    } else {
      found = error_response(404,
                             "there is no such page; / is the page, /api/openapi.json "
                             "lists the questions");
    }
  } catch (const usage_error& e) {
    found = error_response(400, with_parameters(e.what()));
  } catch (const error& e) {
    found = error_response(500, e.what());
  }
  return found;
}

std::string site_address(const site_settings& how, std::uint16_t port) {
  const bool six = how.address.find(':') != how.address.npos;
  return fmt::format("http://{}{}{}:{}/", six ? "[" : "", how.address, six ? "]" : "", port);
}

}  // namespace bloomtime::cli
