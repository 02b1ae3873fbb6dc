#include <nlohmann/json.hpp>

#include "cli/output/render.hpp"

namespace bloomtime::cli {
namespace {

using json = nlohmann::ordered_json;

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
    object[what.columns[c].key] = std::visit(to_json_value{}, r.cells[c].data);
  }
  return object;
}

}  // namespace

std::string render_json(const report& what) {
  json document = {{"schema", json_schema}, {"command", what.command}};
  for (const auto& [key, data] : what.fields) document[key] = std::visit(to_json_value{}, data);
  for (const table& t : what.tables) {
    json& rows = document[t.key] = json::array();
    for (const row& r : t.rows) rows.push_back(to_object(t, r));
  }
  // File names need not be UTF-8; JSON must be.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bloomtime::cli
