#include "errors.hpp"

#include <cctype>
#include <new>
#include <string_view>

#include <bloomtime/error.hpp>

#include "text/usage_error.hpp"

namespace bloomtime::python {
namespace {

constexpr std::size_t longest_repr = 80;

// "--half-life must be ..." becomes "half_life must be ...".
std::string with_arguments(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    const bool option = message.size() > 2 && message.starts_with("--") &&
                        std::islower(static_cast<unsigned char>(message[2])) != 0;
    if (!option) {
      out += message.front();
      message.remove_prefix(1);
      continue;
    }
    message.remove_prefix(2);
    while (!message.empty() &&
           (std::islower(static_cast<unsigned char>(message[0])) != 0 || message.front() == '-')) {
      out += message.front() == '-' ? '_' : message.front();
      message.remove_prefix(1);
    }
  }
  return out;
}

PyObject* exception_of(errc code) {
  switch (code) {
    case errc::out_of_memory: return PyExc_MemoryError;
    case errc::io: return PyExc_OSError;
    case errc::unsupported:
    case errc::invalid_argument:
    case errc::too_large:
    case errc::truncated:
    case errc::corrupt:
    case errc::newer_version:
    case errc::unknown_kind:
    case errc::incompatible: return PyExc_ValueError;
  }
  return PyExc_RuntimeError;
}

// Errors of the system end with its own words.
PyObject* exception_of(const error& e) {
  const std::string_view message = e.what();
  if (e.code() == errc::io && message.ends_with("No such file or directory")) {
    return PyExc_FileNotFoundError;
  }
  if (e.code() == errc::io && message.ends_with("Permission denied")) return PyExc_PermissionError;
  return exception_of(e.code());
}

// Names of files may have bytes that are no UTF-8.
void set(PyObject* exception, const std::string& message) {
  const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "surrogateescape"));
  if (text) PyErr_SetObject(exception, text.ptr());
}

void set(const error& e) { set(exception_of(e), e.what()); }

void set(const text::usage_error& e) { set(PyExc_ValueError, with_arguments(e.what())); }

}  // namespace

std::string shown(py::handle value) {
  const auto repr = py::reinterpret_steal<py::object>(PyObject_ASCII(value.ptr()));
  if (!repr) {
    PyErr_Clear();
    return "a " + type_of(value);
  }
  const std::string text = py::cast<std::string>(repr);
  return text.size() > longest_repr ? text.substr(0, longest_repr) + "..." : text;
}

std::string type_of(py::handle value) { return Py_TYPE(value.ptr())->tp_name; }

bool is_bool(py::handle value) {
  const std::string_view type = Py_TYPE(value.ptr())->tp_name;
  return PyBool_Check(value.ptr()) || type == "numpy.bool_" || type == "numpy.bool";
}

void expect_unmasked(const char* name, py::handle array) {
  if (!py::hasattr(array, "mask")) return;
  refuse_type("{} must not be a masked array; use .compressed() or .filled()", name);
}

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr caught) {
    try {
      if (caught) std::rethrow_exception(caught);
    } catch (const error& e) {
      set(e);
    } catch (const text::usage_error& e) {
      set(e);
    }
  });
}

void set_error() noexcept {
  try {
    throw;
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const error& e) {
    set(e);
  } catch (const text::usage_error& e) {
    set(e);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace bloomtime::python
