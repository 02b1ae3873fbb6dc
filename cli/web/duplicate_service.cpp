#include "cli/web/duplicate_service.hpp"

#include <filesystem>
#include <utility>

#include <bloomtime/detail/file.hpp>

#include "cli/output/printer.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

instant now() { return std::chrono::system_clock::now(); }

dedupe_settings settings_in(const std::string& file, std::chrono::microseconds window,
                            double error) {
  std::error_code ignored;
  if (!file.empty() && std::filesystem::exists(file, ignored)) {
    return deduper::settings_in(detail::mapped_file::open(file)->bytes());
  }
  return {.key = "line", .time = time_source::wall, .window = window, .error = error};
}

}  // namespace

duplicate_service::duplicate_service(const std::string& file, std::chrono::microseconds window,
                                     double error, std::chrono::seconds between_saves)
    : between_saves_(between_saves), due_(std::chrono::steady_clock::now() + between_saves) {
  const dedupe_settings settings = settings_in(file, window, error);
  if (file.empty()) {
    work_.emplace(deduper::fresh(settings));
  } else {
    file_.emplace(file);
    work_.emplace(file_->open(settings));
  }
}

std::vector<bool> duplicate_service::add_if_new(const std::vector<std::string>& keys,
                                                std::optional<instant> at) {
  const std::scoped_lock held(guard_);
  if (work_->settings().time == time_source::lines && !at) {
    refuse("this state has its times from lines; give \"at\", in microseconds since 1970");
  }
  const instant when = work_->settings().time == time_source::lines ? *at : now();
  std::vector<judged_line> lines;
  for (const std::string& key : keys) {
    lines.push_back({digest_of(key, work_->filter().seed()), when});
  }
  std::vector<line_verdict> verdicts(lines.size());
  work_->judge(lines, now(), verdicts);
  changed_ = true;
  std::vector<bool> seen;
  for (const line_verdict& v : verdicts) seen.push_back(v.drop);
  return seen;
}

void duplicate_service::save() {
  if (!file_ || !std::exchange(changed_, false)) return;
  try {
    file_->save(*work_);
  } catch (...) {
    changed_ = true;
    throw;
  }
}

void duplicate_service::end() {
  const std::scoped_lock held(guard_);
  save();
  file_.reset();
}

void duplicate_service::save_if_due(std::chrono::steady_clock::time_point now) {
  if (now < due_) return;
  due_ = now + between_saves_;
  const std::scoped_lock held(guard_);
  try {
    save();
  } catch (const bloomtime::error& e) {
    note(e.what());
  }
}

}  // namespace bloomtime::cli
