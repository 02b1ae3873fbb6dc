#pragma once

#include <cstdint>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/published/persistent/detail/flat_filter.hpp>

// The Bloom filters of a history in two sections of its container: all sizes, then all bits.
namespace bloomtime::detail {

class filter_writer {
 public:
  void add(const flat_filter& filter);
  // Moves everything into the container.
  void put_into(container_writer& out);

 private:
  byte_writer sizes_;
  byte_writer bits_;
};

// Reads the filters one after the other, as views into the container.
class filter_reader {
 public:
  filter_reader(const container_view& view, std::uint64_t filters);

  flat_filter next();
  void expect_end() const { bits_.expect_end(); }

 private:
  byte_reader sizes_;
  byte_reader bits_;
};

// Throws error(corrupt) unless the filter's number of ones matches its bits and `records` records
// can have set that many.
void expect_consistent(const flat_filter& filter, std::uint64_t records);

}  // namespace bloomtime::detail
