#include <pybind11/stl.h>

#include <bloomtime/heat/hot_list.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "heat_face.hpp"
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

std::uint64_t read_weight(py::handle value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const std::uint64_t weight = read_whole("weight", value);
  if (weight >= 1 && weight <= most) return weight;
  refuse_value("weight must be from 1 to 2**32; got {}", weight);
}

namespace {

using self = shared_filter<hot_list>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "HotList");
  hot_list_config config;
  config.ahead = any_time_ahead;
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
  return share_made([&] { return hot_list(config); });
}

std::size_t add_many(self& s, py::handle given, py::handle at) {
  s.expect_writable();
  const auto items = item_column::read(given, s.seed(), true);
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

constexpr const char* about =
    "HotList(*, entries=1000, half_life=None, lambda_=None, tick=1, ahead=\"24h\", bucket=\"1h\",\n"
    "        buckets=24, seed=0, ...)\n\n"
    "The hottest items of a stream by decayed count, in fixed memory. Bounds of listed items\n"
    "always hold, and no other item is hotter than unlisted().";

}  // namespace

void add_hot_list(py::module_& m) {
  filter_class<hot_list> c(m, "HotList", about);
  add_constructor(c, &make, "HotList(half_life=\"10m\")");
  c.def("add_many", &add_many, py::arg("items"), py::arg("at") = py::none(),
        "Records many events. Returns how many were counted.")
      .def("top", &hottest<hot_list>, py::arg("n") = 20, py::arg("at") = py::none(),
           "The n hottest items, as a list of rows.")
      .def(
          "unlisted",
          [](const self& s, py::handle at) {
            const instant when = read_time_or_now(at);
            return s.read([&](const hot_list& f) { return f.unlisted(when); });
          },
          py::arg("at") = py::none(), "No item that is not listed is hotter than this.")
      .def("__len__",
           [](const self& s) { return s.read([](const hot_list& f) { return f.listed(); }); });
  add_heat_face<hot_list>(c);
}

}  // namespace bloomtime::python
