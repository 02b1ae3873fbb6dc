#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cli/logs/input_support.hpp"
#include "support/expect_error.hpp"

// Zip archives, as Python's zipfile writes them.
namespace bloomtime::logs::zip_test {

std::string text_of(const support::temporary_directory& folder, const char* file) {
  const auto bytes = support::read_file(folder / file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A stream that cannot seek gets data descriptors.
std::string zipped(const support::temporary_directory& folder, const std::string& body,
                   bool seekable) {
  const std::string script = write_text(folder / "script", R"(
import sys, zipfile, io
class pipe(io.RawIOBase):
    def __init__(self): self.all = b''
    def writable(self): return True
    def write(self, b): self.all += bytes(b); return len(b)
out = io.BytesIO() if sys.argv[2] == '1' else pipe()
archive = zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED)
)" + body + R"(
archive.close()
open(sys.argv[1], 'wb').write(out.all if sys.argv[2] == '0' else out.getvalue())
)");
  const std::string packed = (folder / "packed").string();
  const std::string command =
      "python3 '" + script + "' '" + packed + "' " + (seekable ? "1" : "0") + " 2> /dev/null";
  return std::system(command.c_str()) == 0 ? text_of(folder, "packed") : "";
}

heard read(const support::temporary_directory& folder, const std::string& bytes) {
  return read_files({write_text(folder / "log", bytes)}, {.format = "plain"});
}

constexpr const char* members = R"(
archive.writestr('logs/', '')
archive.writestr('a.log', ''.join('line %d\n' % i for i in range(50000)) + 'open')
archive.writestr('empty.log', '')
archive.writestr('b.log', 'last\n', zipfile.ZIP_DEFLATED if sys.argv[2] == '0' else zipfile.ZIP_STORED)
)";

std::string lines_of_members() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  return text + "open\nlast\n";
}

TEST(zip, members_are_read_one_after_the_other) {
  for (const bool seekable : {true, false}) {
    const support::temporary_directory folder;
    const std::string packed = zipped(folder, members, seekable);
    if (packed.empty()) GTEST_SKIP() << "python3 is not installed";
    EXPECT_TRUE(read(folder, packed).raw == lines_of_members()) << seekable;
  }
}

TEST(zip, damage_and_cuts_are_errors) {
  const support::temporary_directory folder;
  const std::string packed = zipped(folder, members, true);
  if (packed.empty()) GTEST_SKIP() << "python3 is not installed";
  for (const std::size_t cut : {packed.find("PK\1\2"), packed.size() / 2, std::size_t{20}}) {
    support::expect_error(
        errc::io, [&] { (void)read(folder, packed.substr(0, cut)); }, "ends in the middle");
  }
  std::string changed = packed;
  changed[changed.find("last") + 1] = 'A';  // stored, so that only the checksum tells
  support::expect_error(
      errc::io, [&] { (void)read(folder, changed); }, "is damaged");
}

TEST(zip, what_cannot_be_read_is_refused_with_the_reason) {
  const support::temporary_directory folder;
  const std::string packed = zipped(folder, members, true);
  if (packed.empty()) GTEST_SKIP() << "python3 is not installed";
  std::string changed = packed;
  changed[6] |= 1;
  support::expect_error(
      errc::io, [&] { (void)read(folder, changed); }, "is encrypted");
  changed = packed;
  changed[8] = 12;
  support::expect_error(
      errc::io, [&] { (void)read(folder, changed); }, "another method");
  changed = packed;
  changed[6] |= 8;
  changed[8] = 0;
  support::expect_error(
      errc::io, [&] { (void)read(folder, changed); }, "how large a stored member is");
}

TEST(zip, text_that_begins_alike_is_text) {
  EXPECT_EQ(read_text("PK\nBZh\n", {.format = "plain"}).counts.events, 2U);
  EXPECT_EQ(read_text("BZhx lines\n", {.format = "plain"}).counts.events, 1U);
}

}  // namespace bloomtime::logs::zip_test
