#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <bloomtime/detail/buffer.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/published/dynamic_count/detail/field_vector.hpp>
#include <bloomtime/published/dynamic_count/sizes.hpp>

namespace bloomtime::detail {

// Counters of varying length, one after the other, found by the string-array index of Cohen and
// Matias (2003) as Aguilar-Saborit et al. describe it: a vector of the absolute places of groups of
// log N counters (CV1), one of the places of chunks of loglog N counters in their group (CV2), and
// one of the places of counters in their chunk (OV). A counter extends to the beginning of the next
// one; bits that it does not need are slack. A counter that becomes too long shifts the counters
// after it into the slack of its group, then the groups after it into theirs. If that does not
// suffice, all counters are laid out anew. Offsets inside a group have 3 loglog N bits, as in the
// paper, or more if one needs them. The paper has separate vectors for groups of log^3 N bits
// instead; with counters of 64 bits there are no such groups if N >= 2^8.
class string_array {
 public:
  // How often counters became longer or shorter, counters were shifted inside their group, groups
  // were moved, and all counters were laid out anew.
  struct work {
    std::uint64_t lengthened = 0;
    std::uint64_t shortened = 0;
    std::uint64_t shifted = 0;
    std::uint64_t pushed = 0;
    std::uint64_t laid_out = 0;

    friend bool operator==(const work&, const work&) = default;
  };

  static constexpr unsigned length_of(std::uint64_t value) noexcept {
    return std::max(1U, static_cast<unsigned>(std::bit_width(value)));
  }

  string_array() = default;
  // Every layout has counters / counters_per_slack spare bits.
  string_array(std::uint64_t counters, unsigned counters_per_slack);
  string_array(std::span<const std::uint64_t> values, unsigned counters_per_slack);

  std::uint64_t size() const noexcept { return size_; }
  BLOOMTIME_PER_ISA std::uint64_t get(std::uint64_t i) const noexcept {
    const span_of s = find(i);
    return get_field(bits_.data(), s.first, std::min(64U, s.width));
  }
  // Throws only if memory runs out; no value changes then.
  void set(std::uint64_t i, std::uint64_t value);

  std::uint64_t counter_bits() const noexcept { return used_; }                // N, without slack
  std::uint64_t string_bits() const noexcept { return starts_.get(groups_); }  // with slack
  std::uint64_t memory() const noexcept {  // bytes of everything
    return bits_.size() + starts_.memory() + chunks_.memory() + offsets_.memory();
  }
  const work& done() const noexcept { return done_; }
  unsigned counters_per_slack() const noexcept { return per_slack_; }

 private:
  struct span_of {
    std::uint64_t first;
    unsigned width;
  };

  struct place {
    std::uint64_t group;
    unsigned in_group;
    unsigned chunk;  // of the group
  };
  static std::uint64_t divided(std::uint64_t n, std::uint64_t inverse) noexcept {
    return multiply(n, inverse).high;
  }
  place place_of(std::uint64_t i) const noexcept {
    const std::uint64_t group = divided(i, by_group_);
    const auto in_group = static_cast<unsigned>(i - group * shape_.group);
    return {group, in_group, static_cast<unsigned>(divided(in_group, by_chunk_))};
  }
  BLOOMTIME_PER_ISA std::uint64_t begin_of(std::uint64_t i, const place& at) const noexcept {
    return starts_.get(at.group) + chunks_.get(at.group * per_group_ + at.chunk) + offsets_.get(i);
  }
  BLOOMTIME_PER_ISA span_of find(std::uint64_t i) const noexcept {
    const place at = place_of(i);
    const std::uint64_t first = begin_of(i, at);
    std::uint64_t end = 0;
    if (at.in_group + 1 == shape_.group || i + 1 == size_) {
      end = starts_.get(at.group + 1);
    } else {
      end = begin_of(i + 1, place_of(i + 1));
    }
    return {first, static_cast<unsigned>(end - first)};
  }
  std::uint64_t last_of(std::uint64_t group) const noexcept {
    return std::min(size_, (group + 1) * shape_.group) - 1;
  }

  void put(span_of where, std::uint64_t value) noexcept;
  void clear(std::uint64_t bit, std::uint64_t count) noexcept;
  void lengthen(std::uint64_t i, unsigned length);
  bool shift_in_group(std::uint64_t i, unsigned length) noexcept;
  bool push_groups(std::uint64_t group, std::uint64_t need) noexcept;
  void move_group(std::uint64_t group, std::uint64_t by) noexcept;
  void set_begin(std::uint64_t i, std::uint64_t in_group) noexcept;
  std::uint64_t least_group() const noexcept;
  template <class Length>
  std::uint64_t largest_group(const Length& length_at) const;
  template <class Value, class Length>
  static string_array lay_out(std::uint64_t counters, unsigned counters_per_slack,
                              std::uint64_t used, Value&& value_of, Length&& length_at);
  void prepare(std::uint64_t bits, std::uint64_t largest_group);
  string_array laid_out_with(std::uint64_t i, unsigned length) const;
  unsigned slack_of(std::uint64_t i) const noexcept;

  buffer bits_;
  field_vector starts_;   // CV1, and the end of the last group
  field_vector chunks_;   // CV2
  field_vector offsets_;  // OV
  std::uint64_t size_ = 0;
  std::uint64_t groups_ = 0;
  unsigned per_slack_ = 1;
  unsigned per_group_ = 0;  // chunks of a group
  published::string_groups shape_{};
  std::uint64_t by_group_ = 0;  // 2^64 over the counters of a group, rounded up; exact for i < 2^48
  std::uint64_t by_chunk_ = 0;
  std::uint64_t used_ = 0;
  work done_;
};

}  // namespace bloomtime::detail
