#include <gtest/gtest.h>

#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "format/golden_files.hpp"
#include "format/golden_recipes.hpp"
#include "support/container_bytes.hpp"
#include "support/files.hpp"

namespace bloomtime {
namespace golden_test {

namespace fs = std::filesystem;

class golden_file : public ::testing::TestWithParam<golden::file> {};
INSTANTIATE_TEST_SUITE_P(v1, golden_file, ::testing::ValuesIn(golden::v1),
                         [](const auto& p) { return p.param.name; });

void expect_shape(const bloom_filter& f, const golden::file& expected) {
  EXPECT_EQ(f.layout(), expected.shape.layout);
  EXPECT_EQ(f.bits(), expected.shape.bits);
  EXPECT_EQ(f.k(), expected.shape.k);
  EXPECT_EQ(f.seed(), expected.shape.seed);
  EXPECT_EQ(f.capacity(), expected.shape.capacity);
  EXPECT_EQ(f.insertions(), 2u * static_cast<unsigned>(expected.items));
  EXPECT_EQ(f.ones(), expected.ones);
}

void expect_answers(const bloom_filter& f, const golden::file& expected) {
  for (int i = 0; i < expected.items; ++i) {
    EXPECT_TRUE(f.may_contain(i)) << i;
    EXPECT_TRUE(f.may_contain("item-" + std::to_string(i))) << i;
  }
  int integers = 0;
  int texts = 0;
  for (int i = 0; i < 2000; ++i) {
    integers += f.may_contain(1000 + i);
    texts += f.may_contain("absent-" + std::to_string(i));
  }
  EXPECT_EQ(integers, expected.maybe_integers);
  EXPECT_EQ(texts, expected.maybe_texts);
}

TEST_P(golden_file, loads_with_the_answers_it_had) {
  const bloom_filter f = bloom_filter::load(golden::path_of(GetParam().name));
  expect_shape(f, GetParam());
  expect_answers(f, GetParam());
}

TEST_P(golden_file, answers_from_the_file_itself) {
  const auto f = bloom_filter::map(golden::path_of(GetParam().name));
  f.verify();
  expect_shape(*f, GetParam());
  expect_answers(*f, GetParam());
}

TEST_P(golden_file, is_recognised_and_written_back_as_it_was) {
  const any_filter f = load_any(golden::path_of(GetParam().name));
  EXPECT_TRUE(std::get<bloom_filter>(f).serialize() ==
              support::read_file(golden::path_of(GetParam().name)));
}

// The same items make the same bytes, today and on every machine.
TEST_P(golden_file, is_what_its_recipe_makes) {
  EXPECT_TRUE(golden::make(GetParam()).serialize() ==
              support::read_file(golden::path_of(GetParam().name)));
}

class golden_recipe : public ::testing::TestWithParam<golden::recipe> {};
INSTANTIATE_TEST_SUITE_P(v1, golden_recipe, ::testing::ValuesIn(golden::recipes),
                         [](const auto& p) { return p.param.name; });

TEST_P(golden_recipe, makes_the_file_that_was_written) {
  EXPECT_TRUE(golden::bytes_of(GetParam().make()) ==
              support::read_file(golden::path_of(GetParam().name)));
}

TEST_P(golden_recipe, is_recognised_and_written_back_as_it_was) {
  EXPECT_TRUE(golden::bytes_of(load_any(golden::path_of(GetParam().name))) ==
              support::read_file(golden::path_of(GetParam().name)));
}

// With either hash. Filters of different hashes have nothing in common and do not merge.
TEST_P(golden_recipe, keeps_its_hash_and_merges_with_no_other) {
  any_filter old = GetParam().with(hash_id::xxh3_128);
  const any_filter fresh = GetParam().with(hash_id::short_128);
  EXPECT_FALSE(golden::bytes_of(old) == golden::bytes_of(fresh));
  const auto judge = [&]<class Filter>(Filter& f) {
    const Filter& other = std::get<Filter>(fresh);
    EXPECT_EQ(Filter::load(f.serialize()).seed(), f.seed());
    EXPECT_EQ(Filter::load(other.serialize()).seed(), other.seed());
    EXPECT_EQ(f.seed(), hash_seed(other.seed().value(), hash_id::xxh3_128));
    if constexpr (requires { f.merge(other); }) {
      EXPECT_THROW((void)f.merge(other), error);
    }
  };
  std::visit(judge, old);
}

class golden_coarse_decay : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(v1, golden_coarse_decay, ::testing::ValuesIn(golden::coarse_decays),
                         [](const auto& p) { return p.param; });

// The rate to which their half-life was rounded is what their cells have faded by.
TEST_P(golden_coarse_decay, keeps_its_rate_and_goes_on_with_it) {
  const std::vector<std::byte> stored = support::read_file(golden::path_of(GetParam()));
  any_filter f = load_any(golden::path_of(GetParam()));
  EXPECT_TRUE(golden::bytes_of(f) == stored);
  const auto go_on = []<class Filter>(Filter& any) {
    if constexpr (requires { any.decay().fine_rate(); }) {
      const decay before = any.decay();
      EXPECT_EQ(before.fine_rate(), 0u);
      EXPECT_EQ(any.add("item-1", golden::seconds_later(2000), 3), outcome::added);
      EXPECT_EQ(Filter::load(any.serialize()).decay(), before);
    } else {
      ADD_FAILURE() << "not a filter with a decay rate";
    }
  };
  std::visit(go_on, f);
  EXPECT_FALSE(golden::bytes_of(f) == stored);
}

TEST(golden_files, with_shared_bits_are_written_back_as_they_were) {
  for (const char* name : golden::shared_bits) {
    const fs::path path = golden::path_of(name);
    EXPECT_TRUE(golden::bytes_of(load_any(path)) == support::read_file(path)) << name;
  }
}

TEST(golden_files, of_prints_removed_later_are_written_back_and_go_on) {
  for (const char* name : golden::removed_later) {
    const fs::path path = golden::path_of(name);
    recency_table f = recency_table::load(path);
    EXPECT_TRUE(f.serialize() == support::read_file(path)) << name;
    const instant later(f.newest().value_or(instant(0)).micros + 1);
    EXPECT_EQ(f.add("item-1", later), outcome::added) << name;
    EXPECT_TRUE(f.seen("item-1", later)) << name;
    EXPECT_TRUE(recency_table::load(f.serialize()).serialize() == f.serialize()) << name;
  }
}

// Their partitions are never joined by eights.
TEST(golden_files, of_partitions_apart_are_written_back_and_go_on_as_they_were) {
  for (const char* name : golden::apart) {
    const fs::path path = golden::path_of(name);
    EXPECT_TRUE(golden::bytes_of(load_any(path)) == support::read_file(path)) << name;
    history h = history::load(path);
    const std::size_t before = h.partitions();
    for (std::int64_t i = 0; i < 20; ++i) {
      ASSERT_EQ(h.add("new", golden::seconds_later(24 * 3600 + i * 6 * 3600)), outcome::added);
    }
    EXPECT_TRUE(h.config().retention != 0 || h.partitions() == before + 20) << name;
    EXPECT_TRUE(history::load(h.serialize()).serialize() == h.serialize());
  }
}

TEST(golden_files, are_all_in_the_table_and_small) {
  std::set<std::string> known;
  for (const golden::file& f : golden::v1) known.insert(golden::path_of(f.name).filename());
  for (const golden::recipe& r : golden::recipes) known.insert(golden::path_of(r.name).filename());
  for (const char* name : golden::coarse_decays) known.insert(golden::path_of(name).filename());
  for (const char* name : golden::shared_bits) known.insert(golden::path_of(name).filename());
  for (const char* name : golden::removed_later) known.insert(golden::path_of(name).filename());
  for (const char* name : golden::apart) known.insert(golden::path_of(name).filename());
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(golden::folder())) {
    found.insert(entry.path().filename());
    EXPECT_LT(entry.file_size(), 4096u) << entry.path();
  }
  EXPECT_EQ(found, known);
}

void write_seeds_of_the_fuzzer(const std::string& name, const std::vector<std::byte>& stored) {
  std::vector<std::byte> seed{std::byte{0}};
  seed.insert(seed.end(), stored.begin(), stored.end());
  const fs::path corpus = fs::path(BLOOMTIME_TESTS_DIR) / "fuzz" / "corpus" / "container";
  for (const int mode : {0, 1, 2, 3}) {
    if (mode == 3 && support::partitions_of(std::span(seed).subspan(1)).empty())
      continue;  // nothing inside
    seed[0] = static_cast<std::byte>(mode);
    support::write_file(corpus / (name + "_" + std::to_string(mode)), seed);
  }
}

void print_numbers(const golden::file& file, const bloom_filter& f) {
  int integers = 0;
  int texts = 0;
  for (int i = 0; i < 2000; ++i) {
    integers += f.may_contain(1000 + i);
    texts += f.may_contain("absent-" + std::to_string(i));
  }
  std::printf("%s: ones %ju, maybe %d, %d\n", file.name, std::uintmax_t{f.ones()}, integers, texts);
}

// By hand, once per version of the format, and then never again for that version:
//   BLOOMTIME_WRITE_GOLDEN=1 format_tests --gtest_filter='golden_files.*'
// Files that are there already stay as they are. It prints the numbers for the table. The seeds of
// the fuzzer are the same files behind a byte that says what to seal
// (tests/fuzz/container_fuzz.cpp).
TEST(golden_files, can_be_written) {
  const bool here = std::getenv("BLOOMTIME_WRITE_GOLDEN") != nullptr;
  const support::temporary_directory elsewhere;
  const auto write = [&](const std::string& name, const std::vector<std::byte>& bytes) {
    const fs::path path = here ? golden::path_of(name) : elsewhere / name.c_str();
    if (fs::exists(path)) return;
    support::write_file(path, bytes);
    EXPECT_TRUE(golden::bytes_of(load_any(path)) == bytes);
    if (here) write_seeds_of_the_fuzzer(name, bytes);
  };
  for (const golden::file& file : golden::v1) {
    const bloom_filter f = golden::make(file);
    write(file.name, f.serialize());
    if (here) print_numbers(file, f);
  }
  for (const golden::recipe& r : golden::recipes) write(r.name, golden::bytes_of(r.make()));
}

}  // namespace golden_test
}  // namespace bloomtime
