#include "cli/web/metrics.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace bloomtime::cli {
namespace {

std::string in_label(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\' || c == '"') safe += '\\';
    if (c == '\n') {
      safe += "\\n";
    } else {
      safe += c;
    }
  }
  return safe;
}

class metrics {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(text_),
                   "# HELP bloomtime_{0} {2}\n# TYPE bloomtime_{0} {1}\n", name, type, help);
    name_ = name;
  }
  template <class Number>
  void value(Number n) {
    fmt::format_to(std::back_inserter(text_), "bloomtime_{} {}\n", name_, n);
  }
  template <class Number>
  void value(std::string_view label, std::string_view of, Number n) {
    fmt::format_to(std::back_inserter(text_), "bloomtime_{}{{{}=\"{}\"}} {}\n", name_, label,
                   in_label(of), n);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

void add_profile(metrics& m, const page_subject& about) {
  m.family("events_total", "counter", "Events in the store.");
  m.value(about.what.read.records);
  m.family("rejected_lines_total", "counter", "Lines that were no events.");
  m.value(about.what.read.bad_lines);
  m.family("newest_event_seconds", "gauge", "Time of the newest event since 1970.");
  m.value(static_cast<double>(about.profile.newest().value_or(instant()).micros) / 1e6);
  m.family("different_items", "gauge", "Different items of a field.");
  for (const auto& f : about.profile.fields()) m.value("field", f.name, f.different());
  m.family("memory_bytes", "gauge", "Memory of heat and totals of a field.");
  for (const auto& f : about.profile.fields()) m.value("field", f.name, f.memory());
  m.family("history_bytes", "gauge", "Memory of the history of a field.");
  for (const auto& f : about.profile.fields()) {
    m.value("field", f.name, f.past ? f.past->memory() : 0);
  }
}

void add_duplicates(metrics& m, const deduper& state) {
  m.family("dedupe_keys_total", "counter", "Keys that were judged.");
  m.value("answer", "new", state.counts().passed);
  m.value("answer", "duplicate", state.counts().dropped);
  m.family("dedupe_error", "gauge", "Probability that a new key is taken for a duplicate.");
  m.value(state.current_error());
  m.family("dedupe_memory_bytes", "gauge", "Memory of the state.");
  m.value(state.memory());
}

}  // namespace

std::string metrics_text(const page_view& see, const duplicate_service* duplicates,
                         const web::server_counts& server) {
  metrics m;
  if (see) see([&](const page_subject& about) { add_profile(m, about); });
  if (duplicates != nullptr) duplicates->see([&](const deduper& d) { add_duplicates(m, d); });
  m.family("http_requests_total", "counter", "Requests that were answered.");
  m.value(server.requests);
  m.family("http_refused_total", "counter", "Answers with a status of 400 or more.");
  m.value(server.refused);
  m.family("http_connections", "gauge", "Open connections.");
  m.value(server.connections);
  m.family("http_listeners", "gauge", "Pages that are shown live.");
  m.value(server.listeners);
  return m.take();
}

}  // namespace bloomtime::cli
