#include "store/web_totals.hpp"

#include <algorithm>

#include <bloomtime/detail/bytes.hpp>
#include <bloomtime/detail/container.hpp>

#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

constexpr std::uint8_t engine = 7;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

detail::container_info kind() {
  return {.family = family::totals,
          .engine = engine,
          .layout = 0,
          .seed = detail::no_hash,
          .clock = {}};
}

std::size_t method_number(std::string_view method) {
  constexpr auto& known = web_totals::methods;
  if (method.empty() || method == "-") return 0;
  const auto* const found = std::find(known.begin() + 1, known.end() - 1, method);
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace

void web_totals::add(instant t, const logs::web_facts& said) {
  const std::int64_t minute = minute_totals::minute_of(t);
  series_[said.status_class()].add_to(minute, 1);
  series_[statuses.size() + method_number(said.method)].add_to(minute, 1);
  if (!said.bytes) return;
  ++with_bytes_;
  minute_totals& sent = series_.back();
  sent.add_to(minute, std::min(*said.bytes, most_bytes - sent.events()));
}

void web_totals::merge(const web_totals& other) {
  for (std::size_t i = 0; i + 1 < series_.size(); ++i) series_[i].merge(other.series_[i]);
  minute_totals& sent = series_.back();
  other.bytes().for_each([&](instant t, std::uint64_t bytes) {
    sent.add(t, std::min(bytes, most_bytes - sent.events()));
  });
  with_bytes_ += other.with_bytes_;
}

std::uint64_t web_totals::records() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < statuses.size(); ++i) all += series_[i].events();
  return all;
}

std::uint64_t web_totals::memory() const noexcept {
  std::uint64_t all = 0;
  for (const minute_totals& s : series_) all += s.memory();
  return all;
}

std::vector<std::byte> web_totals::serialize() const {
  detail::container_writer out(kind());
  out.parameters().u64(with_bytes_);
  std::uint32_t section = 0;
  for (const minute_totals& s : series_) out.section(++section, s.serialize());
  return out.bytes();
}

web_totals web_totals::load(std::span<const std::byte> container) {
  const auto view = detail::container_view::parse(container);
  if (view.info() != kind()) {
    text::throw_error(errc::unknown_kind,
                      "expected totals of a web log, found a container of family {}",
                      name_of(view.info().family));
  }
  web_totals totals;
  view.expect_sections(totals.series_.size());
  view.verify();
  detail::byte_reader parameters = view.parameters();
  totals.with_bytes_ = parameters.u64();
  parameters.expect_end();
  std::uint32_t section = 0;
  for (minute_totals& s : totals.series_) s = minute_totals::load(view.section(++section));
  std::uint64_t by_method = 0;
  for (std::size_t i = 0; i < methods.size(); ++i) by_method += totals.method(i).events();
  const std::uint64_t sent = totals.bytes().events();
  if (by_method != totals.records() || totals.with_bytes_ > by_method || sent > most_bytes ||
      (sent != 0 && totals.with_bytes_ == 0)) {
    text::corrupt("the totals of a web log contradict each other");
  }
  return totals;
}

}  // namespace bloomtime::store
