#include <string>

#include <pybind11/pybind11.h>

#include <bloomtime/version.hpp>

#include "errors.hpp"
#include "families.hpp"
#include "items.hpp"
#include "times.hpp"

// bloomtime._bloomtime: the classes of the package. bloomtime/__init__.py exports them.
PYBIND11_MODULE(_bloomtime, m) {
  using namespace bloomtime::python;
  init_times();
  translate_errors();
  m.attr("__version__") = std::string(bloomtime::version);
  m.def(
      "digest",
      [](py::handle item, std::uint64_t seed) { return digest_object(digest_of_item(item, seed)); },
      py::arg("item"), py::arg("seed") = 0,
      "The 128-bit hash of an item, the same as in C++, in the command and in Redis.");
  add_bloom(m);
  add_heat(m);
  add_hot_list(m);
  add_history(m);
  add_recency(m);
  add_tally(m);
  add_stores(m);
}
