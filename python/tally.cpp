#include <array>

#include <bloomtime/tally/any_tally.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "handle_face.hpp"
#include "methods.hpp"
#include "parameters.hpp"

namespace bloomtime::python {
namespace {

using self = shared_filter<any_tally>;

std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "Tally");
  any_tally_config config;
  std::string engine(any_tally::engines().front());
  in.read("items", config.items);
  in.read("error", config.error);
  in.read_bytes("memory", config.memory);
  in.read("engine", engine);
  in.read("reserve", config.reserve);
  in.read("total", config.total);
  in.read("cell_bits", config.cell_bits);
  in.read_bytes("large_memory", config.large_memory);
  in.read("k", config.k);
  in.read("counters_per_slack", config.counters_per_slack);
  in.read("base_bits", config.base_bits);
  in.read("threshold", config.threshold);
  in.read_word<published::shrinking>("shrinking", config.shrinking,
                                     {{"with_gap", published::shrinking::with_gap},
                                      {"published", published::shrinking::published}});
  in.read("seed", config.seed);
  in.end();
  return share_made([&] { return any_tally::make(config, engine); });
}

py::object add(self& s, py::handle item, py::handle count) {
  s.expect_writable();
  const digest d = digest_of_item(item, s.seed());
  const std::uint64_t n = read_whole("count", count);
  return outcome_object(s.write([&](any_tally& f) { return f.add(d, n); }));
}

py::str remove(self& s, py::handle item, py::handle count) {
  s.expect_writable();
  const digest d = digest_of_item(item, s.seed());
  const std::uint64_t n = read_whole("count", count);
  const outcome became = s.write([&](any_tally& f) { return f.remove(d, n); });
  return became == outcome::added ? py::str("removed") : outcome_object(became);
}

counted count_of(const self& s, py::handle item) {
  const digest d = digest_of_item(item, s.seed());
  return s.read([&](const any_tally& f) { return f.count(d); });
}

py::object count(const self& s, py::handle item) { return count_object(count_of(s, item)); }

bool contains(const self& s, py::handle item) { return count_of(s, item).upper > 0; }

using bulk = void (any_tally::*)(std::span<const digest>, std::span<outcome>);

std::size_t change_many(self& s, py::handle given, bulk change) {
  s.expect_writable();
  const auto items = item_column::read(given, s.seed());
  std::size_t recorded = 0;
  std::vector<digest> scratch;
  s.write_pieces(items.size(), [&](any_tally& f, std::size_t first, std::size_t count) {
    std::array<outcome, piece_size> outcomes;
    const auto piece = items.digests(first, count, scratch, f.seed());
    (f.*change)(piece, {outcomes.data(), count});
    recorded += count_recorded({outcomes.data(), count});
  });
  return recorded;
}

py::object query_many(const self& s, py::handle given, bool bounds) {
  const auto items = item_column::read(given, s.seed());
  const bounded_array<std::uint64_t> answers(items.size(), bounds);
  std::vector<digest> scratch;
  std::vector<counted> counts(piece_size);
  s.read_pieces(items.size(), [&](const any_tally& f, std::size_t first, std::size_t count) {
    const std::span out(counts.data(), count);
    f.count_bulk(items.digests(first, count, scratch, f.seed()), out);
    answers.fill<counted>(first, out);
  });
  return answers.object();
}

constexpr const char* about =
    "Tally(*, items=0, error=None, memory=None, engine=\"tally_table\", seed=0, ...)\n\n"
    "How many of each item are there, when items are added and removed? Counts are never too low\n"
    "as long as only what was added is removed.";

}  // namespace

void add_tally(py::module_& m) {
  filter_class<any_tally> c(m, "Tally", about);
  add_constructor(c, &make, "Tally(items=1_000_000)");
  method<&add>::add(
      c, "add", {{"item"}, {"count", py::int_(1)}},
      "Adds an item so many times. Returns what became of it: \"added\", \"full\", ...");
  method<&remove>::add(c, "remove", {{"item"}, {"count", py::int_(1)}},
                       "Removes an item so many times. Returns \"removed\", or \"refused\" if "
                       "there are not as many.");
  method<&count>::add(c, "__getitem__", {{"item"}}, "How many there are, as a Count.");
  method<&contains>::add(c, "__contains__", {{"item"}}, "Whether there may be one.");
  c.def(
       "add_many",
       [](self& s, py::handle items) {
         return change_many(s, items, static_cast<bulk>(&any_tally::add_bulk));
       },
       py::arg("items"), "Adds each item once. Returns how many were added.")
      .def(
          "remove_many",
          [](self& s, py::handle items) { return change_many(s, items, &any_tally::remove_bulk); },
          py::arg("items"), "Removes each item once. Returns how many were removed.")
      .def("query_many", &query_many, py::arg("items"), py::kw_only(), py::arg("bounds") = false,
           "An array of counts; with bounds=True of records (value, lower, upper).")
      .def("merge", &merge_filters<any_tally>, py::arg("other"),
           "Adds the counts of a tally with the same parameters and seed.")
      .def("__len__",
           [](const self& s) {
             return whole_items(s.read_long([](const any_tally& f) { return f.cardinality(); }));
           })
      .def_property_readonly(
          "total",
          [](const self& s) { return s.read_long([](const any_tally& f) { return f.total(); }); },
          "The sum of all counts.")
      .def_property_readonly(
          "confidence",
          [](const self& s) {
            return s.read_long([](const any_tally& f) { return f.confidence(); });
          },
          "The probability that a lower bound holds.")
      .def_property_readonly(
          "losses",
          [](const self& s) {
            return losses_object(s.read([](const any_tally& f) { return f.losses(); }));
          },
          "How many events were not recorded as requested, by reason, as a dict.")
      .def(
          "clear", [](self& s) { s.write_long([](any_tally& f) { f.clear(); }); },
          "Forgets all counts and keeps the parameters.");
  c.attr("__iter__") = py::none();
  add_union<any_tally>(c);
  add_engine<any_tally>(c);
  add_storage<any_tally>(c);
  add_facts<any_tally>(c);
}

}  // namespace bloomtime::python
