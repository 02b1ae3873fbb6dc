#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/error.hpp>
#include <bloomtime/math/binomial.hpp>
#include <bloomtime/math/bloom.hpp>

#include "support/numbers.hpp"

namespace bloomtime::math {
namespace math_bloom_test {

using support::nan;

constexpr std::uint64_t million = 1'000'000;
constexpr std::uint64_t trillion = 1'000'000'000'000;

double relative_error(double got, double truth) { return std::abs(got / truth - 1); }

// The mean of chance(load) over a binomial load, every term on its own.
double naive_mix(std::uint64_t items, std::uint64_t lines, std::function<double(double)> chance) {
  double sum = 0;
  for (std::uint64_t i = 0; i <= items; ++i) {
    const double weight = binomial_pmf(items, i, 1 / static_cast<double>(lines));
    sum += weight * chance(static_cast<double>(i));
  }
  return sum;
}

// All probed bits set, given the number of items in the line, without any approximation: by
// inclusion and exclusion over the sets of probed bits that stay clear. An item that starts at
// word s leaves u_j given bits of word j clear with chance prod (1 - u_j/64) over its probes.
class exact_line {
 public:
  explicit exact_line(unsigned k) {
    const unsigned first = std::min(k, 8U);
    const unsigned second = k > 8 ? k - 8 : 0;
    unsigned clear[8] = {};
    unsigned most[8] = {};
    for (unsigned j = 0; j < first; ++j) most[j] = j < second ? 2 : 1;
    for (;;) {
      add(clear, most, first, second);
      unsigned j = 0;
      while (j < 8 && clear[j] == most[j]) clear[j++] = 0;
      if (j == 8) break;
      ++clear[j];
    }
  }

  std::vector<double> chances(std::size_t most_load) const {
    auto terms = terms_;
    std::vector<double> result = {0};
    while (result.size() <= most_load) {
      long double sum = 0;
      for (auto& [key, t] : terms) sum += t.weight *= t.base;
      result.push_back(std::max(0., static_cast<double>(sum)));
    }
    return result;
  }

 private:
  struct term {
    long double base = 0;
    long double weight = 0;
  };

  void add(const unsigned* clear, const unsigned* most, unsigned first, unsigned second) {
    long double weight = 1;
    for (unsigned j = 0; j < 8; ++j) {
      // Two probes of one word are two different bits with chance 63/64, else one bit.
      if (clear[j] == 1) weight *= most[j] == 2 ? -(2 * 63 + 1) / 64.L : -1;
      if (clear[j] == 2) weight *= 63 / 64.L;
    }
    long double base = 0;
    for (unsigned start = 0; start < 8; ++start) {
      long double stays = 1;
      for (unsigned j = 0; j < 8; ++j) {
        const unsigned distance = (j - start) & 7;
        if (distance < first) stays *= 1 - clear[j] / 64.L;
        if (distance < second) stays *= 1 - clear[j] / 64.L;
      }
      base += stays / 8;
    }
    term& t = terms_[static_cast<double>(base)];
    t.base = base;
    t.weight += weight;
  }

  std::map<double, term> terms_;
};

double exact_line_error(std::uint64_t items, std::uint64_t lines, const std::vector<double>& at) {
  double sum = 0;
  for (std::size_t i = 1; i < at.size(); ++i) {
    sum += at[i] * binomial_pmf(items, i, 1 / static_cast<double>(lines));
  }
  return sum;
}

TEST(bloom_error, flat_equals_its_definition) {
  for (const unsigned bits : {2U, 64U, 1000U}) {
    for (const unsigned k : {1U, 3U, 11U}) {
      for (const unsigned items : {1U, 10U, 200U}) {
        long double clear = 1;
        for (unsigned i = 0; i < k * items; ++i) clear *= 1 - 1.L / bits;
        const auto truth = static_cast<double>(std::pow(1 - clear, k));
        // k times the error of the fill, itself 2200 half ulps of long double.
        EXPECT_LT(relative_error(flat_error(items, bits, k), truth), 1e-14);
      }
    }
  }
}

TEST(bloom_error, small_errors_keep_their_digits) {
  // One item in 2^43 bits: 1 - (1 - 2^-43) naively has three digits.
  EXPECT_LT(relative_error(flat_error(1, max_bits, 1), 0x1p-43), 1e-13);
  EXPECT_LT(relative_error(rows_error(1, max_bits, 2), 0x1p-84), 1e-13);
  EXPECT_LT(relative_error(line_error(1, max_bits / 512, 1), 0x1p-43), 1e-12);
}

TEST(bloom_error, no_item_no_error_and_a_single_cell_says_yes) {
  for (const layout kind : {layout::flat, layout::rows, layout::line}) {
    EXPECT_EQ(bloom_error(kind, 0, 512, 4), 0);
    EXPECT_EQ(bloom_error(kind, trillion, 512, 4), 1);
  }
  EXPECT_EQ(flat_error(1, 1, 1), 1);
  EXPECT_EQ(flat_error(0, 1, 1), 0);
  EXPECT_EQ(rows_error(1, 4, 4), 1);
  EXPECT_EQ(rows_error(0, 4, 4), 0);
  EXPECT_EQ(line_cells_error(3, 1, 4, 4), 1);
  EXPECT_EQ(line_cells_error(0, 7, 4, 4), 0);
}

TEST(bloom_error, rows_are_independent_arrays) {
  for (const unsigned k : {1U, 4U, 7U}) {
    const double one = flat_error(100, 300, 1);
    EXPECT_LT(relative_error(rows_error(100, 300 * k, k), std::pow(one, k)), 1e-14);
  }
}

// Up to 400 terms with an accumulated product each: 400 ulps at worst.
TEST(bloom_error, line_equals_the_whole_sum) {
  for (const std::uint64_t lines : {1U, 2U, 9U, 400U}) {
    for (const std::uint64_t items : {1U, 3U, 50U, 400U}) {
      for (const unsigned k : {1U, 8U}) {
        const auto chance = [k](double load) {
          return std::pow(1 - std::pow(1 - k / 512., load), k);
        };
        EXPECT_LT(relative_error(line_error(items, lines, k), naive_mix(items, lines, chance)),
                  1e-12)
            << items << " items, " << lines << " lines, k = " << k;
      }
      for (const unsigned k : {1U, 4U, 6U, 16U}) {
        const auto chance = [k](double load) {
          double all = 1;
          for (unsigned i = 0; i < k; ++i) {
            const unsigned share = (i + 1) * 16 / k - i * 16 / k;
            all *= load == 0 ? 0 : 1 - std::pow(1 - 1. / share, load);
          }
          return all;
        };
        EXPECT_LT(
            relative_error(line_cells_error(items, lines, 16, k), naive_mix(items, lines, chance)),
            1e-12)
            << items << " items, " << lines << " lines, k = " << k;
      }
    }
  }
}

// The bounds that the header states.
TEST(bloom_error, line_is_close_to_inclusion_and_exclusion) {
  for (unsigned k = 1; k <= 16; ++k) {
    const std::vector<double> chances = exact_line(k).chances(260);
    for (const std::uint64_t bits_per_item : {4U, 8U, 12U, 16U, 24U, 32U}) {
      const std::uint64_t lines = million * bits_per_item / 512;
      const double ratio =
          exact_line_error(million, lines, chances) / line_error(million, lines, k);
      const double low = k <= 8 || k == 16 ? 1 - 1e-9 : 0.978;
      EXPECT_GE(ratio, low) << "k = " << k << ", " << bits_per_item << " bits per item";
      EXPECT_LE(ratio, 1 + 1e-9) << "k = " << k << ", " << bits_per_item << " bits per item";
    }
  }
}

TEST(bloom_error, sizes_for_lines_keep_their_error_within_a_hundredth) {
  for (const double wanted : {0.3, 0.1, 0.05, 0.02, 0.01, 5e-3, 1e-3, 5e-4, 1e-4, 1e-5, 1e-6}) {
    for (const unsigned most_k : {8U, 16U}) {
      const bloom_size size = size_for_error(layout::line, million, wanted, most_k);
      const std::vector<double> chances = exact_line(size.k).chances(450);
      const double truth = exact_line_error(million, size.bits / 512, chances);
      EXPECT_LE(truth, wanted * (1 + 1e-9));
      EXPECT_GT(truth, 0.985 * wanted);
    }
  }
}

// One item and a query in the same line: for k < 8 they must start at the same word.
TEST(bloom_error, line_with_a_single_item) {
  for (unsigned k = 2; k <= 8; ++k) {
    const double truth = std::pow(64., -static_cast<double>(k)) / (k < 8 ? 8 : 1);
    // 2^k alternating terms next to 1, each rounded to 64 bits.
    EXPECT_NEAR(line_error(1, 1, k), truth, 1e-17) << k;
  }
  // Three times less than if the words were independent; sizing must not miss that.
  EXPECT_EQ(size_for_error(layout::line, 1, 5e-14, 7).bits, 512U);
}

TEST(bloom_error, crowded_lines_tend_to_one) {
  // Around 23000 items per line the summation changes from the middle to the rare light lines.
  double last = 0;
  for (std::uint64_t items = 1'000; items < 1'000'000'000; items += items / 3) {
    const double now = line_error(items, 100, 1);
    EXPECT_NEAR(now, flat_error(items, 51'200, 1), 1e-13);
    EXPECT_GE(now, last - 1e-15);
    last = now;
  }
  EXPECT_EQ(last, 1);
}

// The common formula of docs/math.md, Error of a line, is too low: it gives 6.50 .. 66.0.
TEST(bloom_error, cells_per_item_of_lines) {
  struct row {
    unsigned cells;
    double wanted;
    double cells_per_item;
  };
  for (const row& r : {row{128, 0.05, 6.58}, row{64, 0.05, 6.94}, row{16, 0.05, 9.18},
                       row{128, 0.01, 10.99}, row{64, 0.01, 12.42}, row{16, 0.01, 23.30},
                       row{128, 0.001, 19.40}, row{32, 0.001, 39.88}}) {
    const auto best = [&](double cells_per_item) {
      const auto lines = static_cast<std::uint64_t>(1e7 * cells_per_item / r.cells);
      double least = 1;
      for (unsigned k = 1; k <= 10; ++k) {
        least = std::min(least, line_cells_error(10 * million, lines, r.cells, k));
      }
      return least;
    };
    EXPECT_GT(best(r.cells_per_item - 0.01), r.wanted);
    EXPECT_LT(best(r.cells_per_item + 0.01), r.wanted);
  }
}

TEST(bloom_error, refuses_bad_arguments) {
  EXPECT_THROW(flat_error(1, 0, 1), error);
  EXPECT_THROW(flat_error(1, 64, 0), error);
  EXPECT_THROW(flat_error(1, 64, 65), error);
  EXPECT_THROW(rows_error(1, 3, 4), error);
  EXPECT_THROW(line_error(1, 0, 1), error);
  EXPECT_THROW(line_error(1, 1, 17), error);
  EXPECT_THROW(line_cells_error(1, 0, 8, 1), error);
  EXPECT_THROW(line_cells_error(1, 1, 0, 1), error);
  EXPECT_THROW(line_cells_error(1, 1, 8, 9), error);
}

TEST(bloom_size, flat_is_the_textbook) {
  // ln(1/e) / ln^2 2 bits per item is what a real-valued k would need.
  for (const double wanted : {0.25, 0.01, 1e-3, 1e-6, 1e-9}) {
    const bloom_size size = size_for_error(layout::flat, million, wanted);
    const double least = 1e6 * std::log(1 / wanted) / (std::numbers::ln2 * std::numbers::ln2);
    EXPECT_GE(static_cast<double>(size.bits), least - 64);
    EXPECT_LE(static_cast<double>(size.bits), least * 1.01);
    EXPECT_EQ(size.bits % 64, 0U);
    EXPECT_EQ(size.layout, layout::flat);
  }
  EXPECT_EQ(size_for_error(layout::flat, million, 0.01).k, 7U);
}

TEST(bloom_size, works_from_one_item_to_a_trillion) {
  for (const layout kind : {layout::flat, layout::rows, layout::line}) {
    for (const double wanted : {1e-15, 1e-9, 1e-3, 0.5, 0.9, 0.999}) {
      for (const std::uint64_t items : {std::uint64_t{1}, std::uint64_t{7}, million, trillion}) {
        try {
          const bloom_size size = size_for_error(kind, items, wanted);
          EXPECT_LE(size.error, wanted);
          EXPECT_LE(size.bits, max_bits);
          EXPECT_EQ(size.error, bloom_error(kind, items, size.bits, size.k));
        } catch (const error& e) {
          EXPECT_EQ(e.code(), errc::too_large);
          const double bits = static_cast<double>(items) * optimal_bits_per_item(wanted);
          EXPECT_GT(bits * (kind == layout::line ? 200 : 1.5), static_cast<double>(max_bits));
        }
      }
    }
  }
}

TEST(bloom_size, a_budget_is_kept_but_for_the_first_unit) {
  EXPECT_EQ(size_for_bits(layout::flat, 10, 1).bits, 64U);
  EXPECT_EQ(size_for_bits(layout::flat, 10, 127).bits, 64U);
  EXPECT_EQ(size_for_bits(layout::line, 10, 1).bits, 512U);
  EXPECT_EQ(size_for_bits(layout::line, 10, 1535).bits, 1024U);
  const bloom_size rows = size_for_bits(layout::rows, 10, 101);
  EXPECT_EQ(rows.bits, 101 / rows.k * rows.k);
  EXPECT_EQ(size_for_bits(layout::rows, 10, 1), (bloom_size{layout::rows, 1, 1, 1}));
}

TEST(bloom_size, k_can_be_capped) {
  EXPECT_EQ(size_for_error(layout::line, million, 1e-4, 8).k, 8U);
  EXPECT_EQ(size_for_error(layout::line, million, 1e-4).k, 12U);
  EXPECT_EQ(size_for_bits(layout::flat, million, 20 * million, 3).k, 3U);
  EXPECT_THROW(size_for_error(layout::line, million, 0.01, 17), error);
  EXPECT_THROW(size_for_bits(layout::flat, million, million, 0), error);
}

void expect_refusal(errc code, const std::string& part, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code);
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(bloom_size, refusals_say_what_was_expected_and_what_came) {
  for (const layout kind : {layout::flat, layout::rows, layout::line}) {
    for (const double bad : {0., 1., -0.1, 2., nan}) {
      EXPECT_THROW(size_for_error(kind, 10, bad), error);
      EXPECT_THROW(plan_bloom(10, bad), error);
    }
    expect_refusal(errc::invalid_argument, "strictly between 0 and 1, got 1.5",
                   [&] { size_for_error(kind, 10, 1.5); });
    expect_refusal(errc::invalid_argument, "at least one item, got 0",
                   [&] { size_for_error(kind, 0, 0.1); });
    expect_refusal(errc::invalid_argument, "at least one item, got 0",
                   [&] { size_for_bits(kind, 0, 64); });
    expect_refusal(errc::invalid_argument, "at least one bit, got 0",
                   [&] { size_for_bits(kind, 10, 0); });
    expect_refusal(errc::too_large, "got 8796093022209",
                   [&] { size_for_bits(kind, 10, max_bits + 1); });
    expect_refusal(errc::too_large, "1000000000000 items at an error of 1e-12 need more",
                   [&] { size_for_error(kind, trillion, 1e-12); });
  }
}

TEST(bloom_plan, takes_lines_while_they_cost_at_most_fifteen_percent) {
  for (const double wanted : {0.5, 0.1, 0.05, 0.01, 5e-3, 1e-3, 5e-4}) {
    const bloom_size plan = plan_bloom(million, wanted);
    EXPECT_EQ(plan, size_for_error(layout::line, million, wanted, 8));
  }
  // 15.4 % more than flat even with two bits per word.
  for (const double wanted : {1e-4, 1e-5, 1e-6, 1e-15}) {
    EXPECT_EQ(plan_bloom(million, wanted), size_for_error(layout::flat, million, wanted));
  }
  // In between: k <= 8 costs 16.6 %, k <= 16 costs 12.4 %.
  const bloom_size two_per_word = plan_bloom(million, 2.5e-4);
  EXPECT_EQ(two_per_word, size_for_error(layout::line, million, 2.5e-4));
  EXPECT_GT(two_per_word.k, 8U);
  // A line is too much for one item.
  EXPECT_EQ(plan_bloom(1, 0.01).layout, layout::flat);
}

TEST(bloom_plan, follows_the_same_rule_for_a_given_size) {
  for (const std::uint64_t bits_per_item : {1U, 5U, 10U, 17U}) {
    const std::uint64_t bits = million * bits_per_item;
    EXPECT_EQ(plan_bloom_in_bits(million, bits), size_for_bits(layout::line, million, bits, 8));
  }
  // Two bits per word between about 18.5 and 22 bits per item, as plan_bloom.
  EXPECT_EQ(plan_bloom_in_bits(million, 20 * million),
            size_for_bits(layout::line, million, 20 * million));
  EXPECT_GT(plan_bloom_in_bits(million, 20 * million).k, 8U);
  for (const std::uint64_t bits_per_item : {24U, 40U}) {
    const std::uint64_t bits = million * bits_per_item;
    EXPECT_EQ(plan_bloom_in_bits(million, bits), size_for_bits(layout::flat, million, bits));
  }
  // Too small for a line.
  EXPECT_EQ(plan_bloom_in_bits(1, 1), size_for_bits(layout::flat, 1, 64));
  EXPECT_EQ(plan_bloom_in_bits(1'000, 511).layout, layout::flat);
  EXPECT_THROW(plan_bloom_in_bits(0, 64), error);
  EXPECT_THROW(plan_bloom_in_bits(1, 0), error);
  EXPECT_THROW(plan_bloom_in_bits(1, max_bits + 1), error);
}

TEST(bloom_fill, inverts_the_expected_number_of_ones) {
  for (const double items : {1., 1e3, 1e6}) {
    for (const unsigned k : {1U, 5U, 8U, 13U, 16U}) {
      const double bits = 12'800'000;
      const double line_miss = (1 - std::min(k, 8U) / 512.) * (1 - (k > 8 ? k - 8 : 0) / 512.);
      const std::pair<layout, double> misses[] = {
          {layout::flat, k * std::log1p(-1 / bits)},
          {layout::rows, std::log1p(-(k / bits))},
          {layout::line, std::log1p(-(1 - line_miss) * 512 / bits)}};
      for (const auto& [kind, log_miss] : misses) {
        const double ones = -bits * std::expm1(items * log_miss);
        const auto whole = static_cast<std::uint64_t>(std::llround(ones));
        // Rounding to a whole number of ones moves the estimate by at most 1/2 of what one bit
        // means, about bits / (k * zeros) items.
        const double slack = 0.51 * bits / (k * (bits - ones)) * (kind == layout::line ? 1.02 : 1);
        EXPECT_NEAR(fill_items(whole, 12'800'000, k, kind), items, slack + items * 1e-9);
      }
    }
  }
  EXPECT_EQ(fill_items(0, 64, 3), 0);
  EXPECT_EQ(fill_items(64, 64, 3), std::numeric_limits<double>::infinity());
  EXPECT_THROW(fill_items(65, 64, 3), error);
  EXPECT_THROW(fill_items(0, 0, 3), error);
  EXPECT_THROW(fill_items(1, 64, 0), error);
}

TEST(bloom_fill, optimum_is_the_information) {
  EXPECT_EQ(optimal_bits_per_item(0.5), 1);
  EXPECT_EQ(optimal_bits_per_item(0x1p-20), 20);
  EXPECT_THROW(optimal_bits_per_item(0), error);
  EXPECT_THROW(optimal_bits_per_item(nan), error);
}

TEST(layouts, have_names_and_fixed_numbers) {
  EXPECT_EQ(name_of(layout::flat), "flat");
  EXPECT_EQ(name_of(layout::rows), "rows");
  EXPECT_EQ(name_of(layout::line), "line");
  EXPECT_EQ(static_cast<int>(layout::flat), 1);
  EXPECT_EQ(static_cast<int>(layout::rows), 2);
  EXPECT_EQ(static_cast<int>(layout::line), 3);
}

}  // namespace math_bloom_test
}  // namespace bloomtime::math
