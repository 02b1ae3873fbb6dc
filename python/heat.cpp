#include <bloomtime/heat/any_listed_heat.hpp>

#include "columns.hpp"
#include "families.hpp"
#include "heat_face.hpp"
#include "parameters.hpp"

namespace bloomtime::python {
namespace {

using filter = any_listed_heat;
using self = shared_filter<filter>;

constexpr std::uint64_t usual_top = 100;

// -- construction --------------------------------------------------------------------------------

void read_config(parameters& in, any_heat_config& config) {
  in.read("items", config.items);
  in.read("error", config.error);
  in.read_bytes("memory", config.memory);
  in.read("half_life", config.half_life);
  in.read("lambda_", config.lambda);
  in.read("window", config.window);
  in.read("slots", config.slots);
  in.read("tick", config.tick);
  in.read("ahead", config.ahead);
  in.read("reserve", config.reserve);
  in.read("epsilon", config.epsilon);
  in.read("delta", config.delta);
  in.read("polynomial", config.polynomial);
  in.read("weights", config.weights);
  in.read("per_octave", config.per_octave);
  in.read("reach", config.reach);
  in.read("cell_bits", config.cell_bits);
  in.read_word<published::rounding>("rounding", config.rounding,
                                    {{"up", published::rounding::up},
                                     {"down", published::rounding::down},
                                     {"random", published::rounding::random}});
  in.read_word<published::increase>(
      "increase", config.increase,
      {{"plain", published::increase::plain}, {"minimum", published::increase::minimum}});
  in.read_bytes("pool_memory", config.pool_memory);
  in.read("seed", config.seed);
}

std::optional<hot_list> list_for(const any_heat_config& config, std::uint64_t entries) {
  if (entries == 0) return std::nullopt;
  hot_list_config list{.entries = entries, .buckets = 24};
  list.half_life = config.half_life;
  list.lambda = config.lambda;
  list.tick = config.tick.value_or(list.tick);
  list.ahead = config.ahead.value_or(list.ahead);
  list.seed = config.seed;
  return hot_list(list);
}

// A window needs another engine, and what does not decay has no list.
std::unique_ptr<self> make(py::kwargs given) {
  parameters in(std::move(given), "Heat");
  any_heat_config config;
  read_config(in, config);
  std::string engine(config.window ? window_table::name : any_heat::engines().front());
  in.read("engine", engine);
  const bool decays = config.half_life || config.lambda;
  std::uint64_t listed = decays ? usual_top : 0;
  in.read("top", listed);
  in.end();
  if (!config.ahead) config.ahead = any_time_ahead;
  if (listed != 0 && !decays) {
    refuse_value("top needs half_life or lambda_: a window keeps no list; got top={}", listed);
  }
  return share_made([&] {
    any_heat heat = any_heat::make(config, engine);
    return filter(std::move(heat), list_for(config, listed));
  });
}

// -- recording -----------------------------------------------------------------------------------

// The heat of a piece in bulk, then the list, item by item.
std::size_t add_many(self& s, py::handle given, py::handle at) {
  s.expect_writable();
  const bool listed = s.read([](const filter& f) { return f.hot().has_value(); });
  const auto items = item_column::read(given, s.seed(), listed);
  const auto times = time_column::read(at, items.size());
  std::vector<digest> scratch;
  std::vector<instant> when(piece_size);
  std::vector<outcome> outcomes(piece_size);
  std::string text;
  std::size_t recorded = 0;
  s.write_pieces(items.size(), [&](filter& f, std::size_t first, std::size_t count) {
    const auto piece = items.digests(first, count, scratch, f.seed());
    const std::span became(outcomes.data(), count);
    f.heat().add_bulk(piece, times.piece(first, {when.data(), count}), became);
    recorded += count_recorded(became);
    if (!listed) return;
    for (std::size_t i = 0; i < count; ++i) {
      if (count_recorded({&became[i], 1}) == 0) continue;
      f.hot()->add(piece[i], items.text(first + i, text), times[first + i]);
    }
  });
  return recorded;
}

// -- questions -----------------------------------------------------------------------------------

py::object rate(const self& s, py::handle item, py::handle at) {
  const digest d = digest_of_item(item, s.seed());
  const instant when = read_time_or_now(at);
  return estimate_object(s.read([&](const filter& f) { return f.heat().rate(d, when); }));
}

py::object within(const self& s, py::handle item, py::handle span, py::handle at) {
  const digest d = digest_of_item(item, s.seed());
  const auto part = read_span("span", span);
  const instant when = read_time_or_now(at);
  return estimate_object(s.read([&](const filter& f) { return f.heat().within(d, when, part); }));
}

py::object query_many(const self& s, py::handle given, py::handle at, bool bounds) {
  const auto items = item_column::read(given, s.seed());
  const auto times = time_column::read(at, items.size());
  const bounded_array<double> answers(items.size(), bounds);
  std::vector<digest> scratch;
  std::vector<estimate> heat(piece_size);
  s.read_pieces(items.size(), [&](const filter& f, std::size_t first, std::size_t count) {
    const auto piece = items.digests(first, count, scratch, f.seed());
    const std::span out(heat.data(), count);
    if (times.single()) {
      f.heat().at_bulk(piece, times.front(), out);
    } else {
      for (std::size_t i = 0; i < count; ++i) out[i] = f.heat().at(piece[i], times[first + i]);
    }
    answers.fill<estimate>(first, out);
  });
  return answers.object();
}

py::object top(const self& s, py::handle n, py::handle at) {
  if (!s.read([](const filter& f) { return f.hot().has_value(); })) {
    refuse_value(
        "this Heat keeps no list of the hottest items; make it with top=100, or use "
        "HotList");
  }
  return hottest(s, n, at);
}

constexpr const char* about =
    "Heat(*, half_life=None, window=None, items=0, error=None, memory=None, top=100, tick=None,\n"
    "     engine=\"heat_table\", seed=0, ...)\n\n"
    "How hot is an item now? With half_life every event counts 2^(-age / half_life), and the "
    "`top`\n"
    "hottest items are listed. With window the events of the last window count, in a\n"
    "window_table, which keeps no list. `at=None` means now.";

}  // namespace

void add_heat(py::module_& m) {
  filter_class<filter> c(m, "Heat", about);
  add_constructor(c, &make, "Heat(half_life=\"10m\")");
  c.def("add_many", &add_many, py::arg("items"), py::arg("at") = py::none(),
        "Records many events. Returns how many were counted; losses has the reasons.")
      .def("rate", &rate, py::arg("item"), py::arg("at") = py::none(),
           "Events per second, as an Estimate.")
      .def("within", &within, py::arg("item"), py::arg("span"), py::arg("at") = py::none(),
           "The hits of a part of the window: of the last `span`. Only with window.")
      .def("query_many", &query_many, py::arg("items"), py::arg("at") = py::none(), py::kw_only(),
           py::arg("bounds") = false,
           "An array of decayed counts; with bounds=True of records (value, lower, upper).")
      .def("top", &top, py::arg("n") = 20, py::arg("at") = py::none(),
           "The n hottest items, as a list of rows.")
      .def_property_readonly(
          "confidence",
          [](const self& s) {
            return s.read([](const filter& f) { return f.heat().confidence(); });
          },
          "The probability that a lower bound holds.")
      .def(
          "advance",
          [](self& s, py::handle at) {
            const instant t = read_time_or_now(at);
            s.write_long([&](filter& f) { f.heat().advance(t); });
          },
          py::arg("at") = py::none(), "Lets time pass without an event, never back.")
      .def("__len__", [](const self& s) {
        return whole_items(s.read_long([](const filter& f) { return f.heat().cardinality(); }));
      });
  add_heat_face<filter>(c);
  add_engine<filter>(c);
}

}  // namespace bloomtime::python
