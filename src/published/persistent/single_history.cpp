#include <bloomtime/published/persistent/single_history.hpp>

#include <string>

#include <bloomtime/detail/storing.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/published/persistent/detail/stored_filters.hpp>
#include <bloomtime/published/persistent/levels.hpp>

namespace bloomtime::published {
namespace {

constexpr auto flat_layout = static_cast<std::uint8_t>(layout::flat);

filter_size size_of(const single_config& c) {
  const auto refuse = [](const std::string& why) { throw error(errc::invalid_argument, why); };
  if (c.error.has_value() == c.memory.has_value()) {
    refuse(std::string("a single history is sized by error or by memory, and got ") +
           (c.error ? "both" : "neither"));
  }
  if (c.ticks == 0) refuse("a single history spans at least one tick");
  if (c.ticks > detail::most_ticks || c.first > detail::most_ticks) {
    refuse("a single history begins and ends within 2^62 ticks, got " + std::to_string(c.ticks) +
           " from " + std::to_string(c.first));
  }
  if (c.error) {
    if (c.k)
      refuse("the number of hash functions follows from the error; give memory to choose it");
    return single_size_for_error(c.pairs, *c.error, c.length);
  }
  if (*c.memory < 8 || *c.memory > detail::max_buffer_bytes) {
    refuse("a single history has 8 to " + std::to_string(detail::max_buffer_bytes) +
           " bytes, got " + std::to_string(*c.memory));
  }
  const std::uint64_t bits = *c.memory * 8;
  const unsigned k = c.k ? *c.k : k_for(static_cast<double>(c.pairs), bits);
  if (k == 0 || k > detail::max_flat_k) {
    refuse("a single history has 1 to 64 hash functions, got " + std::to_string(k));
  }
  return {bits, k};
}

}  // namespace

single_history::single_history(const single_config& config)
    : history_calls(tick_clock(config.tick, config.origin), config.first, config.ticks,
                    config.seed),
      filter_(size_of(config)) {}

outcome single_history::add_at(digest d, tick t) noexcept {
  const outcome became = detail::placed(t, ticks_, first_);
  if (became != outcome::added) return became;
  filter_.insert(derive(d, static_cast<std::uint64_t>(t.number)));
  count(1);
  return became;
}

sighting single_history::ask(digest d, interval asked, std::uint64_t& probes) const noexcept {
  probes = 0;
  const auto range = detail::clipped(asked, ticks_, first_);
  if (!range) return sighting::no;
  for (std::uint64_t t = first_ + range->first; t <= first_ + range->last; ++t) {
    ++probes;
    if (filter_.contains(derive(d, t))) return sighting::maybe;
  }
  return sighting::no;
}

double single_history::current_error(std::uint64_t length) const {
  return error_of_probes(filter_.error(), static_cast<double>(length));
}

// -- several histories -------------------------------------------------------------------------

void single_history::merge(const single_history& other) {
  expect_same_span(other);
  if (size() != other.size()) {
    throw bloomtime::error(errc::incompatible,
                           "single histories merge if they have equally many bits and "
                           "hash functions; here they have " +
                               std::to_string(size().bits) + " and " + std::to_string(size().k) +
                               ", and " + std::to_string(other.size().bits) + " and " +
                               std::to_string(other.size().k));
  }
  filter_.unite(other.filter_);
  count_all(other);
}

void single_history::clear() noexcept {
  filter_.clear();
  forget_events();
}

single_history single_history::joined(const single_history& left, const single_history& right) {
  left.expect_next(right);
  single_history both;
  static_cast<history_base&>(both) = left;
  both.filter_ = detail::flat_filter::joined(left.filter_, right.filter_);
  both.ticks_ += right.ticks_;
  both.count_all(right);
  return both;
}

// -- storage -----------------------------------------------------------------------------------

void single_history::write(detail::container_writer& out) const {
  write_span(out, flat_layout);
  detail::filter_writer filters;
  filters.add(filter_);
  filters.put_into(out);
}

single_history single_history::read(const detail::container_view& view) {
  single_history f;
  f.read_span(view, flat_layout, kind.called).expect_end();
  view.expect_sections(2);
  detail::filter_reader filters(view, 1);
  f.filter_ = filters.next();
  filters.expect_end();
  if (f.filter_.absent()) contradict();
  return f;
}

void single_history::expect_sound() const { detail::expect_consistent(filter_, records_); }

single_history::single_history(const single_history&) = default;
single_history::single_history(single_history&&) noexcept = default;
single_history& single_history::operator=(const single_history& other) {
  return *this = single_history(other);
}
single_history& single_history::operator=(single_history&&) noexcept = default;
single_history::~single_history() = default;

}  // namespace bloomtime::published

template class bloomtime::detail::stored<bloomtime::published::single_history>;
