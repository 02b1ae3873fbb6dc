#include <pybind11/stl.h>

#include <bloomtime/heat/hot_list.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "handle_face.hpp"
#include "hot_rows.hpp"
#include "parameters.hpp"

namespace bloomtime::python {

py::object hot_rows(const std::vector<hot_item>& items, const hash_seed& seed,
                    const std::optional<instant>& at) {
  const py::object row = answer_class("HotItem");
  py::list rows;
  for (const hot_item& h : items) {
    rows.append(row(item_object(h.item, h.id, seed), estimate_object(h.heat), h.guaranteed, h.trend,
                    py::cast(h.recent), h.cut));
  }
  return answer_class("HotItems")(rows, time_object(at));
}

namespace {

using self = shared_filter<hot_list>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "HotList");
  hot_list_config config;
  in.read("entries", config.entries);
  in.read("half_life", config.half_life);
  in.read("lambda_", config.lambda);
  in.read("tick", config.tick);
  in.read("ahead", config.ahead);
  in.read("fast_half_life", config.fast_half_life);
  in.read("bucket", config.bucket);
  in.read("buckets", config.buckets);
  in.read("seed", config.seed);
  in.end();
  return share(hot_list(config));
}

py::str add(self& s, py::handle given, py::handle at, py::handle count) {
  s.expect_writable();
  const item_view item(given);
  const digest d = item.digest(seed_of(s));
  std::array<char, 24> scratch;
  const std::string_view text = item.text(scratch);
  const instant when = read_time_or_now(at);
  const std::uint64_t weight = read_whole("weight", count);
  return outcome_object(s.write([&](hot_list& f) { return f.add(d, text, when, weight); }));
}

std::size_t add_many(self& s, py::handle given, py::handle at) {
  s.expect_writable();
  const auto items = item_column::read(given, seed_of(s), true);
  const auto times = time_column::read(at, items.size());
  std::vector<digest> scratch;
  std::string text;
  std::size_t recorded = 0;
  s.write_pieces(items.size(), [&](hot_list& f, std::size_t first, std::size_t count) {
    const auto piece = items.digests(first, count, scratch, f.seed());
    for (std::size_t i = 0; i < count; ++i) {
      const outcome became = f.add(piece[i], items.text(first + i, text), times[first + i]);
      recorded += count_recorded({&became, 1});
    }
  });
  return recorded;
}

py::object at(const self& s, py::handle item, py::handle at) {
  const digest d = digest_of_item(item, seed_of(s));
  const instant when = read_time_or_now(at);
  return estimate_object(s.read([&](const hot_list& f) { return f.at(d, when); }));
}

py::object top(const self& s, std::size_t n, py::handle at) {
  const instant when = read_time_or_now(at);
  return hot_rows(s.read_long([&](const hot_list& f) { return f.top(n, when); }), seed_of(s), when);
}

constexpr const char* about =
    "HotList(*, entries=1000, half_life=None, lambda_=None, tick=1, ahead=\"24h\", bucket=\"1h\",\n"
    "        buckets=24, seed=0, ...)\n\n"
    "The hottest items of a stream by decayed count, in fixed memory. Bounds of listed items\n"
    "always hold, and no other item is hotter than unlisted().";

}  // namespace

void add_hot_list(py::module_& m) {
  filter_class<hot_list> c(m, "HotList", about);
  c.def(py::init(&make));
  c.def("add", &add, py::arg("item"), py::arg("at") = py::none(), py::arg("weight") = 1,
        "Records an event. Returns what became of it: \"added\", \"late\", \"future\" or \"full\".")
      .def("add_many", &add_many, py::arg("items"), py::arg("at") = py::none(),
           "Records many events. Returns how many were counted.")
      .def("at", &at, py::arg("item"), py::arg("at") = py::none(),
           "The decayed count of an item, listed or not, as an Estimate.")
      .def(
          "__getitem__", [](const self& s, py::handle item) { return at(s, item, py::none()); },
          py::arg("item"))
      .def("top", &top, py::arg("n") = 20, py::arg("at") = py::none(),
           "The n hottest items, as a list of rows.")
      .def(
          "unlisted",
          [](const self& s, py::handle at) {
            const instant when = read_time_or_now(at);
            return s.read([&](const hot_list& f) { return f.unlisted(when); });
          },
          py::arg("at") = py::none(), "No item that is not listed is hotter than this.")
      .def(
          "mass",
          [](const self& s, py::handle at) {
            const instant when = read_time_or_now(at);
            return s.read([&](const hot_list& f) { return f.mass(when); });
          },
          py::arg("at") = py::none(), "The heat of all events together.")
      .def(
          "merge",
          [](self& s, const self& other, double weight) {
            merge_into(s, other,
                       [&](hot_list& ours, const hot_list& theirs) { ours.merge(theirs, weight); });
          },
          py::arg("other"), py::arg("weight") = 1.0,
          "Adds the events of a list with the same parameters and seed, each `weight` times.")
      .def("__len__",
           [](const self& s) { return s.read([](const hot_list& f) { return f.listed(); }); });
  c.attr("__iter__") = py::none();
  c.attr("__contains__") = py::none();
  add_union<hot_list>(c);
  add_clock<hot_list>(c);
  add_storage<hot_list>(c);
  add_facts<hot_list>(c);
}

}  // namespace bloomtime::python
