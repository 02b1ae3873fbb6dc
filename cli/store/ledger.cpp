#include "cli/store/ledger.hpp"

#include <string>
#include <string_view>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/error.hpp>

namespace bloomtime::cli::store {
namespace {

constexpr std::uint8_t engine = 2;
constexpr std::uint32_t fields_section = 1;
constexpr std::uint32_t held_section = 2;

const detail::container_info kind{
    .family = family::totals, .engine = engine, .layout = 0, .seed = 0, .clock = {}};

[[noreturn]] void corrupt(const std::string& sentence) { throw error(errc::corrupt, sentence); }

void write_text(detail::byte_writer& out, std::string_view text) {
  out.u64(text.size());
  out.bytes(std::as_bytes(std::span(text)));
}

std::string read_text(detail::byte_reader& in) {
  const auto bytes = in.bytes(in.u64());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

held_event read_held(detail::byte_reader& in, std::size_t items) {
  held_event e;
  e.at = instant(in.i64());
  e.agreeing = in.u8();
  e.contradict = in.u8();
  e.line = read_text(in);
  for (std::size_t i = 0; i < items; ++i) e.items.push_back(read_text(in));
  if (e.agreeing >= time_gate::enough || e.contradict >= time_gate::patience) {
    corrupt("an event in this ledger still waits although it was decided about");
  }
  return e;
}

}  // namespace

std::vector<std::byte> ledger::serialize() const {
  detail::byte_writer counted;
  for (const census& c : fields) {
    counted.u64(c.bytes);
    counted.bytes(c.distinct.registers());
  }
  detail::byte_writer waiting;
  for (const held_event& e : held) {
    waiting.i64(e.at.micros);
    waiting.u8(e.agreeing);
    waiting.u8(e.contradict);
    write_text(waiting, e.line);
    for (const std::string& item : e.items) write_text(waiting, item);
  }
  detail::container_writer out(kind);
  out.parameters().i64(settings.half_life.count());
  out.parameters().i64(settings.resolution.count());
  out.parameters().u64(settings.memory);
  out.parameters().u64(fields.size());
  out.parameters().u64(held.size());
  out.section(fields_section, counted.written());
  out.section(held_section, waiting.written());
  return out.bytes();
}

ledger ledger::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  if (view.info() != kind) {
    throw error(errc::unknown_kind, "expected a profile's ledger, found a container of family " +
                                        std::string(name_of(view.info().family)));
  }
  view.expect_sections(2);
  view.verify();
  detail::byte_reader parameters = view.parameters();
  ledger read;
  read.settings.half_life = std::chrono::microseconds(parameters.i64());
  read.settings.resolution = std::chrono::microseconds(parameters.i64());
  read.settings.memory = parameters.u64();
  const std::uint64_t fields = parameters.u64();
  const std::uint64_t held = parameters.u64();
  parameters.expect_end();
  const auto counted = view.section(fields_section);
  const std::size_t registers = census().distinct.registers().size();
  if (read.settings.resolution.count() <= 0 || read.settings.half_life < read.settings.resolution ||
      fields == 0 || counted.size() / (8 + registers) != fields ||
      counted.size() % (8 + registers) != 0 || held > time_gate::most_held) {
    corrupt("the parameters of this ledger contradict each other");
  }
  detail::byte_reader in(counted);
  for (std::uint64_t i = 0; i < fields; ++i) {
    const std::uint64_t bytes = in.u64();
    read.fields.push_back({detail::hyperloglog(census::precision, in.bytes(registers)), bytes});
  }
  detail::byte_reader waiting(view.section(held_section));
  for (std::uint64_t i = 0; i < held; ++i) read.held.push_back(read_held(waiting, fields));
  waiting.expect_end();
  return read;
}

}  // namespace bloomtime::cli::store
