#include "cli/web/web_display.hpp"

#include <shared_mutex>
#include <string>

#include <fmt/format.h>

#include "cli/output/printer.hpp"

namespace bloomtime::cli {

web_display::web_display(const live::source& from, const site_settings& how,
                         duplicate_service* duplicates)
    : from_(from),
      duplicates_(duplicates),
      site_(
          how,
          [this](const page_visit& visit) {
            const std::shared_lock held(turns_);
            from_.page(visit);
          },
          duplicates) {
  turns_.lock();
  cli::note(fmt::format("listening on {}", site_address(how, site_.port())));
}

web_display::~web_display() { turns_.unlock(); }

void web_display::attend(time now, bool /*waits*/) {
  from_.settle();
  turns_.unlock();
  if (from_.lines() != shown_lines_ && site_.refresh(now)) shown_lines_ = from_.lines();
  if (duplicates_ != nullptr && now >= save_due_) {
    save_due_ = now + std::chrono::minutes(1);
    duplicates_->save();
  }
  turns_.lock();
}

// Lines that were read since the last call become part of the answers before anybody sees them.
void web_display::waits(bool begins) {
  if (!begins) return turns_.lock();
  from_.settle();
  turns_.unlock();
}

void web_display::note(std::string_view text) { cli::note(std::string(text)); }

void web_display::finish(time /*now*/) {
  if (duplicates_ != nullptr) duplicates_->save();
}

}  // namespace bloomtime::cli
