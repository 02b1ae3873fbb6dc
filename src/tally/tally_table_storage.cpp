#include <bloomtime/tally/tally_table.hpp>

#include <utility>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime {
namespace {

constexpr std::uint32_t blocks_section = 1;
constexpr std::uint32_t stash_section = 2;
constexpr std::uint64_t none = ~std::uint64_t{0};
__extension__ using wide_sum = unsigned __int128;

}  // namespace

void tally_table::write(detail::container_writer& out) const {
  expect_usable();
  const detail::print_blocks& blocks = table_.blocks();
  out.info().seed = this->seed_;
  for (const std::uint64_t p :
       {items_, std::uint64_t{reserve_}, limit_.value_or(none), this->total(), blocks.shape().homes,
        std::uint64_t{blocks.shape().print_bits}, std::uint64_t{blocks.level()}, blocks.split()}) {
    out.parameters().u64(p);
  }
  out.section(blocks_section, blocks.block_pieces());
  out.section(stash_section, table_.stash().written());
}

tally_table tally_table::read(const detail::container_view& view) {
  expect(!view.info().clock && view.info().layout == 0);
  view.expect_sections(2);
  detail::byte_reader in = view.parameters();
  tally_table t(view.info().seed, in.u64());
  const std::uint64_t reserve = in.u64();
  expect(reserve < 2);
  t.reserve_ = reserve != 0;
  const std::uint64_t limit = in.u64();
  if (limit != none) t.limit_ = limit;
  t.total_ = in.u64();
  t.read_table(in, view);
  in.expect_end();
  t.set_limits();
  return t;
}

void tally_table::read_table(detail::byte_reader& in, const detail::container_view& view) {
  const std::uint64_t homes = in.u64();
  const std::uint64_t print_bits = in.u64();
  const std::uint64_t level = in.u64();
  const std::uint64_t split = in.u64();
  expect(print_bits <= 64 && level <= detail::print_blocks::most_levels);
  const detail::print_shape shape{homes, static_cast<unsigned>(print_bits),
                                  detail::print_counts::bits, detail::print_counts::mark_bits};
  try {
    check(shape);
  } catch (const error&) {
    contradict();
  }
  auto blocks = detail::print_blocks::read(shape, static_cast<unsigned>(level), split,
                                           view.section(blocks_section));
  auto stash =
      detail::side_table::read(view.section(stash_section), homes << print_bits,
                               [](std::uint64_t, std::uint64_t count) { return count != 0; });
  table_ = table::read(std::move(blocks), {}, std::move(stash));
  count_prints();
}

// Also checks every block.
void tally_table::count_prints() {
  detail::print_counts& counts = table_.payload();
  table_.blocks().for_each([&](const detail::print_blocks::spot& s, const detail::print&) {
    const detail::print_block block = table_.blocks().block(s);
    expect(block.count() <= block.form().slots);
    for (unsigned i = 0; i < block.count(); i += detail::print_counts::length(block, i)) {
      expect(detail::print_counts::well_formed(block, i));
      expect(block.find<true>(block.tag(i), block.at(i).rest) == i);  // no print occurs twice
    }
    for (unsigned i = block.count(); i < block.form().slots; ++i) expect(block.payload(i) == 0);
    counts.count(block);
  });
  // Marks lead to the stash.
  table_.stash().for_each([&](std::uint64_t key, std::uint64_t) {
    const detail::print p = table_.print_of_key(key);
    expect(table_.stash_key(p) == key);
    expect(table_.marked(p) && table_.marked(table_.blocks().other(p)));
  });
  wide_sum sum = 0;
  for_each([&](std::uint64_t, std::uint64_t count) { sum += count; });
  expect(sum >= this->total());
}

template class detail::stored<tally_table>;

}  // namespace bloomtime
