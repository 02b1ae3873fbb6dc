#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "cli/live/display.hpp"
#include "cli/web/site.hpp"
#include "cli/web/turns.hpp"

namespace bloomtime::cli {

// Shows what `profile --follow` reads in browsers. The thread that reads has the lock while it
// reads, and gives it away between batches and while it waits.
class web_display : public live::display {
 public:
  web_display(const live::source& from, const site_settings& how, duplicate_service* duplicates);
  ~web_display() override;

  void attend(time now, bool waits) override;
  void waits(bool begins) override;
  void note(std::string_view text) override;
  void advance(const logs::reading& /*so_far*/) override {}
  bool stays() const override { return true; }
  void finish(time now) override;

 private:
  void stop();

  const live::source& from_;
  duplicate_service* duplicates_;
  turns turns_;
  bool stopped_ = false;  // requests that come now see no profile
  std::optional<site> site_;
  std::uint64_t shown_lines_ = 0;
};

}  // namespace bloomtime::cli
