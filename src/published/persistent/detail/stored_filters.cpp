#include <bloomtime/published/persistent/detail/stored_filters.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {
namespace {

constexpr std::uint32_t sizes_section = 1;
constexpr std::uint32_t bits_section = 2;
constexpr std::uint64_t size_bytes = 17;  // of one filter: bits, ones, k

}  // namespace

void filter_writer::add(const flat_filter& filter) {
  sizes_.u64(filter.size().bits);
  sizes_.u64(filter.ones());
  sizes_.u8(static_cast<std::uint8_t>(filter.size().k));
  bits_.bytes(filter.storage().bytes());
}

void filter_writer::put_into(container_writer& out) {
  out.section(sizes_section, std::move(sizes_).written());
  out.section(bits_section, std::move(bits_).written());
}

filter_reader::filter_reader(const container_view& view, std::uint64_t filters)
    : sizes_({}), bits_(view.section(bits_section)) {
  // Compared by division, because the product of a forged number could overflow.
  const auto sizes = view.section(sizes_section);
  if (sizes.size() % size_bytes != 0 || sizes.size() / size_bytes != filters) {
    throw error(errc::corrupt, "this history should have the sizes of " + std::to_string(filters) +
                                   " filters in " + std::to_string(size_bytes) +
                                   " bytes each, and has " + std::to_string(sizes.size()) +
                                   " bytes of them");
  }
  sizes_ = byte_reader(sizes);
}

flat_filter filter_reader::next() {
  const std::uint64_t bits = sizes_.u64();
  const std::uint64_t ones = sizes_.u64();
  const unsigned k = sizes_.u8();
  if ((bits == 0) != (k == 0) || k > max_flat_k || ones > bits) {
    throw error(errc::corrupt,
                "a filter has bits, at most as many ones, and 1 to 64 hash functions, or nothing; "
                "found " +
                    std::to_string(bits) + ", " + std::to_string(ones) + " and " +
                    std::to_string(k));
  }
  const std::uint64_t bytes = flat_filter::bytes_for(bits);
  if (bytes > bits_.remaining()) {
    throw error(errc::corrupt, "the filters of this history claim more bits than the file holds");
  }
  return flat_filter::borrow({bits, k}, ones, bits_.bytes(bytes));
}

void expect_consistent(const flat_filter& filter, std::uint64_t records) {
  // Every record sets at most max_flat_k bits of a filter.
  const std::uint64_t fewest = (filter.ones() + max_flat_k - 1) / max_flat_k;
  if (filter.consistent() && fewest <= records) return;
  throw error(errc::corrupt, "a filter of this history says that " + std::to_string(records) +
                                 " records set " + std::to_string(filter.ones()) + " of its " +
                                 std::to_string(filter.size().bits) +
                                 " bits, and its bits say otherwise");
}

}  // namespace bloomtime::detail
