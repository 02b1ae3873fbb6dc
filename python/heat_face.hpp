#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <bloomtime/heat/any_listed_heat.hpp>
#include <bloomtime/heat/hot_list.hpp>

#include "handle_face.hpp"
#include "methods.hpp"
#include "parameters.hpp"

// What Heat and HotList have in common.
namespace bloomtime::python {

// bloomtime._answers.HotItems: the rows of a list of hot items.
py::object hot_rows(const std::vector<hot_item>& items, const hash_seed& seed,
                    const std::optional<instant>& at);

// Unless `ahead` is given: an object may be quiet for any time, so no event is too far ahead of the
// one before.
inline constexpr std::chrono::microseconds any_time_ahead = std::chrono::microseconds::max();

std::uint64_t read_weight(py::handle value);

// What answers about the heat of any item.
inline const any_heat& heat_in(const any_listed_heat& f) { return f.heat(); }
inline const hot_list& heat_in(const hot_list& f) { return f; }

template <class Filter>
py::str add_event(shared_filter<Filter>& s, py::handle given, py::handle at, py::handle weight) {
  s.expect_writable();
  const item_view item(given);
  const digest d = item.digest(s.seed());
  std::array<char, 24> scratch;
  const std::string_view text = item.text(scratch);
  const instant when = read_time_or_now(at);
  const std::uint64_t n = read_weight(weight);
  return outcome_object(s.write([&](Filter& f) { return f.add(d, text, when, n); }));
}

template <class Filter>
py::object heat_at(const shared_filter<Filter>& s, py::handle item, py::handle at) {
  const digest d = digest_of_item(item, s.seed());
  const instant when = read_time_or_now(at);
  return estimate_object(s.read([&](const Filter& f) { return heat_in(f).at(d, when); }));
}

template <class Filter>
py::object heat_now(const shared_filter<Filter>& s, py::handle item) {
  return heat_at(s, item, py::none());
}

template <class Filter>
py::object hottest(const shared_filter<Filter>& s, py::handle n, py::handle at) {
  const std::size_t rows = read_whole("n", n);
  const instant when = read_time_or_now(at);
  return hot_rows(s.read_long([&](const Filter& f) { return f.top(rows, when); }), s.seed(), when);
}

template <class Filter>
void add_heat_face(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  method<&add_event<Filter>>::add(
      c, "add", {{"item"}, {"at", py::none()}, {"weight", py::int_(1)}},
      "Records an event. Returns what became of it: \"added\", \"late\", \"future\", ...");
  method<&heat_at<Filter>>::add(
      c, "at", {{"item"}, {"at", py::none()}},
      "The decayed count of an item, or its hits within the window, as an Estimate.");
  method<&heat_now<Filter>>::add(c, "__getitem__", {{"item"}}, "at() now.");
  c.def(
       "mass",
       [](const self& s, py::handle at) {
         const instant when = read_time_or_now(at);
         return s.read([&](const Filter& f) { return heat_in(f).mass(when); });
       },
       py::arg("at") = py::none(), "The heat of all events together.")
      .def(
          "merge",
          [](self& s, const self& other, double weight) {
            merge_into(s, other,
                       [&](Filter& ours, const Filter& theirs) { ours.merge(theirs, weight); });
          },
          py::arg("other"), py::arg("weight") = 1.0,
          "Adds the events of another one with the same parameters and seed, each `weight` times.");
  c.attr("__iter__") = py::none();
  c.attr("__contains__") = py::none();
  add_union<Filter>(c);
  add_clock<Filter>(c);
  add_storage<Filter>(c);
  add_facts<Filter>(c);
}

}  // namespace bloomtime::python
