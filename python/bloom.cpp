#include <array>
#include <cmath>

#include <pybind11/stl.h>

#include <bloomtime/bloom/bloom_filter.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "handle_face.hpp"
#include "methods.hpp"
#include "parameters.hpp"

namespace bloomtime::python {
namespace {

using self = shared_filter<bloom_filter>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "Bloom");
  bloom_config config;
  in.read("items", config.items);
  in.read("error", config.error);
  in.read_bytes("memory", config.memory);
  in.read_word<layout>("layout", config.layout, {{"flat", layout::flat}, {"line", layout::line}});
  in.read("seed", config.seed);
  in.end();
  return share_made([&] { return bloom_filter(config); });
}

bool add(self& s, py::handle item) {
  s.expect_writable();
  const digest d = digest_of_item(item, s.seed());
  return s.write([&](bloom_filter& f) { return f.add(d); });
}

bool contains(const self& s, py::handle item) {
  const digest d = digest_of_item(item, s.seed());
  return s.read([&](const bloom_filter& f) { return f.may_contain(d); });
}

void add_many(self& s, py::handle given) {
  s.expect_writable();
  const auto items = item_column::read(given, s.seed());
  const auto words = items.words();
  std::vector<digest> scratch;
  s.write_pieces(items.size(), [&](bloom_filter& f, std::size_t first, std::size_t count) {
    if (words) return f.add_bulk(words->subspan(first, count));
    const auto piece = items.digests(first, count, scratch, f.seed());
    f.add_bulk(piece);
  });
}

py::object query_many(const self& s, py::handle given) {
  const auto items = item_column::read(given, s.seed());
  const result_array<bool> answers(items.size());
  const auto words = items.words();
  std::vector<digest> scratch;
  s.read_pieces(items.size(), [&](const bloom_filter& f, std::size_t first, std::size_t count) {
    const std::span<bool> out = answers.piece(first, count);
    if (words) return f.may_contain_bulk(words->subspan(first, count), out);
    const auto piece = items.digests(first, count, scratch, f.seed());
    f.may_contain_bulk(piece, out);
  });
  return answers.object;
}

double posterior(const self& s, py::handle item, std::optional<double> membership,
                 std::optional<double> share_of_insertions) {
  if (membership.has_value() == share_of_insertions.has_value()) {
    refuse_value("posterior() needs one of membership and share: what is known beforehand");
  }
  const prior before =
      membership ? prior::membership(*membership) : prior::share(*share_of_insertions);
  const digest d = digest_of_item(item, s.seed());
  return s.read([&](const bloom_filter& f) { return f.posterior(d, before); });
}

constexpr const char* about =
    "Bloom(*, items=0, error=None, memory=None, layout=None, seed=0)\n\n"
    "A Bloom filter: was an item added? \"No\" is certain. \"Maybe\" is wrong with the "
    "probability\n"
    "`error` once `items` different items are in. Give items and error, or items and memory.";

}  // namespace

void add_bloom(py::module_& m) {
  filter_class<bloom_filter> c(m, "Bloom", about);
  add_constructor(c, &make, "Bloom(items=1_000_000, error=0.01)");
  method<&add>::add(c, "add", {{"item"}}, "Adds an item. Returns True if it was certainly new.");
  method<&contains>::add(c, "__contains__", {{"item"}}, "Whether an item may have been added.");
  c.def("add_many", &add_many, py::arg("items"), "Adds many items.")
      .def("query_many", &query_many, py::arg("items"),
           "An array of bool: whether each item may have been added.")
      .def("posterior", &posterior, py::arg("item"), py::kw_only(),
           py::arg("membership") = py::none(), py::arg("share") = py::none(),
           "The probability that an item was added, given what the filter says and what is known\n"
           "beforehand: `membership`, the probability that it was added at all, or `share`, the\n"
           "probability that any one insertion is this item.")
      .def("merge", &merge_filters<bloom_filter>, py::arg("other"),
           "Adds the items of a filter with the same parameters and seed.")
      .def("__len__",
           [](const self& s) {
             return whole_items(s.read([](const bloom_filter& f) { return f.distinct(); }));
           })
      .def(
          "predicted_error",
          [](const self& s, std::uint64_t items) {
            return s.read([&](const bloom_filter& f) { return f.predicted_error(items); });
          },
          py::arg("items"), "The false-positive rate with so many different items.")
      .def(
          "current_error",
          [](const self& s) {
            return s.read_long([](const bloom_filter& f) { return f.current_error(); });
          },
          "The false-positive rate now.")
      .def_property_readonly(
          "insertions",
          [](const self& s) {
            return s.read([](const bloom_filter& f) { return f.insertions(); });
          },
          "How many items were added, repeated ones included.");
  add_union<bloom_filter>(c);
  add_storage<bloom_filter>(c);
  add_facts<bloom_filter>(c);
}

}  // namespace bloomtime::python
