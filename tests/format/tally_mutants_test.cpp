#include <gtest/gtest.h>

#include <bloomtime/any.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "format/golden_files.hpp"
#include "support/container_bytes.hpp"
#include "support/files.hpp"

// Every golden file of a Bloom filter or a tally with one bit flipped, or with an extreme in one of
// its parameters, and checksums made anew: what loads is saved to the same bytes.
namespace bloomtime::stored_tally_mutants_test {
namespace tally_mutants_test {

using bytes_type = std::vector<std::byte>;

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden::folder())) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("bloom_") || name.starts_with("tally_")) names.push_back(name);
  }
  return names;
}

// Whether it loads; then it must come back.
bool loads(bytes_type mutant, std::size_t at) {
  support::seal(mutant);
  std::optional<any_filter> f;
  try {
    f = load_any(mutant);
  } catch (const error&) {
    return false;
  }
  const bytes_type again = std::visit([](const auto& filter) { return filter.serialize(); }, *f);
  EXPECT_TRUE(again == mutant) << "byte " << at;
  return true;
}

class tally_mutants : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(golden, tally_mutants, ::testing::ValuesIn(files()),
                         [](const auto& p) { return p.param; });

TEST_P(tally_mutants, that_load_are_saved_to_the_same_bytes) {
  const bytes_type whole = support::read_file(golden::path_of(GetParam()));
  const std::size_t head = support::head_length(whole);
  ASSERT_GT(head, 0U);
  int loaded = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes_type mutant = whole;
      mutant[at] ^= static_cast<std::byte>(1U << bit);
      loaded += loads(std::move(mutant), at);
    }
  }
  for (std::size_t at = support::field::seed; at + 8 <= head; at += 8) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 62,
          ~std::uint64_t{0} >> 1, ~std::uint64_t{0}}) {
      bytes_type mutant = whole;
      support::put<std::uint64_t>(mutant, at, value);
      loaded += loads(std::move(mutant), at);
    }
  }
  EXPECT_GE(loaded, 64) << "any seed loads";
}

}  // namespace tally_mutants_test
}  // namespace bloomtime::stored_tally_mutants_test
