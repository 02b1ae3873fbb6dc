#pragma once

#include "face.hpp"

// What the classes of run-time handles have in common, and the hot list as far as it can.
namespace bloomtime::python {

template <class Filter>
void merge_filters(shared_filter<Filter>& self, const shared_filter<Filter>& other) {
  merge_into(self, other, [](Filter& ours, const Filter& theirs) {
    if constexpr (requires { ours.merge(theirs); }) {
      ours.merge(theirs);
    } else {
      ours.merge(theirs, 1.0);  // each event once
    }
  });
}

// The operators | and |=.
template <class Filter>
void add_union(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def("__ior__", [](py::object s, const self& other) {
     merge_filters(s.cast<self&>(), other);
     return s;
   }).def("__or__", [](const self& s, const self& other) {
    auto sum = copy_of(s);
    merge_filters(*sum, other);
    return sum;
  });
}

template <class Filter>
void add_clock(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def_property_readonly(
       "newest",
       [](const self& s) {
         return time_object(s.read([](const Filter& f) { return f.newest(); }));
       },
       "The time of the newest event, rounded down to a tick; None before the first.")
      .def_property_readonly(
          "losses",
          [](const self& s) {
            return losses_object(s.read([](const Filter& f) { return f.losses(); }));
          },
          "How many events were not recorded as requested, by reason, as a dict.")
      .def(
          "clear", [](self& s) { s.write_long([](Filter& f) { f.clear(); }); },
          "Forgets all events and keeps the parameters.");
}

template <class Filter>
void add_engine(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def_property_readonly(
      "engine",
      [](const self& s) { return std::string(s.read([](const Filter& f) { return f.engine(); })); },
      "The name of the structure that implements it.");
}

template <class Filter>
void add_advance(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def(
      "advance",
      [](self& s, py::handle at) {
        const instant t = read_time_or_now(at);
        s.write_long([&](Filter& f) { f.advance(t); });
      },
      py::arg("at") = py::none(), "Lets time pass without an event, never back.");
}

}  // namespace bloomtime::python
