#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl/filesystem.h>

#include <bloomtime/any.hpp>
#include <bloomtime/detail/file.hpp>
#include <bloomtime/digest.hpp>

#include "answers.hpp"
#include "guarded.hpp"
#include "items.hpp"
#include "text/number.hpp"
#include "times.hpp"

// What all classes of filters can do: be made, store, copy, merge, describe.
namespace bloomtime::python {

template <class Filter>
using shared_filter = guarded<Filter>;

template <class Filter>
using filter_class = py::class_<shared_filter<Filter>>;

template <class Filter>
std::unique_ptr<shared_filter<Filter>> share(Filter&& filter) {
  return std::make_unique<shared_filter<Filter>>(std::move(filter));
}

// The filter that `make` returns. A large one takes seconds to make, so the GIL is released.
template <class Make>
auto share_made(const Make& make) {
  const py::gil_scoped_release released;
  return share(make());
}

inline std::span<const std::byte> bytes_in(const Py_buffer& buffer) {
  return {static_cast<const std::byte*>(buffer.buf), static_cast<std::size_t>(buffer.len)};
}

// The bytes of an object with the buffer protocol while they are read.
class bytes_view {
 public:
  explicit bytes_view(py::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
      PyErr_Clear();
      refuse_type("bytes are needed; got {}", shown(object));
    }
  }
  bytes_view(const bytes_view&) = delete;
  bytes_view& operator=(const bytes_view&) = delete;
  ~bytes_view() { PyBuffer_Release(&buffer_); }

  std::span<const std::byte> get() const { return bytes_in(buffer_); }

 private:
  Py_buffer buffer_;
};

inline py::bytes bytes_object(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Filter>
py::bytes to_bytes(const shared_filter<Filter>& self) {
  return bytes_object(self.read_long([](const Filter& f) { return f.serialize(); }));
}

template <class Filter>
std::unique_ptr<shared_filter<Filter>> from_bytes(py::handle object) {
  const bytes_view bytes(object);
  const py::gil_scoped_release released;
  return share(Filter::load(bytes.get()));
}

template <class Filter>
std::unique_ptr<shared_filter<Filter>> load_file(const std::filesystem::path& path) {
  const py::gil_scoped_release released;
  return share(Filter::load(detail::mapped_file::open(path)->bytes()));
}

template <class Filter>
std::unique_ptr<shared_filter<Filter>> open_file(const std::filesystem::path& path) {
  const py::gil_scoped_release released;
  return std::make_unique<shared_filter<Filter>>(Filter::map(path));
}

template <class Filter>
std::unique_ptr<shared_filter<Filter>> copy_of(const shared_filter<Filter>& self) {
  return share(self.read_long([](const Filter& f) { return Filter(f); }));
}

// Of one other filter, or of a copy if both are the same object.
template <class Filter, class Merge>
void merge_into(shared_filter<Filter>& self, const shared_filter<Filter>& other,
                const Merge& merge) {
  self.expect_writable();
  const Filter theirs = other.read_long([](const Filter& f) { return Filter(f); });
  self.write_long([&](Filter& ours) { merge(ours, theirs); });
}

// A number of items as len() takes it.
inline std::size_t whole_items(double items) {
  constexpr double most = 0x1p62;
  return static_cast<std::size_t>(std::llround(std::clamp(items, 0.0, most)));
}

template <class Filter>
std::vector<fact> facts_in(const shared_filter<Filter>& self) {
  return self.read_long([](const Filter& f) {
    if constexpr (requires { f.describe(); }) {
      return f.describe();
    } else {
      return bloomtime::describe(f);
    }
  });
}

template <class Filter>
std::string repr_of(const py::object& self, const shared_filter<Filter>& filter) {
  std::string line = "<bloomtime." + py::cast<std::string>(self.get_type().attr("__name__"));
  for (const fact& f : facts_in(filter)) {
    if (f.name == "engine") line += " " + std::get<std::string>(f.value);
  }
  const auto memory = filter.read([](const Filter& f) { return f.memory(); });
  return line + fmt::format(", {} bytes{}>", text::count_text(memory),
                            filter.read_only() ? ", read-only" : "");
}

// make(kwargs), as in `example`.
template <class Filter, class Make>
void add_constructor(filter_class<Filter>& c, const Make& make, const char* example) {
  c.def(py::init([make, example](const py::args& positional, py::kwargs given) {
    if (!positional.empty()) refuse_type("parameters are given by name, as in {}", example);
    return make(std::move(given));
  }));
  // pybind11 makes room for an object whose __init__() was not called when it is first used.
  py::detail::get_type_info(typeid(shared_filter<Filter>))->operator_new =
      [](std::size_t) -> void* { refuse_type("__init__() of this filter was not called"); };
}

template <class Filter>
void add_storage(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def("to_bytes", &to_bytes<Filter>, "The filter as bytes, in the format of its file.")
      .def_static("from_bytes", &from_bytes<Filter>, py::arg("data"),
                  "The filter in bytes that to_bytes() or the command made.")
      .def(
          "save",
          [](const self& s, const std::filesystem::path& path) {
            s.read_long([&](const Filter& f) { f.save(path); });
          },
          py::arg("path"), "Writes a file. It is replaced as a whole or not at all.")
      .def_static("load", &load_file<Filter>, py::arg("path"), "The filter in a file.")
      .def_static("open", &open_file<Filter>, py::arg("path"),
                  "The filter in a file, read-only and without reading it first where the engine "
                  "can answer from a mapped file.")
      .def_property_readonly("read_only", &self::read_only, "Whether open() made it.")
      .def("copy", &copy_of<Filter>, "A copy with its own memory.")
      .def("__copy__", &copy_of<Filter>)
      .def(
          "__deepcopy__", [](const self& s, const py::dict&) { return copy_of(s); },
          py::arg("memo"))
      .def(py::pickle(&to_bytes<Filter>,
                      [](const py::bytes& data) { return from_bytes<Filter>(data); }))
      // The older protocols make an object of a base class, of which pybind11's has none.
      .def(
          "__reduce_ex__",
          [](const py::object& s, int protocol) {
            const py::object object = py::module_::import("builtins").attr("object");
            return object.attr("__reduce_ex__")(s, std::max(protocol, 2));
          },
          py::arg("protocol"));
}

template <class Filter>
void add_facts(filter_class<Filter>& c) {
  using self = shared_filter<Filter>;
  c.def_property_readonly(
       "memory", [](const self& s) { return s.read([](const Filter& f) { return f.memory(); }); },
       "Bytes of memory that grow with the data.")
      .def_property_readonly(
          "seed", [](const self& s) { return s.seed().value(); }, "The seed of the hash.")
      .def(
          "describe", [](const self& s) { return facts_object(facts_in(s)); },
          "Parameters and sizes as a dict.")
      .def(
          "digest",
          [](const self& s, py::handle item) {
            return digest_object(digest_of_item(item, s.seed()));
          },
          py::arg("item"), "The 128-bit hash of an item in this filter.")
      .def("__repr__", [](const py::object& s) { return repr_of(s, s.cast<const self&>()); })
      .def("_repr_html_", [](const py::object& s) {
        return py::module_::import("bloomtime._show").attr("filter_html")(s);
      });
}

}  // namespace bloomtime::python
