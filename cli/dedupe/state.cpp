#include "cli/dedupe/state.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>
#include <bloomtime/detail/file.hpp>

#include "cli/asking/opened_store.hpp"
#include "cli/text.hpp"

// What a run leaves to the next: a container of the family totals, drawn in docs/FORMAT.md.
namespace bloomtime::cli {
namespace {

// Engine 3 has no unwritten keys and drops of all minutes; engines 3 and 4 have no counts of a full
// memory. They are read, and continued as engine 6 with the filter that they have.
constexpr std::uint8_t first_engine = 3;
constexpr std::uint8_t second_engine = 4;
constexpr std::uint8_t engine = 6;
constexpr std::uint32_t filter_section = 1;
constexpr std::uint32_t drops_section = 2;
constexpr std::uint32_t suppressed_section = 3;
constexpr std::uint32_t held_section = 4;
constexpr std::uint32_t key_section = 5;
constexpr std::uint32_t unwritten_section = 6;
constexpr std::size_t digest_bytes = 16;

constexpr detail::container_info kind_of(std::uint8_t version) {
  return {.family = family::totals,
          .engine = version,
          .layout = 0,
          .seed = detail::no_hash,
          .clock = std::nullopt};
}

bool is_first(const detail::container_view& view) { return view.info().engine == first_engine; }

void expect_sections(const detail::container_view& view) {
  view.expect_sections(is_first(view) ? 5 : 6);
  view.verify();
}

[[noreturn]] void corrupt_state() {
  text::corrupt("the parts of this dedupe state contradict each other");
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string name_of(time_source s) {
  return s == time_source::none    ? "the number of lines"
         : s == time_source::lines ? "the lines"
                                   : "the wall clock";
}

void expect_kept(const std::string& name, const char* what, const std::string& kept,
                 const std::string& asked) {
  if (kept == asked) return;
  refuse("{} was made with {} {}, and {} was asked for; use the same, or another --state", name,
         what, kept, asked);
}

// What decides about lines; costs, --count, --memory and --when-full may change.
void write_settings(detail::byte_writer& out, const dedupe_settings& s) {
  out.u64(static_cast<std::uint64_t>(s.time));
  out.u64(static_cast<std::uint64_t>(s.window.count()));
  out.u64(s.expect);
  out.f64(s.error);
  out.u64(s.refresh ? 1 : 0);
}

dedupe_settings read_settings(detail::byte_reader& in, std::string key) {
  const std::uint64_t time = in.u64();
  const std::uint64_t window = in.u64();
  const std::uint64_t expect = in.u64();
  const double error = in.f64();
  const std::uint64_t refresh = in.u64();
  if (time > 2 || refresh > 1 || window > INT64_MAX) corrupt_state();
  return {.key = std::move(key),
          .time = static_cast<time_source>(time),
          .window = std::chrono::microseconds(static_cast<std::int64_t>(window)),
          .expect = expect,
          .error = error,
          .refresh = refresh != 0};
}

std::string window_text(const dedupe_settings& s) {
  return s.time == time_source::none ? count_text(s.expect) + " lines" : span_text(s.window);
}

void expect_settings(const std::string& name, const dedupe_settings& kept,
                     const dedupe_settings& asked) {
  const auto refreshing = [](bool refresh) { return refresh ? "--refresh" : "--no-refresh"; };
  expect_kept(name, "the key", kept.key, asked.key);
  expect_kept(name, "times taken from", name_of(kept.time), name_of(asked.time));
  expect_kept(name, "a window of", window_text(kept), window_text(asked));
  if (!asked.any_expect) {
    expect_kept(name, "--expect", count_text(kept.expect), count_text(asked.expect));
  }
  expect_kept(name, "an error of", fmt::format("{}", kept.error), fmt::format("{}", asked.error));
  expect_kept(name, "the option", refreshing(kept.refresh), refreshing(asked.refresh));
}

void write_held(detail::byte_writer& out, const std::vector<logs::held_event>& held) {
  for (const logs::held_event& e : held) {
    out.i64(e.at.micros);
    out.u8(e.agreeing);
    out.u8(e.contradict);
    out.u8(static_cast<std::uint8_t>(e.line.size()));
    out.bytes(bytes_of(e.line));
  }
}

std::vector<logs::held_event> read_held(std::span<const std::byte> bytes) {
  detail::byte_reader in(bytes);
  std::vector<logs::held_event> held;
  while (in.remaining() != 0) {
    if (held.size() == logs::time_gate::most_held) corrupt_state();
    logs::held_event& e = held.emplace_back();
    e.at = instant(in.i64());
    e.agreeing = in.u8();
    e.contradict = in.u8();
    const std::uint8_t size = in.u8();
    if (size != 0 && size != digest_bytes) corrupt_state();
    e.line = text_of(in.bytes(size));
    if (e.agreeing >= logs::time_gate::enough || e.contradict >= logs::time_gate::patience)
      corrupt_state();
  }
  return held;
}

void write_keys(detail::byte_writer& out, const std::vector<digest>& keys) {
  for (const digest& key : keys) {
    out.u64(key.lo);
    out.u64(key.hi);
  }
}

// In ascending order, each once.
std::vector<digest> read_keys(std::span<const std::byte> bytes) {
  if (bytes.size() % digest_bytes != 0) corrupt_state();
  detail::byte_reader in(bytes);
  std::vector<digest> keys;
  keys.reserve(bytes.size() / digest_bytes);
  while (in.remaining() != 0) {
    const std::uint64_t lo = in.u64();
    const digest key{lo, in.u64()};
    if (!keys.empty() && !is_before(keys.back(), key)) corrupt_state();
    keys.push_back(key);
  }
  return keys;
}

// Its own engine, with the limit of this run.
any_recency load_filter(std::span<const std::byte> container, const dedupe_settings& settings,
                        const std::string& name) {
  const auto limited = [&](auto loaded) {
    if (settings.memory && loaded.memory() > *settings.memory) {
      refuse("{} takes {}, and --memory allows {}; use a larger --memory, or another --state", name,
             bytes_text(loaded.memory()), bytes_text(*settings.memory));
    }
    return any_recency(std::move(loaded));
  };
  if (recency_table::kind.accepts(detail::container_view::parse(container).info())) {
    recency_table table = recency_table::load(container);
    table.set_memory_limit(settings.block_memory(), settings.when_full == full_policy::pass);
    return limited(std::move(table));
  }
  age_partitioned_filter filter = age_partitioned_filter::load(container);
  filter.set_refresh(settings.refresh);  // older versions did not store it
  return limited(std::move(filter));
}

}  // namespace

std::vector<std::byte> deduper::serialize() const {
  detail::container_writer out(kind_of(engine));
  auto& p = out.parameters();
  write_settings(p, settings_);
  for (const std::uint64_t number :
       {counts_.passed, counts_.dropped, counts_.unjudged, counts_.late, error_due_}) {
    p.u64(number);
  }
  p.f64(counts_.wrong);
  p.f64(error_now_);
  p.u64(gate_.clock().has_value());
  p.i64(gate_.clock().value_or(instant{}).micros);
  p.u64(most_drops_);
  p.u64(counts_.crowded_out);
  p.u64(counts_.forgotten);
  const auto filter = filter_.serialize();
  const auto drops = drops_.serialize();
  const auto counts = suppressed_.bytes();
  detail::byte_writer held;
  write_held(held, gate_.held());
  detail::byte_writer unwritten;
  write_keys(unwritten, unwritten_);
  out.section(filter_section, filter);
  out.section(drops_section, drops);
  out.section(suppressed_section, counts);
  out.section(held_section, held.written());
  out.section(key_section, bytes_of(settings_.key));
  out.section(unwritten_section, unwritten.written());
  return out.bytes();
}

bool deduper::is_state(std::span<const std::byte> container) {
  const auto info = detail::container_view::parse(container).info();
  return info == kind_of(engine) || info == kind_of(second_engine) || info == kind_of(first_engine);
}

std::span<const std::byte> deduper::filter_in(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  expect_sections(view);
  return view.section(filter_section);
}

dedupe_settings deduper::settings_in(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  expect_sections(view);
  detail::byte_reader in = view.parameters();
  return read_settings(in, text_of(view.section(key_section)));
}

deduper deduper::load(std::span<const std::byte> container, const dedupe_settings& settings,
                      const std::string& name) {
  const auto view = detail::container_view::parse(container);
  if (!is_state(container)) {
    throw error(errc::unknown_kind, name + " is not a state of dedupe; name another --state");
  }
  expect_sections(view);
  detail::byte_reader in = view.parameters();
  const dedupe_settings kept = read_settings(in, text_of(view.section(key_section)));
  expect_settings(name, kept, settings);
  deduper d(settings, load_filter(view.section(filter_section), settings, name));
  d.settings_.expect = kept.expect;
  if (settings.seed) {
    expect_kept(name, "--seed", fmt::format("{}", d.filter_.seed().value()),
                fmt::format("{}", settings.seed->value()));
  }
  d.settings_.seed = d.filter_.seed();
  for (std::uint64_t* number : {&d.counts_.passed, &d.counts_.dropped, &d.counts_.unjudged,
                                &d.counts_.late, &d.error_due_}) {
    *number = in.u64();
  }
  d.counts_.wrong = in.f64();
  d.error_now_ = in.f64();
  const std::uint64_t clocked = in.u64();
  const instant clock(in.i64());
  if (clocked > 1 || (clocked == 0 && clock != instant{})) corrupt_state();
  d.drops_ = store::minute_totals::load(view.section(drops_section));
  if (is_first(view)) {
    d.drops_.for_each(
        [&](instant, std::uint64_t count) { d.most_drops_ = std::max(d.most_drops_, count); });
    if (d.drops_.events() != d.counts_.dropped) corrupt_state();
    d.drops_.keep_newest(days_of_drops);
  } else {
    d.most_drops_ = in.u64();
    d.unwritten_ = read_keys(view.section(unwritten_section));
  }
  if (view.info().engine == engine) {
    d.counts_.crowded_out = d.crowded_out_before_ = in.u64();
    d.counts_.forgotten = d.forgotten_before_ = in.u64();
  }
  in.expect_end();
  d.suppressed_.read(view.section(suppressed_section));
  d.gate_ = logs::time_gate(clocked == 1 ? std::optional(clock) : std::nullopt,
                            read_held(view.section(held_section)));
  d.expect_sound();
  return d;
}

void deduper::expect_sound() const {
  const bool timed = settings_.time != time_source::none;
  const auto window =
      timed ? static_cast<std::uint64_t>(settings_.window.count()) : settings_.expect;
  const bool same = ask_engine(filter_, [&](const auto& f) {
    return f.items() == settings_.expect && f.refresh() == settings_.refresh;
  });
  if (!same || filter_.timed() != timed || filter_.window() != window ||
      drops_.events() > counts_.dropped || most_drops_ > counts_.dropped ||
      counts_.crowded_out > counts_.dropped || !(counts_.wrong >= 0) ||
      !(error_now_ >= 0 && error_now_ < 1)) {
    corrupt_state();
  }
  expect_clock();
}

// A clock far ahead of the filter would make all lines late, for ever. Only times of the lines have
// one. What it believes is in the filter, or is a duplicate of what was there within the window;
// and the filter is ahead of it by no more than is believed at once.
void deduper::expect_clock() const {
  const auto clock = gate_.clock();
  const auto newest = filter_.newest();
  if (settings_.time != time_source::lines) {
    if (clock || !gate_.held().empty()) corrupt_state();
    return;
  }
  if (clock.has_value() != newest.has_value()) corrupt_state();
  if (!clock) return;
  const auto step = static_cast<std::uint64_t>(
      ask_engine(filter_, [](const auto& f) { return f.clock().resolution().count(); }));
  const auto far = static_cast<std::uint64_t>(logs::time_gate::far.count());
  const std::uint64_t most = *newest <= *clock ? filter_.window() + far + 2 * step : far;
  if (logs::micros_between(std::min(*newest, *clock), std::max(*newest, *clock)) > most)
    corrupt_state();
}

// -- the file ------------------------------------------------------------------------------------

state_file::state_file(const std::string& name)
    : name_(name),
      target_(detail::followed(name)),
      lock_(target_.string() + ".lock", "the state " + name) {}

// Still locked, so that nobody can mistake a removed file for the lock.
state_file::~state_file() {
  if (lock_.holds()) ::unlink(lock_.path().c_str());
}

deduper state_file::open(const dedupe_settings& settings) const {
  std::error_code ignored;
  deduper work =
      std::filesystem::exists(target_, ignored) ? load(settings) : deduper::fresh(settings);
  constexpr std::uint64_t head = 4096;
  detail::expect_replaceable(name_, work.memory() + head);
  return work;
}

deduper state_file::load(const dedupe_settings& settings) const {
  try {
    return deduper::load(detail::mapped_file::open(target_)->bytes(), settings, name_);
  } catch (const error& e) {
    throw error(e.code(), with_path(name_, e.what()));
  }
}

void state_file::save(const deduper& work) const {
  const store::signals_held calm;
  const auto bytes = work.serialize();
  const std::array<std::span<const std::byte>, 1> pieces{bytes};
  detail::replace_file(name_, pieces, detail::links::follow, 0600);
}

}  // namespace bloomtime::cli
