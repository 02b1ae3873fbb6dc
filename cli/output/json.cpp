#include "cli/output/json.hpp"

#include "cli/output/render.hpp"

namespace bloomtime::cli {
namespace {

struct to_json_value {
  json operator()(std::monostate) const { return nullptr; }
  template <class T>
  json operator()(const T& data) const {
    return data;
  }
};

json to_object(const table& what, const row& r) {
  json object = json::object();
  for (std::size_t c = 0; c < what.columns.size(); ++c) {
    if (what.columns[c].readers == audience::people) continue;
    object[what.columns[c].key] = to_json(r.cells[c].data);
  }
  return object;
}

}  // namespace

json to_json(const value& data) { return std::visit(to_json_value{}, data); }

json to_json(const report& what) {
  json document = {{"schema", json_schema}, {"command", what.command}};
  for (const auto& [key, data] : what.fields) document[key] = to_json(data);
  for (const table& t : what.tables) {
    json& rows = document[t.key] = json::array();
    for (const row& r : t.rows) rows.push_back(to_object(t, r));
  }
  return document;
}

std::string dumped(const json& document, int indent) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string render_json(const report& what) { return dumped(to_json(what), 2); }

std::string render_json_line(const report& what) { return dumped(to_json(what)); }

}  // namespace bloomtime::cli
