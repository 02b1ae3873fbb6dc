#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/error.hpp>

#include "cli/dedupe/deduper.hpp"
#include "cli/output/number.hpp"
#include "cli/output/time_text.hpp"
#include "cli/usage_error.hpp"

// What a run leaves to the next: a container of the family totals, drawn in docs/FORMAT.md.
namespace bloomtime::cli {
namespace {

constexpr std::uint8_t engine = 3;
constexpr std::uint32_t filter_section = 1;
constexpr std::uint32_t drops_section = 2;
constexpr std::uint32_t suppressed_section = 3;
constexpr std::uint32_t held_section = 4;
constexpr std::uint32_t key_section = 5;
constexpr std::size_t digest_bytes = 16;

const detail::container_info kind{
    .family = family::totals, .engine = engine, .layout = 0, .seed = 0, .clock = std::nullopt};

[[noreturn]] void corrupt() {
  throw error(errc::corrupt, "the parts of this state of dedupe contradict each other");
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += static_cast<char>(b);
  return text;
}

std::string name_of(time_source s) {
  return s == time_source::none    ? "the number of lines"
         : s == time_source::lines ? "the times of the lines"
                                   : "the clock on the wall";
}

void expect_same(const std::string& name, const char* what, const std::string& kept,
                 const std::string& asked) {
  if (kept == asked) return;
  throw usage_error(
      fmt::format("{} was made with {} {}, and {} was asked for; ask for the same, or name "
                  "another --state",
                  name, what, kept, asked));
}

// What decides about lines; costs and --count may change.
struct numbers {
  std::uint64_t time = 0;
  std::uint64_t window = 0;
  std::uint64_t expect = 0;
  double error = 0;
  std::uint64_t refresh = 0;

  static numbers read(detail::byte_reader& in) {
    numbers n;
    for (std::uint64_t* value : {&n.time, &n.window, &n.expect}) *value = in.u64();
    n.error = in.f64();
    n.refresh = in.u64();
    if (n.time > 2 || n.refresh > 1 || n.window > INT64_MAX) corrupt();
    return n;
  }
  static numbers of(const dedupe_settings& s) {
    return {.time = static_cast<std::uint64_t>(s.time),
            .window = static_cast<std::uint64_t>(s.window.count()),
            .expect = s.expect,
            .error = s.error,
            .refresh = s.refresh ? 1U : 0U};
  }
};

std::string window_text(const numbers& n) {
  if (n.time == static_cast<std::uint64_t>(time_source::none))
    return count_text(n.expect) + " lines";
  return span_text(std::chrono::microseconds(static_cast<std::int64_t>(n.window)));
}

void expect_settings(const std::string& name, const std::string& key, const numbers& kept,
                     const dedupe_settings& s) {
  const numbers asked = numbers::of(s);
  expect_same(name, "the key", key, s.key);
  expect_same(name, "times taken from", name_of(static_cast<time_source>(kept.time)),
              name_of(s.time));
  expect_same(name, "a window of", window_text(kept), window_text(asked));
  expect_same(name, "--expect", count_text(kept.expect), count_text(asked.expect));
  expect_same(name, "an error of", fmt::format("{}", kept.error), fmt::format("{}", asked.error));
  expect_same(name, "", kept.refresh != 0 ? "--refresh" : "--no-refresh",
              asked.refresh != 0 ? "--refresh" : "--no-refresh");
}

void write_held(detail::byte_writer& out, const std::vector<held_event>& held) {
  for (const held_event& e : held) {
    out.i64(e.at.micros);
    out.u8(e.agreeing);
    out.u8(e.contradict);
    out.u8(static_cast<std::uint8_t>(e.line.size()));
    out.bytes(bytes_of(e.line));
  }
}

std::vector<held_event> read_held(std::span<const std::byte> bytes) {
  detail::byte_reader in(bytes);
  std::vector<held_event> held;
  while (in.remaining() != 0) {
    if (held.size() == time_gate::most_held) corrupt();
    held_event& e = held.emplace_back();
    e.at = instant(in.i64());
    e.agreeing = in.u8();
    e.contradict = in.u8();
    const std::uint8_t size = in.u8();
    if (size != 0 && size != digest_bytes) corrupt();
    e.line = text_of(in.bytes(size));
    if (e.agreeing >= time_gate::enough || e.contradict >= time_gate::patience) corrupt();
  }
  return held;
}

}  // namespace

std::vector<std::byte> deduper::serialize() const {
  detail::container_writer out(kind);
  auto& p = out.parameters();
  const numbers n = numbers::of(settings_);
  for (const std::uint64_t value : {n.time, n.window, n.expect}) p.u64(value);
  p.f64(n.error);
  for (const std::uint64_t value :
       {n.refresh, counts_.passed, counts_.dropped, counts_.unjudged, counts_.late, error_due_}) {
    p.u64(value);
  }
  p.f64(counts_.wrong);
  p.f64(error_now_);
  p.u64(gate_.clock().has_value());
  p.i64(gate_.clock().value_or(instant{}).micros);
  const auto filter = filter_.serialize();
  const auto drops = drops_.serialize();
  const auto counts = suppressed_.bytes();
  detail::byte_writer held;
  write_held(held, gate_.held());
  out.section(filter_section, filter);
  out.section(drops_section, drops);
  out.section(suppressed_section, counts);
  out.section(held_section, held.written());
  out.section(key_section, bytes_of(settings_.key));
  return out.bytes();
}

bool deduper::is_state(std::span<const std::byte> container) {
  return detail::container_view::parse(container).info() == kind;
}

dedupe_settings deduper::settings_in(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  view.expect_sections(5);
  view.verify();
  detail::byte_reader in = view.parameters();
  const numbers n = numbers::read(in);
  return {.key = text_of(view.section(key_section)),
          .time = static_cast<time_source>(n.time),
          .window = std::chrono::microseconds(static_cast<std::int64_t>(n.window)),
          .expect = n.expect,
          .error = n.error,
          .refresh = n.refresh != 0};
}

deduper deduper::load(std::span<const std::byte> container, const dedupe_settings& settings,
                      const std::string& name) {
  const auto view = detail::container_view::parse(container);
  if (!is_state(container)) {
    throw error(errc::unknown_kind, name + " is not a state that dedupe has written");
  }
  view.expect_sections(5);
  view.verify();
  detail::byte_reader in = view.parameters();
  const numbers kept = numbers::read(in);
  expect_settings(name, text_of(view.section(key_section)), kept, settings);
  deduper d(settings, age_partitioned_filter::load(view.section(filter_section)));
  for (std::uint64_t* value : {&d.counts_.passed, &d.counts_.dropped, &d.counts_.unjudged,
                               &d.counts_.late, &d.error_due_}) {
    *value = in.u64();
  }
  d.counts_.wrong = in.f64();
  d.error_now_ = in.f64();
  const std::uint64_t clocked = in.u64();
  const instant clock(in.i64());
  if (clocked > 1 || (clocked == 0 && clock != instant{})) corrupt();
  in.expect_end();
  d.drops_ = store::minute_totals::load(view.section(drops_section));
  d.suppressed_.read(view.section(suppressed_section));
  d.gate_ = time_gate(clocked == 1 ? std::optional(clock) : std::nullopt,
                      read_held(view.section(held_section)));
  const bool timed = settings.time != time_source::none;
  const std::uint64_t window = timed ? kept.window : kept.expect;
  if (d.filter_.timed() != timed || d.filter_.window() != window ||
      d.filter_.items() != kept.expect || d.drops_.events() != d.counts_.dropped ||
      !(d.counts_.wrong >= 0) || !(d.error_now_ >= 0 && d.error_now_ < 1)) {
    corrupt();
  }
  return d;
}

}  // namespace bloomtime::cli
