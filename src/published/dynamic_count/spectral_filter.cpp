#include <bloomtime/published/dynamic_count/spectral_filter.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <bloomtime/detail/storing.hpp>

namespace bloomtime::published {
namespace {

constexpr unsigned length_bits = 6;
constexpr unsigned most_per_slack = 64;

unsigned checked(unsigned counters_per_slack) {
  if (counters_per_slack < 1 || counters_per_slack > most_per_slack) {
    throw error(errc::invalid_argument,
                "a spectral filter has one spare bit for 1 to 64 counters, got one for " +
                    std::to_string(counters_per_slack));
  }
  return counters_per_slack;
}

// Bits per counter of an empty filter. The recurring minimum adds a second filter with rows of half
// the length.
double bits_per_counter(const spectral_config& c, spectral_rule rule) {
  const double slack = 1.0 / checked(c.counters_per_slack);
  const auto g = string_groups_for(c.memory.value_or(1) / 2);
  const double filters = rule == spectral_rule::recurrence ? 1.5 : 1;
  return filters * (2 + slack + g.offset_bits * (1 + 1.0 / g.chunk));
}

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  return a > ~b ? ~std::uint64_t{0} : a + b;
}

// Changes several counters, or none if memory runs out.
class changes {
 public:
  void plan(detail::string_array& array, std::uint64_t cell, std::uint64_t before,
            std::uint64_t after) {
    list_[count_++] = {&array, cell, before, after};
  }
  void apply() {
    for (std::size_t i = 0; i < count_; ++i) {
      try {
        list_[i].array->set(list_[i].cell, list_[i].after);
      } catch (const std::exception&) {
        while (i-- > 0) list_[i].array->set(list_[i].cell, list_[i].before);  // needs no new memory
        throw;
      }
    }
  }

 private:
  struct change {
    detail::string_array* array;
    std::uint64_t cell;
    std::uint64_t before;
    std::uint64_t after;
  };
  std::array<change, 2 * max_tally_k> list_;
  std::size_t count_ = 0;
};

std::vector<std::uint64_t> values_of(const detail::string_array& a) {
  std::vector<std::uint64_t> values(a.size());
  for (std::uint64_t c = 0; c < a.size(); ++c) values[c] = a.get(c);
  return values;
}

detail::string_array sum_of(const detail::string_array& a, const detail::string_array& b) {
  if (a.size() == 0) return {};
  std::vector<std::uint64_t> values = values_of(a);
  for (std::uint64_t c = 0; c < b.size(); ++c) values[c] = sum_of(values[c], b.get(c));
  return {std::span<const std::uint64_t>(values), a.counters_per_slack()};
}

constexpr std::uint32_t lengths_section = 1;  // and the counters in 2; of the second filter 3 and 4

// Sections `id` and `id + 1`: the lengths of counters, less one, in 6 bits each, and the counters.
void write_counters(const detail::string_array& a, detail::container_writer& out,
                    std::uint32_t id) {
  constexpr std::size_t spare = detail::readable_past_end;  // fields are written by words
  std::vector<std::byte> lengths((a.size() * length_bits + 7) / 8 + spare);
  std::vector<std::byte> bits((a.counter_bits() + 7) / 8 + spare);
  std::uint64_t at = 0;
  for (std::uint64_t c = 0; c < a.size(); ++c) {
    const std::uint64_t value = a.get(c);
    const unsigned length = detail::string_array::length_of(value);
    detail::set_field(lengths.data(), c * length_bits, length_bits, length - 1);
    detail::set_field(bits.data(), at, length, value);
    at += length;
  }
  lengths.resize(lengths.size() - spare);
  bits.resize(bits.size() - spare);
  out.section(id, std::move(lengths));
  out.section(id + 1, std::move(bits));
}

// Empty if a length is not minimal or if the number of bits does not match the lengths.
std::vector<std::uint64_t> read_counters(std::span<const std::byte> lengths,
                                         std::span<const std::byte> bits, std::uint64_t counters) {
  const detail::field_vector all(detail::buffer::borrow(lengths, nullptr), counters, length_bits);
  std::uint64_t total = 0;
  for (std::uint64_t c = 0; c < counters; ++c) total += all.get(c) + 1;
  if (!all.padding_is_zero() || bits.size() != (total + 7) / 8) return {};
  std::vector<std::uint64_t> values(counters);
  std::uint64_t at = 0;
  for (std::uint64_t c = 0; c < counters; ++c) {
    const auto length = static_cast<unsigned>(all.get(c)) + 1;
    values[c] = detail::get_field(bits.data(), at, length);
    if (detail::string_array::length_of(values[c]) != length) return {};
    at += length;
  }
  const auto padding = static_cast<unsigned>(8 * bits.size() - at);
  if (detail::get_field(bits.data(), at, padding) != 0) return {};
  return values;
}

}  // namespace

template <spectral_rule Rule>
basic_spectral_filter<Rule>::basic_spectral_filter(detail::row_shape shape,
                                                   unsigned counters_per_slack,
                                                   const hash_seed& seed)
    : base(shape, seed), counters_(this->cells(), counters_per_slack) {
  if constexpr (!one_sided) {
    second_ = detail::string_array(this->k() * second_row(), counters_per_slack);
  }
}

template <spectral_rule Rule>
basic_spectral_filter<Rule>::basic_spectral_filter(const spectral_config& c)
    : basic_spectral_filter(detail::shape_of({c.items, c.error, c.memory, c.k,
                                              bits_per_counter(c, Rule), kind.called}),
                            c.counters_per_slack, c.seed) {}

template <spectral_rule Rule>
typename basic_spectral_filter<Rule>::spots basic_spectral_filter<Rule>::look_up_second(
    digest d) const noexcept {
  spots found;
  const detail::row_probes probes{second_row(), this->k()};
  const digest other = derive(d, 1);  // so that items share cells in one of the filters only
  for (unsigned i = 0; i < this->k(); ++i) {
    found.cell[i] = probes.position(other, i);
    found.value[i] = second_.get(found.cell[i]);
    found.least = std::min(found.least, found.value[i]);
  }
  return found;
}

template <spectral_rule Rule>
bool basic_spectral_filter<Rule>::alone(const spots& found) const noexcept {
  return std::count(found.value.begin(), found.value.begin() + this->k(), found.least) == 1;
}

template <spectral_rule Rule>
outcome basic_spectral_filter<Rule>::add_digest(digest d, std::uint64_t amount) {
  this->expect_cells();
  if (amount == 0) return outcome::added;
  if (this->exceeds_total(amount)) return outcome::full;
  const spots found = this->look_up(d);
  const std::uint64_t raised = found.least + amount;
  changes all;
  for (unsigned i = 0; i < this->k(); ++i) {
    const std::uint64_t value = found.value[i];
    const std::uint64_t after =
        Rule == spectral_rule::increase ? std::max(value, raised) : value + amount;
    if (after != value) all.plan(counters_, found.cell[i], value, after);
  }
  if constexpr (!one_sided) {
    if (alone(found)) {
      const spots second = look_up_second(d);
      const std::uint64_t more = second.least > 0 ? amount : raised;
      for (unsigned i = 0; i < this->k(); ++i) {
        all.plan(second_, second.cell[i], second.value[i], sum_of(second.value[i], more));
      }
    }
  }
  all.apply();
  this->total_ += amount;
  return outcome::added;
}

// Counters never become longer here, so nothing can fail.
template <spectral_rule Rule>
outcome basic_spectral_filter<Rule>::remove_digest(digest d, std::uint64_t amount) {
  this->expect_cells();
  const spots found = this->look_up(d);
  if (found.least < amount) return outcome::refused;
  if constexpr (!one_sided) {
    if (alone(found)) {
      const spots second = look_up_second(d);
      const std::uint64_t less = std::min(amount, second.least);
      for (unsigned i = 0; i < this->k(); ++i) {
        second_.set(second.cell[i], second.value[i] - less);
      }
    }
  }
  for (unsigned i = 0; i < this->k(); ++i) {
    counters_.set(found.cell[i], found.value[i] - amount);
  }
  this->total_ -= amount;
  return outcome::added;
}

template <spectral_rule Rule>
counted basic_spectral_filter<Rule>::count_digest(digest d) const noexcept {
  if constexpr (one_sided) {
    return base::count_digest(d);
  } else {
    if (this->k() == 0) return nothing_known;
    const spots found = this->look_up(d);
    std::uint64_t value = found.least;
    if (alone(found)) {
      const std::uint64_t second = look_up_second(d).least;
      if (second > 0) value = std::min(value, second);
    }
    const std::uint64_t lower = math::count_at_least(found.least, this->total_, this->row());
    return {value, std::min(lower, value), found.least, false};
  }
}

template <spectral_rule Rule>
void basic_spectral_filter<Rule>::merge(const basic_spectral_filter& other) {
  this->expect_same_shape(other);
  this->expect_sum_fits(other);
  detail::string_array sum = sum_of(counters_, other.counters_);
  detail::string_array second = sum_of(second_, other.second_);
  counters_ = std::move(sum);
  second_ = std::move(second);
  this->total_ += other.total();
}

template <spectral_rule Rule>
spectral_bits basic_spectral_filter<Rule>::bits() const {
  this->expect_cells();
  const std::uint64_t used = counters_.counter_bits();
  return {used, counters_.string_bits(), published_index_bits(this->cells(), used),
          compact_index_bits(this->cells())};
}

template <spectral_rule Rule>
void basic_spectral_filter<Rule>::clear() {
  const unsigned per_slack = counters_.counters_per_slack();
  *this = basic_spectral_filter(this->shape_, per_slack, this->seed_);
}

template <spectral_rule Rule>
bool basic_spectral_filter<Rule>::reads(const detail::container_view& view) {
  const std::uint64_t rule = view.parameters().u64();
  if (rule < 1 || rule > 3) {
    throw error(errc::corrupt, "a spectral filter counts by one of the rules 1 to 3, found " +
                                   std::to_string(rule));
  }
  return rule == static_cast<std::uint64_t>(Rule);
}

template <spectral_rule Rule>
void basic_spectral_filter<Rule>::write(detail::container_writer& out) const {
  this->write_head(out, layout::rows);
  for (const std::uint64_t p :
       {static_cast<std::uint64_t>(Rule), std::uint64_t{this->k()}, this->row(), this->total(),
        std::uint64_t{counters_.counters_per_slack()}}) {
    out.parameters().u64(p);
  }
  write_counters(counters_, out, lengths_section);
  if constexpr (!one_sided) write_counters(second_, out, lengths_section + 2);
}

template <spectral_rule Rule>
basic_spectral_filter<Rule> basic_spectral_filter<Rule>::read(const detail::container_view& view) {
  view.expect_sections(one_sided ? 2 : 4);
  detail::byte_reader in = view.parameters();
  const std::uint64_t rule_stored = in.u64();
  const std::uint64_t k = in.u64();
  const std::uint64_t row = in.u64();
  const std::uint64_t total = in.u64();
  const std::uint64_t per_slack = in.u64();
  in.expect_end();
  if (rule_stored != static_cast<std::uint64_t>(Rule) || k < 1 || k > base::most_k ||
      per_slack < 1 || per_slack > most_per_slack) {
    base::contradict();
  }
  const detail::row_shape shape{static_cast<unsigned>(k), row};
  if (!detail::plausible(shape, length_bits)) base::contradict();
  const auto array_of = [&](std::uint32_t id, std::uint64_t counters) {
    const auto lengths = view.section(id, detail::field_vector::bytes_for(counters, length_bits));
    const auto values = read_counters(lengths, view.section(id + 1), counters);
    if (values.empty()) base::contradict();
    return detail::string_array(std::span<const std::uint64_t>(values),
                                static_cast<unsigned>(per_slack));
  };
  basic_spectral_filter stored({1, 1}, 1, 0);
  stored.read_head(view, layout::rows);
  stored.shape_ = shape;
  stored.total_ = total;
  stored.counters_ = array_of(lengths_section, k * row);
  if constexpr (!one_sided) stored.second_ = array_of(lengths_section + 2, k * stored.second_row());
  if (!stored.rows_add_up()) base::contradict();
  return stored;
}

BLOOMTIME_VALUE_OF_TEMPLATE(template <spectral_rule Rule>, basic_spectral_filter,
                            basic_spectral_filter<Rule>);

template class basic_spectral_filter<spectral_rule::selection>;
template class basic_spectral_filter<spectral_rule::increase>;
template class basic_spectral_filter<spectral_rule::recurrence>;

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::spectral_filter>;
template class bloomtime::detail::stored<bloomtime::published::rising_spectral_filter>;
template class bloomtime::detail::stored<bloomtime::published::recurring_spectral_filter>;
