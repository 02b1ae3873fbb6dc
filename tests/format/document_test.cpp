#include <gtest/gtest.h>

#include <bloomtime/bloom/bloom_filter.hpp>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "format/golden_files.hpp"

// A reader that knows docs/FORMAT.md and not the library comes to the same answers.
namespace bloomtime {
namespace document_test {

constexpr int asked = 3000;

struct run {
  int status;
  std::string output;
};

run stranger_reads(const std::filesystem::path& file) {
  const auto script = std::filesystem::path(BLOOMTIME_TESTS_DIR) / "format" / "read_format.py";
  const std::string command = "python3 '" + script.string() + "' '" + file.string() + "' " +
                              std::to_string(asked) + " 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, ""};
  std::string output;
  char chunk[4096];
  while (const std::size_t n = std::fread(chunk, 1, sizeof chunk, pipe)) output.append(chunk, n);
  return {::pclose(pipe), output};
}

template <class Maybe>
void write_maybe(std::ostream& out, Maybe&& maybe) {
  const char* separator = "";
  for (int i = 0; i < asked; ++i) {
    if (!maybe(i)) continue;
    out << separator << i;
    separator = " ";
  }
  out << '\n';
}

std::string library_says(const bloom_filter& f) {
  std::ostringstream out;
  out << "layout " << static_cast<int>(f.layout()) << " bits " << f.bits() << " k " << f.k()
      << " hash " << static_cast<int>(f.seed().id()) << " seed " << f.seed().value() << " capacity "
      << f.capacity() << " insertions " << f.insertions() << " ones " << f.ones() << '\n';
  write_maybe(out, [&](int i) { return f.may_contain(i); });
  if (f.seed().id() == hash_id::short_128) {
    write_maybe(out, [&](int i) { return f.may_contain("absent-" + std::to_string(i)); });
  }
  return out.str();
}

class document : public ::testing::TestWithParam<golden::file> {
 protected:
  void SetUp() override {
    static const bool found = std::system("python3 -c '' 2>/dev/null") == 0;
    if (!found) GTEST_SKIP() << "there is no python3";
  }
};
INSTANTIATE_TEST_SUITE_P(v1, document, ::testing::ValuesIn(golden::v1),
                         [](const auto& p) { return p.param.name; });

TEST_P(document, is_enough_to_read_a_filter) {
  const run read = stranger_reads(golden::path_of(GetParam().name));
  EXPECT_EQ(read.status, 0);
  EXPECT_EQ(read.output, library_says(bloom_filter::load(golden::path_of(GetParam().name))));
}

}  // namespace document_test
}  // namespace bloomtime
