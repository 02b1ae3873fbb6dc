#include "logs/json_fields.hpp"

#include <algorithm>

// Results that are not asked for their error do not compile.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include "logs/lines.hpp"

namespace bloomtime::logs {
namespace {

namespace json = simdjson::ondemand;
using simdjson::SUCCESS;

static_assert(simdjson::SIMDJSON_PADDING <= line_reader::padding);

struct scalar {
  json_problem problem = json_problem::none;
  bool there = false;
  std::string_view text = {};
};

scalar string_of(json::value& value) {
  std::string_view text;
  if (value.get_string().get(text) != SUCCESS) return {json_problem::not_json};
  return {json_problem::none, true, text};
}

scalar number_of(json::value& value) {
  std::string_view token = value.raw_json_token();
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  if (token.find_first_not_of("0123456789+-.eE") != token.npos) return {json_problem::not_json};
  return {json_problem::none, true, token};
}

scalar bool_of(json::value& value) {
  bool truth = false;
  if (value.get_bool().get(truth) != SUCCESS) return {json_problem::not_json};
  return {json_problem::none, true, truth ? "true" : "false"};
}

scalar null_of(json::value& value) {
  bool null = false;
  if (value.is_null().get(null) != SUCCESS || !null) return {json_problem::not_json};
  return {};
}

scalar scalar_of(json::value& value) {
  json::json_type type{};
  if (value.type().get(type) != SUCCESS) return {json_problem::not_json};
  switch (type) {
    case json::json_type::string: return string_of(value);
    case json::json_type::number: return number_of(value);
    case json::json_type::boolean: return bool_of(value);
    case json::json_type::null: return null_of(value);
    case json::json_type::object:
    case json::json_type::array: break;
  }
  return {json_problem::not_a_value};
}

// Headers are arrays of values, of which the first counts. Bytes, as an array of numbers, do not.
scalar first_of(json::value& value) {
  json::array array;
  if (value.get_array().get(array) != SUCCESS) return {json_problem::not_json};
  for (auto element : array) {
    json::value first;
    json::json_type type{};
    if (std::move(element).get(first) != SUCCESS) return {json_problem::not_json};
    if (first.type().get(type) != SUCCESS) return {json_problem::not_json};
    return type == json::json_type::string ? string_of(first) : scalar();
  }
  return {};
}

bool is_array(json::value& value) {
  json::json_type type{};
  return value.type().get(type) == SUCCESS && type == json::json_type::array;
}

// Whether the object is one to its end. Numbers of any size and depth without end are allowed.
bool add_keys(json::object object, const std::string& above, std::vector<std::string>& keys) {
  for (auto member : object) {
    json::field field;
    std::string_view key;
    if (std::move(member).get(field) != SUCCESS) return false;
    if (field.unescaped_key().get(key) != SUCCESS) return false;
    const std::string name = above + std::string(key);
    json::object inner;
    if (above.empty() && field.value().get_object().get(inner) == SUCCESS) {
      if (!add_keys(inner, name + ".", keys)) return false;
      continue;
    }
    if (scalar_of(field.value()).problem == json_problem::not_json) return false;
    keys.push_back(name);
  }
  return true;
}

std::size_t dots_in(const std::string& key) {
  return static_cast<std::size_t>(std::count(key.begin(), key.end(), '.'));
}

}  // namespace

struct json_fields::state {
  explicit state(const std::vector<std::string>& wanted) : keys(wanted), levels(1) {
    for (const std::string& key : keys) {
      levels.resize(std::max(levels.size(), dots_in(key) + 1));
      levels.front().emplace_back(key);
    }
  }

  // levels[level][i] is what is still to be found of keys[i] within this object.
  json_problem walk(json::object object, std::size_t level) {
    for (auto member : object) {
      json::field field;
      if (std::move(member).get(field) != SUCCESS) return json_problem::not_json;
      if (const json_problem p = visit(field, level); p != json_problem::none) return p;
      if (missing == 0) break;
    }
    return json_problem::none;
  }

  json_problem visit(json::field& field, std::size_t level) {
    const json::raw_json_string key = field.key();
    bool below = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string_view path = levels[level][i];
      if (found[i] != 0 || path.empty()) continue;
      if (key.is_equal(path)) return take(field.value(), i);
      below =
          below || (path.find('.') != path.npos && key.is_equal(path.substr(0, path.find('.'))));
    }
    return below ? descend(field, key, level) : json_problem::none;
  }

  json_problem take(json::value& value, std::size_t i) {
    const scalar got = is_array(value) ? first_of(value) : scalar_of(value);
    if (got.problem == json_problem::not_a_value) return json_problem::none;
    if (!got.there) return got.problem;
    for (std::size_t j = i; j < keys.size(); ++j) {
      if (j != i && keys[j] != keys[i]) continue;
      values[j] = got.text;
      found[j] = 1;
      --missing;
    }
    return json_problem::none;
  }

  json_problem descend(json::field& field, json::raw_json_string key, std::size_t level) {
    json::object object;
    if (field.value().get_object().get(object) != SUCCESS) return json_problem::none;
    std::vector<std::string_view>& next = levels[level + 1];
    next.assign(keys.size(), {});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::string_view path = levels[level][i];
      const std::size_t dot = path.find('.');
      if (dot != path.npos && key.is_equal(path.substr(0, dot))) next[i] = path.substr(dot + 1);
    }
    return walk(object, level + 1);
  }

  std::vector<std::string> keys;
  std::vector<std::vector<std::string_view>> levels;
  json::parser parser;
  std::span<std::string_view> values;
  std::span<char> found;
  std::size_t missing = 0;
};

json_fields::json_fields(const std::vector<std::string>& keys)
    : state_(std::make_unique<state>(keys)) {}
json_fields::~json_fields() = default;

json_problem json_fields::read(std::string_view text, std::span<std::string_view> values,
                               std::span<char> found) {
  state& s = *state_;
  s.values = values;
  s.found = found;
  s.missing = s.keys.size();
  std::fill(found.begin(), found.end(), char{0});
  json::document document;
  json::object object;
  const simdjson::padded_string_view padded(text.data(), text.size(),
                                            text.size() + line_reader::padding);
  if (s.parser.iterate(padded).get(document) != SUCCESS) return json_problem::not_json;
  if (document.get_object().get(object) != SUCCESS) return json_problem::not_json;
  return s.walk(object, 0);
}

std::optional<std::vector<std::string>> json_keys(std::string_view text) {
  const simdjson::padded_string padded(text);
  json::parser parser;
  json::document document;
  json::object object;
  std::vector<std::string> keys;
  if (parser.iterate(padded).get(document) != SUCCESS ||
      document.get_object().get(object) != SUCCESS || !add_keys(object, "", keys) ||
      document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    return std::nullopt;
  }
  return keys;
}

}  // namespace bloomtime::logs
