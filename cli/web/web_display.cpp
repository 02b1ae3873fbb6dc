#include "cli/web/web_display.hpp"

#include <shared_mutex>
#include <string>

#include <fmt/format.h>

#include "cli/output/printer.hpp"

namespace bloomtime::cli {
namespace {

// Gives the lock away while it lives.
class given_away {
 public:
  explicit given_away(turns& lock) : lock_(lock) { lock_.unlock(); }
  given_away(const given_away&) = delete;
  given_away& operator=(const given_away&) = delete;
  ~given_away() { lock_.lock(); }

 private:
  turns& lock_;
};

}  // namespace

web_display::web_display(const live::source& from, const site_settings& how,
                         duplicate_service* duplicates)
    : from_(from), duplicates_(duplicates) {
  const page_view see = [this](const page_visit& visit) {
    const std::shared_lock held(turns_);
    if (!stopped_) from_.page(visit);
  };
  site_.emplace(how, see, duplicates);
  turns_.lock();
  cli::note(fmt::format("listening on {}", site_address(how, site_->port())));
}

web_display::~web_display() {
  stop();
  turns_.unlock();
}

// Requests that wait for the lock end without the profile, which may be gone when they get it.
void web_display::stop() {
  stopped_ = true;
  const given_away others(turns_);
  site_.reset();
}

void web_display::attend(time now, bool /*waits*/) {
  from_.settle();
  const given_away others(turns_);
  if (from_.lines() != shown_lines_ && site_->refresh(now)) shown_lines_ = from_.lines();
  if (duplicates_ != nullptr) duplicates_->save_if_due(now);
}

// Lines that were read since the last call become part of the answers before anybody sees them.
void web_display::waits(bool begins) {
  if (!begins) return turns_.lock();
  from_.settle();
  turns_.unlock();
}

void web_display::note(std::string_view text) { cli::note(std::string(text)); }

// Keys that were answered are saved, because nothing is answered afterwards. The process may die of
// a signal next, which runs no destructors.
void web_display::finish(time /*now*/) {
  stop();
  if (duplicates_ != nullptr) duplicates_->end();
}

}  // namespace bloomtime::cli
