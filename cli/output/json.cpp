#include "cli/output/json.hpp"

#include "cli/output/render.hpp"

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
  return document.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string render_json(const report& what) { return dumped(to_json(what), 2); }

std::string render_json_line(const report& what) { return dumped(to_json(what)); }

}  // namespace bloomtime::cli
