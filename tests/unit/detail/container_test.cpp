#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bloomtime/detail/container.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/container_bytes.hpp"
#include "support/expect_error.hpp"
#include "support/files.hpp"

namespace bloomtime::detail {
namespace container_test {

using support::expect_error;
using support::put;
using support::seal_head;
namespace field = support::field;
using bytes_type = std::vector<std::byte>;

bytes_type bytes_of(std::span<const std::byte> b) { return {b.begin(), b.end()}; }

container_info some_info() {
  return {.family = family::history,
          .engine = 7,
          .layout = 2,
          .seed = 0x0123456789abcdef,
          .clock = tick_clock(std::chrono::milliseconds(250), instant(-12345))};
}

// -- what comes back ---------------------------------------------------------------------------

RC_GTEST_PROP(container, comes_back_as_it_was_written, ()) {
  container_info info{.family = static_cast<family>(*rc::gen::arbitrary<std::uint8_t>()),
                      .engine = *rc::gen::arbitrary<std::uint8_t>(),
                      .layout = *rc::gen::arbitrary<std::uint8_t>(),
                      .seed = *rc::gen::arbitrary<std::uint64_t>(),
                      .clock = {}};
  if (*rc::gen::arbitrary<bool>()) {
    info.clock = tick_clock(std::chrono::microseconds(*rc::gen::positive<std::int64_t>()),
                            instant(*rc::gen::arbitrary<std::int64_t>()));
  }
  const auto parameters = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
  const auto bodies = *rc::gen::arbitrary<std::vector<std::vector<std::uint8_t>>>();

  container_writer out(info);
  out.parameters().bytes(std::as_bytes(std::span(parameters)));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    out.section(static_cast<std::uint32_t>(i + 1), std::as_bytes(std::span(bodies[i])));
  }
  const bytes_type stored = out.bytes();
  RC_ASSERT(stored.size() == out.size());

  const auto view = container_view::parse(stored);
  view.verify();
  view.expect_sections(bodies.size());
  RC_ASSERT(view.info() == info);
  byte_reader in = view.parameters();
  RC_ASSERT(bytes_of(in.bytes(in.remaining())) == bytes_of(std::as_bytes(std::span(parameters))));

  container_writer again(view.info());
  again.parameters().bytes(std::as_bytes(std::span(parameters)));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    const auto body = view.section(id);
    RC_ASSERT(bytes_of(body) == bytes_of(std::as_bytes(std::span(bodies[i]))));
    RC_ASSERT(view.section(id, bodies[i].size()).data() == body.data());
    RC_ASSERT((body.data() - stored.data()) % 64 == 0);
    RC_ASSERT(stored.size() - static_cast<std::size_t>(body.data() - stored.data()) >=
              body.size() + 8);
    again.section(id, body);
  }
  RC_ASSERT(again.bytes() == stored);
}

TEST(container, saves_the_bytes_it_would_give) {
  const support::temporary_directory directory;
  const bytes_type body = support::filled(100, 5);
  container_writer out(some_info());
  out.parameters().u64(17);
  out.section(3, body);
  out.save(directory / "c");
  EXPECT_TRUE(support::read_file(directory / "c") == out.bytes());
}

TEST(container, pieces_of_a_section_are_one_body) {
  const bytes_type body = support::filled(1000, 5);
  const std::span<const std::byte> all(body);
  for (const std::size_t cut : {0U, 1U, 63U, 64U, 500U, 1000U}) {
    container_writer whole(some_info());
    whole.section(3, body);
    container_writer parts(some_info());
    parts.section(3, byte_pieces{all.first(cut), all.subspan(cut, 0), all.subspan(cut)});
    EXPECT_TRUE(parts.bytes() == whole.bytes()) << cut;
    EXPECT_EQ(parts.size(), whole.size());
  }
  container_writer none(some_info());
  none.section(3, byte_pieces{});
  container_view::parse(none.bytes()).verify();
}

TEST(container, has_containers_one_behind_the_other) {
  const bytes_type body = support::filled(100, 5);
  bytes_type joined;
  std::vector<container_writer> inside;
  for (std::uint64_t i = 0; i < 3; ++i) {
    container_writer one(some_info());
    one.parameters().u64(i);
    if (i != 1) one.section(2, body);
    one.section(3, support::filled(i, 6));
    const bytes_type bytes = one.bytes();
    joined.insert(joined.end(), bytes.begin(), bytes.end());
    inside.push_back(std::move(one));
  }
  container_writer copied(some_info());
  copied.section(1, joined);
  container_writer kept(some_info());
  kept.section(1, std::move(inside));
  const container_writer moved(std::move(kept));
  EXPECT_EQ(moved.size(), copied.size());
  EXPECT_TRUE(moved.bytes() == copied.bytes());
}

// Field by field, so that the writer and the reader cannot agree on a mistake.
TEST(container, has_every_field_where_the_document_says) {
  const bytes_type first = support::filled(1, 0xaa);
  const bytes_type second = support::filled(57, 0xbb);
  container_writer out(some_info());
  out.parameters().u64(17);
  out.section(4, first);
  out.section(9, second);
  const bytes_type c = out.bytes();
  using support::get;

  const std::string magic(reinterpret_cast<const char*>(c.data()), 8);
  EXPECT_EQ(magic, std::string("\x89"
                               "BLMT\r\n\x1a"));
  EXPECT_EQ(get<std::uint16_t>(c, field::version), 1u);
  EXPECT_EQ(get<std::uint8_t>(c, field::family), 3u);
  EXPECT_EQ(get<std::uint8_t>(c, field::engine), 7u);
  EXPECT_EQ(get<std::uint8_t>(c, field::layout), 2u);
  EXPECT_EQ(get<std::uint8_t>(c, field::hash), 2u);
  EXPECT_EQ(get<std::uint8_t>(c, field::reduction), 1u);
  EXPECT_EQ(get<std::uint8_t>(c, field::flags), 1u);
  EXPECT_EQ(get<std::uint64_t>(c, field::seed), 0x0123456789abcdefu);
  EXPECT_EQ(get<std::uint64_t>(c, field::origin), static_cast<std::uint64_t>(-12345));
  EXPECT_EQ(get<std::uint64_t>(c, field::resolution), 250'000u);
  EXPECT_EQ(get<std::uint32_t>(c, field::parameter_bytes), 8u);
  EXPECT_EQ(get<std::uint32_t>(c, field::sections), 2u);
  // 64 + 2 * 32 + 8 = 136 bytes of head make 192; 1 + 8 make 64; 57 + 8 make 128.
  EXPECT_EQ(get<std::uint64_t>(c, field::total), 192u + 64 + 128);
  EXPECT_EQ(c.size(), 192u + 64 + 128);

  EXPECT_EQ(get<std::uint32_t>(c, 64 + field::entry_id), 4u);
  EXPECT_EQ(get<std::uint32_t>(c, 64 + field::entry_reserved), 0u);
  EXPECT_EQ(get<std::uint64_t>(c, 64 + field::entry_offset), 192u);
  EXPECT_EQ(get<std::uint64_t>(c, 64 + field::entry_length), 1u);
  EXPECT_EQ(get<std::uint64_t>(c, 64 + field::entry_checksum), support::xxh3(first));
  EXPECT_EQ(get<std::uint32_t>(c, 96 + field::entry_id), 9u);
  EXPECT_EQ(get<std::uint64_t>(c, 96 + field::entry_offset), 256u);
  EXPECT_EQ(get<std::uint64_t>(c, 96 + field::entry_length), 57u);
  EXPECT_EQ(get<std::uint64_t>(c, 96 + field::entry_checksum), support::xxh3(second));
  EXPECT_EQ(get<std::uint64_t>(c, 128), 17u);
  EXPECT_EQ(std::to_integer<int>(c[192]), 0xaa);
  EXPECT_EQ(std::to_integer<int>(c[193]), 0);
  EXPECT_EQ(std::to_integer<int>(c[256 + 56]), 0xbb);
  EXPECT_EQ(std::to_integer<int>(c[256 + 57]), 0);

  bytes_type head(c.begin(), c.begin() + 192);
  put<std::uint64_t>(head, field::checksum, 0);
  EXPECT_EQ(get<std::uint64_t>(c, field::checksum), support::xxh3(head));
}

TEST(container, may_stand_at_any_address) {
  const bytes_type body = support::filled(100, 5);
  container_writer out(some_info());
  out.section(3, body);
  const bytes_type stored = out.bytes();
  for (std::size_t shift = 1; shift < 8; ++shift) {
    bytes_type moved(shift);
    moved.insert(moved.end(), stored.begin(), stored.end());
    const auto view = container_view::parse(std::span(moved).subspan(shift));
    view.verify();
    EXPECT_TRUE(bytes_of(view.section(3)) == body);
  }
}

TEST(container, names_what_is_missing) {
  const bytes_type body = support::filled(100, 5);
  container_writer out(some_info());
  out.section(3, body);
  const bytes_type stored = out.bytes();
  const auto view = container_view::parse(stored);
  expect_error(
      errc::corrupt, [&] { (void)view.section(4); }, "section 4");
  expect_error(
      errc::corrupt, [&] { (void)view.section(3, 99); }, "99 bytes and has 100");
  expect_error(
      errc::corrupt, [&] { view.expect_sections(2); }, "2 sections and has 1");
  EXPECT_NO_THROW(view.expect_sections(1));
}

// A writer that wrote more than a reader takes would lose data.
TEST(container, is_not_written_beyond_its_limits) {
  container_writer sections(some_info());
  for (std::uint32_t i = 0; i < 4096; ++i) sections.section(i, std::span<const std::byte>());
  const bytes_type most = sections.bytes();
  EXPECT_NO_THROW(container_view::parse(most).expect_sections(4096));
  sections.section(4096, std::span<const std::byte>());
  expect_error(
      errc::too_large, [&] { (void)sections.bytes(); }, "4097");

  container_writer parameters(some_info());
  parameters.parameters().bytes(bytes_type(1 << 20));
  const bytes_type longest = parameters.bytes();
  EXPECT_EQ(container_view::parse(longest).parameters().remaining(), 1u << 20);
  parameters.parameters().u8(0);
  expect_error(
      errc::too_large, [&] { (void)parameters.bytes(); }, "1048577");
}

TEST(container, is_not_written_with_ids_that_do_not_ascend) {
  for (const auto& ids : {std::vector<std::uint32_t>{2, 1}, {1, 1}, {1, 3, 2}, {5, 6, 6}}) {
    container_writer out(some_info());
    for (const std::uint32_t id : ids) out.section(id, std::span<const std::byte>());
    expect_error(
        errc::invalid_argument, [&] { (void)out.bytes(); }, "ascend");
  }
}

// -- what is refused ---------------------------------------------------------------------------

// Three sections, one of them empty, and parameters that leave padding in the head.
bytes_type sound() {
  static const bytes_type first = support::filled(70, 1);
  static const bytes_type third = support::filled(56, 3);  // with its 8 zeros exactly one line
  container_writer out(some_info());
  out.parameters().u64(0x1122334455667788);
  out.section(1, first);
  out.section(2, std::span<const std::byte>());
  out.section(3, third);
  return out.bytes();
}

void expect_refused(errc code, const bytes_type& c, std::string_view mention = "") {
  expect_error(
      code, [&] { (void)container_view::parse(c); }, mention);
}

template <class T>
bytes_type with(std::size_t at, T value) {
  bytes_type c = sound();
  put<T>(c, at, value);
  seal_head(c);
  return c;
}

TEST(container, sound_is_sound) {
  const bytes_type c = sound();
  EXPECT_NO_THROW(container_view::parse(c).verify());
  bytes_type sealed = c;
  support::seal(sealed);
  EXPECT_TRUE(sealed == c);
}

TEST(container, cut_short_anywhere_is_refused) {
  const bytes_type c = sound();
  for (std::size_t kept = 0; kept < c.size(); ++kept) {
    const bytes_type cut(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(kept));
    expect_refused(errc::truncated, cut);
  }
}

TEST(container, followed_by_anything_is_refused) {
  bytes_type c = sound();
  c.push_back(std::byte{0});
  expect_refused(errc::corrupt, c);
  c.resize(c.size() + 63);
  expect_refused(errc::corrupt, c);
}

TEST(container, of_something_else_is_refused) {
  bytes_type c = sound();
  for (std::size_t i = 0; i < 8; ++i) {
    bytes_type other = c;
    other[i] ^= std::byte{0x20};
    seal_head(other);
    expect_refused(errc::corrupt, other, "not a bloomtime container");
  }
}

TEST(container, of_a_newer_version_is_refused_by_name) {
  expect_refused(errc::newer_version, with<std::uint16_t>(field::version, 2), "version 2");
  expect_refused(errc::newer_version, with<std::uint16_t>(field::version, 0xffff), "65535");
  // Even if nothing else about it can be understood: the checksum may lie elsewhere by then.
  bytes_type c = sound();
  put<std::uint16_t>(c, field::version, 2);
  expect_refused(errc::newer_version, c);
  expect_refused(errc::corrupt, with<std::uint16_t>(field::version, 0));
}

TEST(container, of_an_unknown_hash_or_reduction_is_refused) {
  for (const int id : {0, 3, 255}) {
    const auto value = static_cast<std::uint8_t>(id);
    expect_refused(errc::unknown_kind, with<std::uint8_t>(field::hash, value), "hash");
    expect_refused(errc::unknown_kind, with<std::uint8_t>(field::reduction, value), "reduction");
  }
}

TEST(container, names_the_hash_of_its_seed) {
  for (const hash_id id : {hash_id::xxh3_128, hash_id::short_128}) {
    container_info info = some_info();
    info.seed = {7, id};
    const bytes_type c = container_writer(info).bytes();
    EXPECT_EQ(support::get<std::uint8_t>(c, field::hash), static_cast<unsigned>(id));
    EXPECT_EQ(container_view::parse(c).info().seed, info.seed);
  }
}

TEST(container, with_unknown_flags_is_refused) {
  for (const int flags : {2, 3, 0x80, 0xff}) {
    expect_refused(errc::corrupt, with(field::flags, static_cast<std::uint8_t>(flags)), "flags");
  }
}

TEST(container, with_half_a_clock_is_refused) {
  expect_refused(errc::corrupt, with<std::uint8_t>(field::flags, 0), "clock");
  expect_refused(errc::corrupt, with<std::uint64_t>(field::resolution, 0));
  expect_refused(errc::corrupt, with<std::uint64_t>(field::resolution, ~std::uint64_t{0}));
  expect_refused(errc::corrupt, with<std::uint64_t>(field::resolution, std::uint64_t{1} << 63));

  container_writer out({.family = family::bloom, .engine = 1, .layout = 1, .seed = 0, .clock = {}});
  const bytes_type timeless = out.bytes();
  for (const std::size_t at : {field::origin, field::resolution}) {
    bytes_type c = timeless;
    put<std::uint64_t>(c, at, 1);
    seal_head(c);
    expect_refused(errc::corrupt, c, "without a clock");
  }
}

TEST(container, with_a_wrong_length_is_refused) {
  const std::uint64_t size = sound().size();
  expect_refused(errc::corrupt, with<std::uint64_t>(field::total, 0));
  expect_refused(errc::corrupt, with<std::uint64_t>(field::total, size - 1));
  expect_refused(errc::corrupt, with<std::uint64_t>(field::total, size - 64));
  expect_refused(errc::truncated, with<std::uint64_t>(field::total, size + 1));
  expect_refused(errc::truncated, with<std::uint64_t>(field::total, ~std::uint64_t{0}));
}

TEST(container, with_a_wrong_number_of_sections_or_parameter_bytes_is_refused) {
  for (const std::uint32_t sections : {0u, 1u, 2u, 4u, 8u, 4096u, 4097u, 0x08000000u, ~0u}) {
    EXPECT_THROW(container_view::parse(with<std::uint32_t>(field::sections, sections)), error)
        << sections;
  }
  // One less leaves a byte of the parameters in the padding.
  for (const std::uint32_t length : {7u, 33u, 100u, 1u << 20, (1u << 20) + 1, ~0u, ~0u - 63}) {
    EXPECT_THROW(container_view::parse(with<std::uint32_t>(field::parameter_bytes, length)), error)
        << length;
  }
}

TEST(container, with_a_wrong_directory_is_refused) {
  const std::uint64_t all = ~std::uint64_t{0};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t entry = field::directory + field::entry * i;
    const auto offset = support::get<std::uint64_t>(sound(), entry + field::entry_offset);
    const auto length = support::get<std::uint64_t>(sound(), entry + field::entry_length);
    expect_refused(errc::corrupt, with<std::uint32_t>(entry + field::entry_reserved, 1));
    for (const std::uint64_t forged : {std::uint64_t{0}, offset - 64, offset - 1, offset + 1,
                                       offset + 64, std::uint64_t{1} << 32, all, all - 63}) {
      expect_refused(errc::corrupt, with<std::uint64_t>(entry + field::entry_offset, forged));
    }
    for (const std::uint64_t forged : {length + 64, length + 10'000, std::uint64_t{1} << 40,
                                       std::uint64_t{1} << 63, all, all - 7, all - 63, all - 71}) {
      expect_refused(errc::corrupt, with<std::uint64_t>(entry + field::entry_length, forged));
    }
  }
}

// The last body and its 8 zeros fill one line; a byte more would need another, which is not there.
TEST(container, with_no_room_for_the_zeros_after_a_body_is_refused) {
  const std::size_t length_at = field::directory + 2 * field::entry + field::entry_length;
  for (std::uint64_t length = 57; length <= 64; ++length) {
    expect_refused(errc::corrupt, with<std::uint64_t>(length_at, length), "section 2");
  }
}

TEST(container, with_more_than_its_sections_is_refused) {
  bytes_type c = sound();
  c.resize(c.size() + 64);
  put<std::uint64_t>(c, field::total, c.size());
  seal_head(c);
  expect_refused(errc::corrupt, c, "after the last section");
}

// All there, in order, and one too many.
TEST(container, beyond_its_limits_is_refused) {
  constexpr std::uint32_t sections = 4097;
  constexpr std::size_t head = field::directory + field::entry * sections + 32;  // 32: padding
  bytes_type c = sound();
  c.resize(field::directory);
  c.resize(head + std::size_t{64} * sections);
  put<std::uint32_t>(c, field::sections, sections);
  put<std::uint32_t>(c, field::parameter_bytes, 0);
  put<std::uint64_t>(c, field::total, c.size());
  for (std::size_t i = 0; i < sections; ++i) {
    const std::size_t entry = field::directory + field::entry * i;
    put<std::uint64_t>(c, entry + field::entry_offset, head + 64 * i);
  }
  support::seal(c);
  expect_refused(errc::corrupt, c, "4097");

  bytes_type parameters = sound();
  parameters.resize(field::directory);
  parameters.resize(field::directory + (1 << 20) + 64);
  put<std::uint32_t>(parameters, field::sections, 0);
  put<std::uint32_t>(parameters, field::parameter_bytes, (1 << 20) + 1);
  put<std::uint64_t>(parameters, field::total, parameters.size());
  seal_head(parameters);
  expect_refused(errc::corrupt, parameters, "1048577");
}

// The second section where the first one is: whatever the lengths, the offsets give it away.
TEST(container, with_overlapping_sections_is_refused) {
  bytes_type c = sound();
  const std::size_t first = field::directory;
  const std::size_t third = field::directory + 2 * field::entry;
  put(c, third + field::entry_offset, support::get<std::uint64_t>(c, first + field::entry_offset));
  put(c, third + field::entry_length, support::get<std::uint64_t>(c, first + field::entry_length));
  support::seal(c);
  expect_refused(errc::corrupt, c, "section 2");
}

// Another order or an id twice would load and be saved differently.
TEST(container, with_ids_that_do_not_ascend_is_refused) {
  const auto id_at = [](std::size_t i) {
    return field::directory + field::entry * i + field::entry_id;
  };
  for (const std::uint32_t id : {2u, 3u, ~0u}) {
    expect_refused(errc::corrupt, with<std::uint32_t>(id_at(0), id), "must ascend");
  }
  for (const std::uint32_t id : {0u, 1u, 3u, 4u}) {
    expect_refused(errc::corrupt, with<std::uint32_t>(id_at(1), id), "must ascend");
  }
  for (const std::uint32_t id : {0u, 1u, 2u}) {
    expect_refused(errc::corrupt, with<std::uint32_t>(id_at(2), id),
                   "found " + std::to_string(id) + " after 2");
  }
  EXPECT_NO_THROW((void)container_view::parse(with<std::uint32_t>(id_at(0), 0)));
  EXPECT_NO_THROW((void)container_view::parse(with<std::uint32_t>(id_at(2), ~0u)));
}

TEST(container, with_bytes_in_the_padding_of_its_head_is_refused) {
  const std::size_t used = field::directory + 3 * field::entry + 8;
  for (std::size_t at = used; at < support::head_length(sound()); ++at) {
    expect_refused(errc::corrupt, with<std::uint8_t>(at, 1), "padding");
  }
}

// Whatever is wrong with the bodies shows when they are read, not before.
TEST(container, with_damaged_bodies_parses_and_does_not_verify) {
  const bytes_type c = sound();
  for (std::size_t at = support::head_length(c); at < c.size(); ++at) {
    bytes_type damaged = c;
    damaged[at] ^= std::byte{0x10};
    const auto view = container_view::parse(damaged);
    expect_error(errc::corrupt, [&] { view.verify(); });
  }
}

TEST(container, with_a_wrong_body_checksum_does_not_verify) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t at = field::directory + field::entry * i + field::entry_checksum;
    const bytes_type c = with<std::uint64_t>(at, 1);
    const auto view = container_view::parse(c);
    expect_error(
        errc::corrupt, [&] { view.verify(); }, "section " + std::to_string(i + 1));
  }
}

}  // namespace container_test
}  // namespace bloomtime::detail
