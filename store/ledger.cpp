#include "store/ledger.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>

#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

constexpr std::uint8_t engine = 2;
constexpr std::uint8_t partial_engine = 5;  // some event that waits lacks an item
constexpr std::uint8_t web_engine = 8;      // some event that waits is of a web log
constexpr std::uint32_t fields_section = 1;
constexpr std::uint32_t held_section = 2;

detail::container_info kind_of(std::uint8_t which) {
  return {
      .family = family::totals, .engine = which, .layout = 0, .seed = detail::no_hash, .clock = {}};
}

void write_text(detail::byte_writer& out, std::string_view text) {
  out.u64(text.size());
  out.bytes(std::as_bytes(std::span(text)));
}

std::string read_text(detail::byte_reader& in) {
  const auto bytes = in.bytes(in.u64());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A byte says whether there is one, where it may be missing.
std::optional<std::string> read_item(detail::byte_reader& in, bool partial) {
  const std::uint8_t there = partial ? in.u8() : 1;
  if (there > 1) text::corrupt("an item flag in the ledger is neither 0 nor 1");
  return there == 1 ? std::optional(read_text(in)) : std::nullopt;
}

void write_item(detail::byte_writer& out, const std::optional<std::string>& item, bool partial) {
  if (partial) out.u8(item ? 1 : 0);
  if (item) write_text(out, *item);
}

bool lacks_items(const logs::held_event& e) {
  return std::any_of(e.items.begin(), e.items.end(), [](const auto& item) { return !item; });
}

void write_web(detail::byte_writer& out, const std::optional<logs::held_web>& web) {
  out.u8(!web ? 0 : web->bytes ? 2 : 1);
  if (!web) return;
  out.u64(web->status);
  write_text(out, web->method);
  if (web->bytes) out.u64(*web->bytes);
}

std::optional<logs::held_web> read_web(detail::byte_reader& in) {
  const std::uint8_t there = in.u8();
  if (there > 2) text::corrupt("a flag of a web log in the ledger is none of 0, 1 and 2");
  if (there == 0) return std::nullopt;
  const std::uint64_t status = in.u64();
  if (status > std::numeric_limits<unsigned>::max()) {
    text::corrupt("a status in the ledger has more than 32 bits");
  }
  logs::held_web web{static_cast<unsigned>(status), read_text(in), {}};
  if (there == 2) web.bytes = in.u64();
  return web;
}

logs::held_event read_held(detail::byte_reader& in, std::size_t items, std::uint8_t kind) {
  logs::held_event e;
  e.at = instant(in.i64());
  e.agreeing = in.u8();
  e.contradict = in.u8();
  e.line = read_text(in);
  for (std::size_t i = 0; i < items; ++i) e.items.push_back(read_item(in, kind != engine));
  if (kind == web_engine) e.web = read_web(in);
  if (e.agreeing >= logs::time_gate::enough || e.contradict >= logs::time_gate::patience) {
    text::corrupt("the ledger holds an event that was already decided");
  }
  return e;
}

// The least that can say what the events that wait are.
std::uint8_t engine_for(const std::vector<logs::held_event>& held) {
  if (std::any_of(held.begin(), held.end(), [](const auto& e) { return e.web.has_value(); })) {
    return web_engine;
  }
  return std::any_of(held.begin(), held.end(), lacks_items) ? partial_engine : engine;
}

}  // namespace

std::vector<std::byte> ledger::serialize() const {
  detail::byte_writer counted;
  for (const census& c : fields) {
    counted.u64(c.bytes);
    counted.bytes(c.distinct.registers());
  }
  const std::uint8_t kind = engine_for(held);
  detail::byte_writer waiting;
  for (const logs::held_event& e : held) {
    waiting.i64(e.at.micros);
    waiting.u8(e.agreeing);
    waiting.u8(e.contradict);
    write_text(waiting, e.line);
    for (const auto& item : e.items) write_item(waiting, item, kind != engine);
    if (kind == web_engine) write_web(waiting, e.web);
  }
  detail::container_writer out(kind_of(kind));
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
  const std::uint8_t kind = view.info().engine;
  const bool known = kind == engine || kind == partial_engine || kind == web_engine;
  if (!known || view.info() != kind_of(kind)) {
    text::throw_error(errc::unknown_kind,
                      "expected a profile's ledger, found a container of family {}",
                      name_of(view.info().family));
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
      counted.size() % (8 + registers) != 0 || held > logs::time_gate::most_held) {
    text::corrupt("the parameters of the ledger are inconsistent");
  }
  detail::byte_reader in(counted);
  for (std::uint64_t i = 0; i < fields; ++i) {
    const std::uint64_t bytes = in.u64();
    read.fields.push_back({detail::hyperloglog(census::precision, in.bytes(registers)), bytes});
  }
  detail::byte_reader waiting(view.section(held_section));
  for (std::uint64_t i = 0; i < held; ++i) read.held.push_back(read_held(waiting, fields, kind));
  waiting.expect_end();
  if (kind != engine_for(read.held)) {
    text::corrupt("the events that wait in the ledger are not of the kind that it is marked with");
  }
  return read;
}

}  // namespace bloomtime::store
