#include "cli/output/json.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cli/output/render.hpp"
#include "text/text.hpp"

namespace bloomtime::cli {
namespace {

struct to_json_value {
  ordered_json operator()(std::monostate) const { return nullptr; }
  template <class T>
  ordered_json operator()(const T& data) const {
    return data;
  }
};

ordered_json to_object(const table& what, const row& r) {
  ordered_json object = ordered_json::object();
  for (std::size_t c = 0; c < what.columns.size(); ++c) {
    if (what.columns[c].readers == audience::people) continue;
    object[what.columns[c].key] = to_json(r.cells[c].data);
  }
  return object;
}

// The same object as text, without a document: `serve` answers with it, and a document takes longer
// than the answer.
class line_writer {
 public:
  std::string written(const report& what) {
    out_.reserve(usual_bytes);
    begin('{');
    add("schema", std::uint64_t{json_schema});
    add("command", what.command);
    for (const auto& [key, data] : what.fields) add(key, data);
    for (const table& t : what.tables) {
      add_key(t.key);
      begin('[');
      for (const row& r : t.rows) add_row(t, r);
      out_ += ']';
    }
    out_ += "}\n";
    return std::move(out_);
  }

  void operator()(std::monostate) { out_ += "null"; }
  void operator()(bool yes) { out_ += yes ? "true" : "false"; }
  template <std::integral Number>
  void operator()(Number n) {
    const fmt::format_int digits(n);
    out_.append(digits.data(), digits.size());
  }
  void operator()(double x) {
    if (!std::isfinite(x)) return (*this)(std::monostate());
    const std::size_t start = out_.size();
    fmt::format_to(std::back_inserter(out_), "{}", x);
    if (out_.find_first_of(".e", start) == out_.npos) out_ += ".0";  // no integer
  }
  void operator()(const std::string& words) {
    const bool plain = std::all_of(words.begin(), words.end(), [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (!plain) {
      out_ += text::in_json(
          ordered_json(words).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
      return;
    }
    out_.append(1, '"').append(words).append(1, '"');
  }
  template <class T>
  void operator()(const std::vector<T>& all) {
    begin('[');
    for (const T& one : all) {
      separate();
      (*this)(one);
    }
    out_ += ']';
  }

 private:
  void add_row(const table& what, const row& r) {
    separate();
    begin('{');
    for (std::size_t c = 0; c < what.columns.size(); ++c) {
      if (what.columns[c].readers != audience::people) add(what.columns[c].key, r.cells[c].data);
    }
    out_ += '}';
  }
  void add(const std::string& key, const value& data) {
    add_key(key);
    std::visit(*this, data);
  }
  void add_key(const std::string& key) {
    separate();
    (*this)(key);
    out_ += ':';
  }
  void begin(char bracket) { out_ += bracket; }
  void separate() {
    if (out_.back() != '{' && out_.back() != '[') out_ += ',';
  }

  static constexpr std::size_t usual_bytes = 1000;

  std::string out_;
};

}  // namespace

ordered_json to_json(const value& data) { return std::visit(to_json_value{}, data); }

ordered_json to_json(const report& what) {
  ordered_json document = {{"schema", json_schema}, {"command", what.command}};
  for (const auto& [key, data] : what.fields) document[key] = to_json(data);
  for (const table& t : what.tables) {
    ordered_json& rows = document[t.key] = ordered_json::array();
    for (const row& r : t.rows) rows.push_back(to_object(t, r));
  }
  return document;
}

std::string dumped(const ordered_json& document, int indent) {
  return text::in_json(document.dump(indent, ' ', false, ordered_json::error_handler_t::replace)) +
         "\n";
}

std::string render_json(const report& what) { return dumped(to_json(what), 2); }

std::string render_json_line(const report& what) { return line_writer().written(what); }

}  // namespace bloomtime::cli
