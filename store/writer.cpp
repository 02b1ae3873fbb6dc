#include "store/writer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/version.hpp>

#include "store/names.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* deed, const fs::path& path, int reason) {
  text::throw_error(errc::io, "cannot {} {}: {}", deed, path.string(),
                    std::system_category().message(reason));
}

bool has_manifest(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(directory / manifest_name, ignored));
}

// A store is not created beside other files. What a writer left before its first checkpoint may be
// removed.
void expect_nothing_foreign(const fs::path& directory) {
  std::error_code problem;
  for (const std::string& name : file_names(directory, problem)) {
    // Another writer's first checkpoint may bring a manifest at any moment.
    if (name == lock_name || name == manifest_name || is_disposable_name(name)) continue;
    text::throw_error(errc::invalid_argument,
                      "{} is not a store and not empty: there is {} in it, but no {}; name a new "
                      "directory or an empty one",
                      directory.string(), text::shown(name), manifest_name);
  }
  if (problem) fail("read the directory", directory, problem.value());
}

// False if somebody else just made it.
bool make_directory(const fs::path& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0) {
    if (errno == EEXIST) return false;
    fail("make the directory", directory, errno);
  }
  // The new name is durable only when the directory that holds it is.
  const int parent = ::open((directory / "..").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return true;
  (void)::fsync(parent);
  ::close(parent);
  return true;
}

}  // namespace

writer::place::place(const fs::path& directory) : directory_(directory) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(directory, ignored))) made_ = make_directory(directory);
  if (made_) return;
  if (!is_folder(directory)) {
    text::throw_error(errc::io, "a store is a directory, and {} is not one; name another --store",
                      directory.string());
  } else if (has_manifest(directory)) {
    (void)read_manifest(directory);  // another program's manifest.json gets no lock beside it
  } else {
    expect_nothing_foreign(directory);
  }
}

writer::place::~place() {
  if (made_) ::rmdir(directory_.c_str());
}

writer::writer(const fs::path& directory, instant now)
    : directory_(directory), place_(directory_), lock_(directory_) {
  if (has_manifest(directory_)) {
    const reader found(directory_);
    committed_ = found.about();
    totals_ = found.totals();
  } else {
    committed_.created = now;
  }
  next_ = committed_;
  remove_obsolete();
}

writer::~writer() {
  if (!lock_.holds()) return;
  remove_obsolete();
  // Still locked, so that nobody can mistake a removed file for the lock.
  if (!continues()) ::unlink((directory_ / lock_name).c_str());
}

part_bytes writer::container(std::string_view role) const {
  return need_part(directory_, expect_part(next_, directory_, role));
}

void writer::count(instant t) {
  next_.read.count(t);
  totals_.add(t);
}

void writer::put(std::string_view role, std::span<const std::byte> container) {
  const signals_held until_written;
  const std::string file = next_name();
  save(file, container);
  take(role, file);
}

void writer::remove(std::string_view role) {
  std::erase_if(next_.containers, [role](const part& p) { return p.role == role; });
}

void writer::checkpoint() {
  const signals_held until_written;
  const std::string totals_file = next_name();
  save(totals_file, totals_.serialize());
  part totals = described("", totals_file);
  totals.others = next_.totals.others;
  next_.totals = std::move(totals);
  next_.version = bloomtime::version;
  next_.generation = committed_.generation + 1;
  const std::string text = to_text(next_);
  (void)parse_manifest(text);  // what no reader would take is not written
  expect_in_place();
  save(manifest_name, std::as_bytes(std::span(text)));
  committed_ = next_;
  number_ = 0;
  remove_obsolete();
}

// Whoever moved the store away may have put another one there, which is not ours to write into.
void writer::expect_in_place() const {
  if (lock_.holds()) return;
  text::throw_error(errc::io,
                    "the store {} or its lock was removed or replaced by somebody else; nothing "
                    "more is written into it",
                    directory_.string());
}

std::string writer::next_name() {
  expect_in_place();
  return part_name(committed_.generation + 1, ++number_);
}

void writer::save(const std::string& file, std::span<const std::byte> bytes) const {
  const std::array<std::span<const std::byte>, 1> whole{bytes};
  detail::replace_file(directory_ / file, whole, detail::links::replace, 0600);
}

// A filter that replaces a file keeps its permissions.
void writer::make_private(const std::string& file) const {
  constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int made = ::open((directory_ / file).c_str(), how, 0600);
  if (made >= 0) ::close(made);
}

part writer::described(std::string_view role, const std::string& file) const {
  const auto written = detail::mapped_file::open(directory_ / file);
  const auto view = detail::container_view::parse(written->bytes());
  return {.role = std::string(role),
          .file = file,
          .bytes = written->bytes().size(),
          .checksum = view.identity()};
}

void writer::take(std::string_view role, const std::string& file) {
  if (role.empty())
    text::throw_error(errc::invalid_argument, "a container in a store needs a role");
  part added = described(role, file);
  const auto found = std::find_if(next_.containers.begin(), next_.containers.end(),
                                  [role](const part& p) { return p.role == role; });
  if (found == next_.containers.end()) {
    next_.containers.push_back(std::move(added));
  } else {
    *found = std::move(added);
  }
}

// Everything a writer made that the store on the disk does not name. Nobody else can be writing.
void writer::remove_obsolete() noexcept {
  std::error_code ignored;
  for (const std::string& name : file_names(directory_, ignored)) {
    const fs::path path = directory_ / name;
    if (is_disposable_name(name) && !committed_.names(name) &&
        fs::symlink_status(path, ignored).type() == fs::file_type::regular) {
      fs::remove(path, ignored);
    }
  }
}

}  // namespace bloomtime::store
