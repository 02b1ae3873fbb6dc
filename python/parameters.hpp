#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include <bloomtime/digest.hpp>
#include <bloomtime/time.hpp>

namespace bloomtime::python {

namespace py = pybind11;

// The keyword arguments of a constructor. Each is read once; end() refuses those that are left.
// None is the same as no argument.
class parameters {
 public:
  explicit parameters(py::kwargs given, const char* of) : left_(std::move(given)), of_(of) {}

  void read(const char* name, std::uint64_t& into);
  void read(const char* name, unsigned& into);
  void read(const char* name, double& into);
  void read(const char* name, bool& into);
  void read(const char* name, std::string& into);
  void read(const char* name, std::chrono::microseconds& into);
  void read(const char* name, instant& into);
  void read(const char* name, hash_seed& into);
  void read(const char* name, std::vector<double>& into);
  void read(const char* name, std::vector<std::string>& into);
  template <class T>
  void read(const char* name, std::optional<T>& into) {
    if (!gives(name)) return (void)take(name);
    into.emplace();
    read(name, *into);
  }
  void read_bytes(const char* name, std::optional<std::uint64_t>& into);  // also "64MiB"
  // One of several words.
  template <class E>
  void read_word(const char* name, std::optional<E>& into,
                 std::initializer_list<std::pair<std::string_view, E>> words) {
    if (!gives(name)) return (void)take(name);
    std::string word;
    read(name, word);
    std::string all;
    for (const auto& [text, value] : words) {
      if (text == word) into = value;
      all += (all.empty() ? "" : ", ") + std::string(text);
    }
    if (!into) refuse_word(name, word, all);
  }

  bool gives(const char* name) const;
  void end() const;

 private:
  py::object take(const char* name);
  void note(const char* name) { known_.emplace_back(name); }
  [[noreturn]] static void refuse_word(const char* name, const std::string& word,
                                       const std::string& all);

  py::dict left_;
  const char* of_;
  std::vector<std::string> known_;
};

std::uint64_t read_whole(const char* name, py::handle value);
std::string read_text(const char* name, py::handle str);  // its UTF-8

}  // namespace bloomtime::python
