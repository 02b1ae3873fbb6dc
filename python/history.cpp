#include <limits>

#include <bloomtime/history/any_history.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "handle_face.hpp"
#include "methods.hpp"
#include "parameters.hpp"

namespace bloomtime::python {
namespace {

using self = shared_filter<any_history>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "History");
  any_history_config config;
  std::string engine(any_history::engines().front());
  in.read("resolution", config.tick);
  in.read("origin", config.origin);
  in.read("error", config.error);
  in.read("length", config.length);
  in.read_bytes("memory", config.memory);
  in.read("engine", engine);
  in.read("partition", config.partition);
  in.read("ahead", config.ahead);
  in.read("retention", config.retention);
  in.read("late", config.late);
  in.read_bytes("live_memory", config.live_memory);
  in.read("first", config.first);
  in.read("ticks", config.ticks);
  in.read("pairs", config.pairs);
  in.read("items", config.items);
  in.read("granularity", config.granularity);
  in.read("seed", config.seed);
  in.end();
  return share_made([&] { return any_history::make(config, engine); });
}

tick_clock clock_of(const self& s) {
  return s.read([](const any_history& f) { return f.clock(); });
}

// -- recording -----------------------------------------------------------------------------------

py::str add(self& s, py::handle item, py::handle at) {
  s.expect_writable();
  const digest d = digest_of_item(item, s.seed());
  const instant when = read_time_or_now(at);
  return outcome_object(s.write([&](any_history& f) { return f.add(d, when); }));
}

std::size_t add_many(self& s, py::handle given, py::handle at) {
  s.expect_writable();
  const auto items = item_column::read(given, s.seed());
  const auto times = time_column::read(at, items.size());
  std::vector<digest> scratch;
  std::vector<instant> when(piece_size);
  std::vector<outcome> outcomes(piece_size);
  std::size_t recorded = 0;
  s.write_pieces(items.size(), [&](any_history& f, std::size_t first, std::size_t count) {
    const std::span became(outcomes.data(), count);
    f.add_bulk(items.digests(first, count, scratch, f.seed()),
               times.piece(first, {when.data(), count}), became);
    recorded += count_recorded(became);
  });
  return recorded;
}

// -- questions -----------------------------------------------------------------------------------

struct period {
  instant start;
  instant end;
};

// Without a start or an end, all times.
period read_period(py::handle start, py::handle end) {
  using limits = std::numeric_limits<std::int64_t>;
  const period p{start.is_none() ? instant(limits::min()) : read_time("start", start),
                 end.is_none() ? instant(limits::max()) : read_time("end", end)};
  if (p.end < p.start) {
    refuse_value("end must not be before start; got {} and {}", shown(end), shown(start));
  }
  return p;
}

std::uint64_t ticks_in(interval i) {
  return static_cast<std::uint64_t>(i.last.number) - static_cast<std::uint64_t>(i.first.number) + 1;
}

// True, False, or None if part of the time is no longer kept.
py::object sighting_object(sighting s) {
  if (s == sighting::out_of_retention) return py::none();
  return py::bool_(s == sighting::maybe);
}

// single_history reads bits for each tick, of which a loaded one may have 2^62: in parts, between
// which an interrupt ends the question.
sighting seen_in_parts(const self& s, digest d, const period& p) {
  constexpr std::uint64_t part = std::uint64_t{1} << 20;  // ticks
  interval left = s.read([&](const any_history& f) {
    const auto& single = std::get<published::single_history>(f.get());
    const interval asked = f.clock().covering(p.start, p.end);
    const auto first = static_cast<std::int64_t>(single.first());
    const auto last = static_cast<std::int64_t>(single.first() + (single.ticks() - 1));
    return interval{std::max(asked.first, tick{first}), std::min(asked.last, tick{last})};
  });
  while (!left.empty()) {
    interval now = left;
    if (ticks_in(now) > part) now.last = tick{now.first.number + std::int64_t{part - 1}};
    const sighting found = s.read_long([&](const any_history& f) {
      return f.seen(d, f.clock().start_of(now.first), f.clock().end_of(now.last));
    });
    if (found != sighting::no) return found;
    expect_no_interrupt();
    left.first = tick{now.last.number + 1};
  }
  return sighting::no;
}

py::object seen(const self& s, py::handle item, py::handle start, py::handle end) {
  const digest d = digest_of_item(item, s.seed());
  const period p = read_period(start, end);
  const auto answer = s.read([&](const any_history& f) -> std::optional<sighting> {
    if (std::holds_alternative<published::single_history>(f.get())) return std::nullopt;
    return f.seen(d, p.start, p.end);
  });
  return sighting_object(answer ? *answer : seen_in_parts(s, d, p));
}

py::object query_many(const self& s, py::handle given, py::handle start, py::handle end) {
  const auto items = item_column::read(given, s.seed());
  const period p = read_period(start, end);
  const result_array<bool> answers(items.size());
  std::vector<digest> scratch;
  std::vector<sighting> found(piece_size);
  s.read_pieces(items.size(), [&](const any_history& f, std::size_t first, std::size_t count) {
    f.seen_bulk(items.digests(first, count, scratch, f.seed()), p.start, p.end,
                {found.data(), count});
    for (std::size_t i = 0; i < count; ++i) answers.all[first + i] = found[i] == sighting::maybe;
  });
  return answers.object;
}

sightings when(const self& s, py::handle item, const period& p) {
  const digest d = digest_of_item(item, s.seed());
  return s.read_long(
      [&](const any_history& f) { return f.when(d, f.clock().covering(p.start, p.end)); });
}

instant after(instant t) {
  return t.micros == std::numeric_limits<std::int64_t>::max() ? t : instant(t.micros + 1);
}

// `end` is the first moment after the last tick.
py::object interval_object(interval i, const tick_clock& clock) {
  static PyObject* made = nullptr;
  if (made == nullptr) made = answer_class("Interval").release().ptr();
  return py::reinterpret_borrow<py::object>(made)(time_object(clock.start_of(i.first)),
                                                  time_object(after(clock.end_of(i.last))));
}

py::list intervals_object(const sightings& seen, const tick_clock& clock) {
  py::list all;
  for (const interval& i : seen) all.append(interval_object(i, clock));
  return all;
}

py::list intervals(const self& s, py::handle item, py::handle start, py::handle end) {
  return intervals_object(when(s, item, read_period(start, end)), clock_of(s));
}

py::object first(const self& s, py::handle item) {
  const sightings all = when(s, item, read_period(py::none(), py::none()));
  return all.empty() ? py::none() : time_object(clock_of(s).start_of(all.front().first));
}

py::object last(const self& s, py::handle item) {
  const sightings all = when(s, item, read_period(py::none(), py::none()));
  return all.empty() ? py::none() : time_object(clock_of(s).start_of(all.back().last));
}

// -- histograms ----------------------------------------------------------------------------------

struct bars {
  py::array_t<std::uint64_t> counts;
  py::object edges;  // datetime64[us], one more
};

// The time that was asked about; what was not given begins or ends with the sightings.
interval shown_ticks(const sightings& all, const tick_clock& clock, py::handle start,
                     py::handle end) {
  const period p = read_period(start, end);
  interval shown = clock.covering(p.start, p.end);
  if (start.is_none()) shown.first = all.empty() ? tick{0} : all.front().first;
  if (end.is_none()) shown.last = all.empty() ? shown.first : all.back().last;
  if (shown.empty()) shown.last = shown.first;
  return shown;
}

bars bars_of(const sightings& all, interval within, const tick_clock& clock, std::size_t bins) {
  if (bins == 0) refuse_value("bins must be at least 1; got 0");
  const auto numpy = py::module_::import("numpy");
  const std::uint64_t ticks = ticks_in(within);
  const std::size_t parts = std::min<std::uint64_t>(bins, ticks);
  const auto counts = histogram(all, within, parts);
  bars b{py::array_t<std::uint64_t>(static_cast<py::ssize_t>(parts), counts.data()), {}};
  const std::uint64_t length = (ticks + parts - 1) / parts;
  std::vector<std::int64_t> edges;
  for (std::size_t i = 0; i <= parts; ++i) {
    const std::uint64_t offset = std::min(i * length, ticks);
    edges.push_back(
        clock.start_of({within.first.number + static_cast<std::int64_t>(offset)}).micros);
  }
  b.edges = py::array_t<std::int64_t>(static_cast<py::ssize_t>(edges.size()), edges.data())
                .attr("view")("datetime64[us]");
  return b;
}

py::tuple histogram_of(const self& s, py::handle item, py::handle start, py::handle end,
                       std::size_t bins) {
  const sightings all = when(s, item, read_period(start, end));
  const tick_clock clock = clock_of(s);
  const bars b = bars_of(all, shown_ticks(all, clock, start, end), clock, bins);
  return py::make_tuple(b.counts, b.edges);
}

py::object timeline(const self& s, py::object item, py::handle start, py::handle end,
                    std::size_t bins) {
  const sightings all = when(s, item, read_period(start, end));
  const tick_clock clock = clock_of(s);
  const bars b = bars_of(all, shown_ticks(all, clock, start, end), clock, bins);
  return answer_class("Timeline")(item, intervals_object(all, clock), b.counts, b.edges,
                                  span_object(clock.resolution()));
}

py::object kept_from(const self& s) {
  return time_object(s.read([](const any_history& f) -> std::optional<instant> {
    const history* const h = std::get_if<history>(&f.get());
    if (h == nullptr) return std::nullopt;
    return h->clock().start_of(h->known_from());
  }));
}

constexpr const char* about =
    "History(*, resolution=1, partition=None, retention=None, memory=None, error=None,\n"
    "        engine=\"history\", origin=None, seed=0, ...)\n\n"
    "Was an item seen between two times, and when? \"No\" is certain. Times are kept in ticks of\n"
    "`resolution`. `retention` is a number of partitions; without it everything is kept.";

}  // namespace

void add_history(py::module_& m) {
  filter_class<any_history> c(m, "History", about);
  add_constructor(c, &make, "History(resolution=1)");
  method<&add>::add(
      c, "add", {{"item"}, {"at", py::none()}},
      "Records a sighting. Returns what became of it: \"added\", \"late\", \"dropped_late\", ...");
  method<&seen>::add(
      c, "seen", {{"item"}, {"start", py::none()}, {"end", py::none()}},
      "Whether an item was seen from start to end, both included. False is certain. None: not\n"
      "found, and part of the time is no longer kept.");
  c.def("add_many", &add_many, py::arg("items"), py::arg("at") = py::none(),
        "Records many sightings. Returns how many were recorded; losses has the reasons.")
      .def("query_many", &query_many, py::arg("items"), py::arg("start") = py::none(),
           py::arg("end") = py::none(),
           "An array of bool: whether each item was seen from start to end. Time before kept_from\n"
           "counts as not seen.")
      .def("intervals", &intervals, py::arg("item"), py::arg("start") = py::none(),
           py::arg("end") = py::none(),
           "When an item was seen: a list of Interval(start, end), where end is the first moment\n"
           "after it.")
      .def("first", &first, py::arg("item"), "When an item was first seen, or None.")
      .def("last", &last, py::arg("item"), "When an item was last seen, or None.")
      .def("histogram", &histogram_of, py::arg("item"), py::arg("start") = py::none(),
           py::arg("end") = py::none(), py::kw_only(), py::arg("bins") = 50,
           "(counts, edges) as arrays, as numpy.histogram: in how many ticks of each bin the item\n"
           "was seen. Edges are datetime64 in UTC.")
      .def("timeline", &timeline, py::arg("item"), py::arg("start") = py::none(),
           py::arg("end") = py::none(), py::kw_only(), py::arg("bins") = 50,
           "Intervals and histogram together, with a picture: .plot() or, in a notebook, itself.")
      .def(
          "trim",
          [](self& s, py::handle before) {
            const instant t = read_time("before", before);
            s.write_long([&](any_history& f) { f.trim(t); });
          },
          py::arg("before"), "Drops the partitions that end before this time.")
      .def_property_readonly("kept_from", &kept_from,
                             "Sightings before this time were dropped; None if the engine drops "
                             "none.")
      .def_property_readonly(
          "resolution", [](const self& s) { return span_object(clock_of(s).resolution()); },
          "The length of a tick, as a timedelta.")
      .def_property_readonly(
          "records",
          [](const self& s) { return s.read([](const any_history& f) { return f.records(); }); },
          "How many sightings were recorded.")
      .def("merge", &merge_filters<any_history>, py::arg("other"),
           "Adds the sightings of a history with the same parameters and seed.")
      .def("__len__", [](const self& s) {
        return whole_items(s.read_long([](const any_history& f) { return f.cardinality(); }));
      });
  c.attr("__contains__") = py::none();
  add_union<any_history>(c);
  add_clock<any_history>(c);
  add_engine<any_history>(c);
  add_advance<any_history>(c);
  add_storage<any_history>(c);
  add_facts<any_history>(c);
}

}  // namespace bloomtime::python
