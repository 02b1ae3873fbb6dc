#include <bloomtime/published/dynamic_count/detail/row_tally.hpp>

#include <algorithm>

#include <bloomtime/detail/buffer.hpp>

namespace bloomtime::detail {
namespace {

constexpr unsigned usual_k = 4;  // if items are not known

[[noreturn]] void refuse(errc code, const row_request& asked, const std::string& rest) {
  throw error(code, std::string(asked.called) + " " + rest);
}

row_shape shape_in_memory(const row_request& asked) {
  const std::uint64_t memory = *asked.memory;
  const unsigned least_k = asked.k.value_or(1);
  const auto within = static_cast<double>(std::min(memory, max_buffer_bytes));
  const auto cells = static_cast<std::uint64_t>(within * 8 / asked.bits_per_cell);
  if (cells < least_k || memory > max_buffer_bytes) {
    refuse(memory > max_buffer_bytes ? errc::too_large : errc::invalid_argument, asked,
           "needs memory for at least " + std::to_string(least_k) + " cells of about " +
               std::to_string(static_cast<unsigned>(asked.bits_per_cell)) +
               " bits and may have 2^40 bytes, got " + std::to_string(memory) + " bytes");
  }
  const auto most = static_cast<unsigned>(std::min<std::uint64_t>(cells, published::max_tally_k));
  const unsigned k = asked.k ? *asked.k
                     : asked.items > 0
                         ? math::size_for_bits(layout::rows, asked.items, cells, most).k
                         : std::min(usual_k, most);
  return {k, cells / k};
}

}  // namespace

row_shape shape_of(const row_request& asked) {
  if (asked.error.has_value() == asked.memory.has_value()) {
    refuse(errc::invalid_argument, asked,
           std::string("is sized by error or by memory, and got ") +
               (asked.error ? "both" : "neither"));
  }
  if (asked.k && (*asked.k < 1 || *asked.k > published::max_tally_k)) {
    refuse(errc::invalid_argument, asked,
           "has 1 to " + std::to_string(published::max_tally_k) + " cells per item, got " +
               std::to_string(*asked.k));
  }
  row_shape shape;
  if (asked.memory) {
    shape = shape_in_memory(asked);
  } else if (asked.k) {
    shape = {*asked.k, published::row_for_error(asked.items, *asked.error, *asked.k)};
  } else {
    const auto size =
        math::size_for_error(layout::rows, asked.items, *asked.error, published::max_tally_k);
    shape = {size.k, size.bits / size.k};
  }
  if (!plausible(shape, static_cast<unsigned>(asked.bits_per_cell) + 1)) {
    refuse(errc::too_large, asked,
           "may have at most 2^40 bytes, and " + std::to_string(asked.items) +
               " items with that error need more");
  }
  return shape;
}

bool plausible(row_shape shape, unsigned bits_per_cell) noexcept {
  return shape.k >= 1 && shape.k <= published::max_tally_k && shape.row >= 1 &&
         shape.row <= max_buffer_bytes * 8 / bits_per_cell / shape.k;
}

}  // namespace bloomtime::detail
