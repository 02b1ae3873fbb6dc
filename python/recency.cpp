#include <array>
#include <cmath>

#include <pybind11/stl.h>

#include <bloomtime/recency/any_recency.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "handle_face.hpp"
#include "methods.hpp"
#include "parameters.hpp"

namespace bloomtime::python {
namespace {

using self = shared_filter<any_recency>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "Recency");
  any_recency_config config;
  std::string engine(any_recency::engines().front());
  in.read("window", config.window);
  in.read("last", config.last);
  in.read("items", config.items);
  in.read("error", config.error);
  in.read_bytes("memory", config.memory);
  in.read("engine", engine);
  in.read("reserve", config.reserve);
  in.read("forget_oldest", config.forget_oldest);
  in.read("tick", config.tick);
  in.read("ticks", config.ticks);
  in.read("refresh", config.refresh);
  in.read("ahead", config.ahead);
  in.read("evenly", config.evenly);
  in.read_word<layout>("layout", config.layout, {{"flat", layout::flat}, {"line", layout::line}});
  in.read("k", config.k);
  in.read("k0", config.k0);
  in.read("k1", config.k1);
  in.read("bits", config.bits);
  in.read("sweep", config.sweep);
  in.read("seed", config.seed);
  in.end();
  return share_made([&] { return any_recency::make(config, engine); });
}

// The time of a call: nothing for now.
std::optional<instant> asked_time(py::handle at) {
  return at.is_none() ? std::nullopt : std::optional(read_time("at", at));
}

// In a window of insertions times mean nothing, and the clock is not read.
std::optional<instant> time_for(const any_recency& f, std::optional<instant> asked) {
  return asked || !f.timed() ? asked : std::optional(now());
}

bool add(self& s, py::handle item, py::handle at) {
  s.expect_writable();
  const digest d = digest_of_item(item, s.seed());
  const auto when = asked_time(at);
  return s.write([&](any_recency& f) { return f.add_if_new(d, time_for(f, when)).fresh; });
}

bool seen(const self& s, py::handle item, py::handle at) {
  const digest d = digest_of_item(item, s.seed());
  const auto when = asked_time(at);
  return s.read([&](const any_recency& f) { return f.seen(d, time_for(f, when)); });
}

bool contains(const self& s, py::handle item) { return seen(s, item, py::none()); }

py::object add_many(self& s, py::handle given, py::handle at) {
  s.expect_writable();
  const auto items = item_column::read(given, s.seed());
  const auto times = time_column::read(at, items.size());
  const result_array<bool> fresh(items.size());
  std::vector<digest> scratch;
  std::vector<instant> when(piece_size);
  std::vector<novelty> answers(piece_size);
  s.write_pieces(items.size(), [&](any_recency& f, std::size_t first, std::size_t count) {
    f.add_if_new_bulk(items.digests(first, count, scratch, f.seed()),
                      times.piece(first, {when.data(), count}), {answers.data(), count});
    for (std::size_t i = 0; i < count; ++i) fresh.all[first + i] = answers[i].fresh;
  });
  return fresh.object;
}

py::object query_many(const self& s, py::handle given, py::handle at) {
  const auto items = item_column::read(given, s.seed());
  const auto times = time_column::read(at, items.size());
  const result_array<bool> answers(items.size());
  std::vector<digest> scratch;
  s.read_pieces(items.size(), [&](const any_recency& f, std::size_t first, std::size_t count) {
    const auto piece = items.digests(first, count, scratch, f.seed());
    const std::span<bool> out = answers.piece(first, count);
    if (times.single()) return f.seen_bulk(piece, times.front(), out);
    for (std::size_t i = 0; i < count; ++i) out[i] = f.seen(piece[i], times[first + i]);
  });
  return answers.object;
}

py::object age(const self& s, py::handle item, py::handle at) {
  const digest d = digest_of_item(item, s.seed());
  const auto when = asked_time(at);
  const auto found = s.read([&](const any_recency& f) { return f.age(d, time_for(f, when)); });
  if (!found) return py::none();
  const bool timed = s.read([](const any_recency& f) { return f.timed(); });
  const auto object = [&](std::uint64_t age) -> py::object {
    if (!timed) return py::int_(age);
    return span_object(std::chrono::microseconds(static_cast<std::int64_t>(age)));
  };
  return py::make_tuple(object(found->youngest), object(found->oldest));
}

// What is known of an item beforehand: the share of insertions, or events per second.
using any_prior = std::variant<age_prior, event_rate>;

any_prior prior_of(std::optional<double> share, std::optional<double> rate, py::handle within) {
  if (share.has_value() == rate.has_value()) {
    refuse_value(
        "give one of share, the probability that any one insertion is the item, and rate, its "
        "events per second");
  }
  if (std::isnan(share ? *share : *rate)) {
    refuse_value("{} must be a number; got NaN", share ? "share" : "rate");
  }
  if (share) return age_prior::share(*share);
  event_rate known{.per_second = *rate};
  if (!within.is_none()) {
    known.within = static_cast<double>(read_span("within", within).count());
  }
  return known;
}

double posterior(const self& s, py::handle item, py::handle at, std::optional<double> share,
                 std::optional<double> rate, py::handle within) {
  const digest d = digest_of_item(item, s.seed());
  const auto when = asked_time(at);
  const any_prior before = prior_of(share, rate, within);
  return s.read([&](const any_recency& f) {
    return std::visit([&](const auto& p) { return f.posterior(d, time_for(f, when), p); }, before);
  });
}

bool decide(const self& s, py::handle item, py::handle at, std::optional<double> share,
            std::optional<double> rate, py::handle within, double false_positive,
            double false_negative) {
  const digest d = digest_of_item(item, s.seed());
  const auto when = asked_time(at);
  const any_prior before = prior_of(share, rate, within);
  const math::penalties costs{false_positive, false_negative};
  return s.read([&](const any_recency& f) {
    return std::visit([&](const auto& p) { return f.decide(d, time_for(f, when), p, costs); },
                      before);
  });
}

py::object window(const self& s) {
  const auto w = s.read([](const any_recency& f) { return f.window(); });
  if (!s.read([](const any_recency& f) { return f.timed(); })) return py::int_(w);
  return span_object(std::chrono::microseconds(static_cast<std::int64_t>(w)));
}

constexpr const char* about =
    "Recency(*, window=None, last=None, items=None, error=None, memory=None,\n"
    "        engine=\"recency_table\", refresh=None, seed=0, ...)\n\n"
    "Was an item seen within the last `window` of time, or among the `last` insertions? \"No\" is\n"
    "certain. \"Yes\" is wrong with the probability `error`, and for items that left the window\n"
    "less than a tick ago. `at=None` means now; a time before the newest event means the newest.";

}  // namespace

void add_recency(py::module_& m) {
  filter_class<any_recency> c(m, "Recency", about);
  add_constructor(c, &make, "Recency(window=\"10m\")");
  method<&add>::add(c, "add", {{"item"}, {"at", py::none()}},
                    "Records an item. Returns True if it had not been seen within the window.");
  method<&seen>::add(c, "seen", {{"item"}, {"at", py::none()}},
                     "Whether an item was seen within the window.");
  method<&contains>::add(c, "__contains__", {{"item"}}, "seen() now.");
  c.def("add_many", &add_many, py::arg("items"), py::arg("at") = py::none(),
        "Records many items, in order. Returns an array of bool: whether each was new.")
      .def("fresh", &add_many, py::arg("items"), py::arg("at") = py::none(),
           "add_many() as a filter of rows: df[recency.fresh(df.user, at=df.time)].")
      .def("query_many", &query_many, py::arg("items"), py::arg("at") = py::none(),
           "An array of bool: whether each item was seen within the window.")
      .def("age", &age, py::arg("item"), py::arg("at") = py::none(),
           "How long ago an item was last seen: (youngest, oldest) as timedeltas, or as insertions "
           "in a window of insertions. None if it was not seen.")
      .def(
          "posterior", &posterior, py::arg("item"), py::arg("at") = py::none(), py::kw_only(),
          py::arg("share") = py::none(), py::arg("rate") = py::none(),
          py::arg("within") = py::none(),
          "The probability that an item was seen within the window, given what is known\n"
          "beforehand: `share`, the probability that any one insertion is this item (windows of\n"
          "insertions), or `rate`, its events per second (windows of time). NaN if the prior does\n"
          "not fit the window. `within` asks about a part of the window.")
      .def("decide", &decide, py::arg("item"), py::arg("at") = py::none(), py::kw_only(),
           py::arg("share") = py::none(), py::arg("rate") = py::none(),
           py::arg("within") = py::none(), py::arg("false_positive") = 1.0,
           py::arg("false_negative") = 1.0,
           "The answer that costs least on average: True for \"seen\".")
      .def("merge", &merge_filters<any_recency>, py::arg("other"),
           "Adds what a filter with the same parameters and seed has seen.")
      .def("__len__",
           [](const self& s) {
             return whole_items(s.read_long([](const any_recency& f) { return f.cardinality(); }));
           })
      .def_property_readonly("window", &window, "A timedelta, or a number of insertions.")
      .def_property_readonly(
          "insertions",
          [](const self& s) { return s.read([](const any_recency& f) { return f.insertions(); }); },
          "How many events were recorded.");
  add_union<any_recency>(c);
  add_clock<any_recency>(c);
  add_engine<any_recency>(c);
  add_advance<any_recency>(c);
  add_storage<any_recency>(c);
  add_facts<any_recency>(c);
}

}  // namespace bloomtime::python
