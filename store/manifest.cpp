#include "store/manifest.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <bloomtime/detail/file.hpp>
#include <bloomtime/digest.hpp>

#include "store/names.hpp"
#include "text/quantity.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::store {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr int deepest = 32;              // dumping recurses
constexpr std::size_t most_keys = 1000;  // of an object: each is looked for among those before it
constexpr std::uint64_t most_count = std::uint64_t{1} << 63;

constexpr std::array document_keys{
    "schema",      "bloomtime",  "created",    "generation", "records", "bad_lines",
    "first_event", "last_event", "zone",       "offsets",    "items",   "keep",
    "pseudonyms",  "sources",    "containers", "totals",     "checksum"};
constexpr std::array part_keys{"role", "file", "bytes", "checksum"};

// -- writing -----------------------------------------------------------------------------------

std::string hex(std::uint64_t n) { return fmt::format("{:016x}", n); }

std::string checksum_of(const json& document) {
  return hex(digest_of(document.dump(), {0, hash_id::xxh3_128}).lo);
}

json micros_or_null(const std::optional<instant>& t) { return t ? json(t->micros) : json(nullptr); }

void add_others(json& object, const std::string& others) {
  const json parsed = json::parse(others);
  for (const auto& [key, data] : parsed.items()) object[key] = data;
}

// With the checkpoint they belong to: a version that does not know this key copies it when it adds
// events.
json to_object(const offset_spans& offsets, std::uint64_t generation) {
  json spans = json::array();
  for (const offset_span& s : offsets.spans()) {
    spans.push_back(
        {{"first", s.first.micros}, {"last", s.last.micros}, {"west", s.west}, {"east", s.east}});
  }
  return {{"generation", generation}, {"spans", std::move(spans)}};
}

json to_object(const source& s) {
  return {{"path", s.path},         {"inode", s.inode},     {"size", s.size},
          {"modified", s.modified}, {"offset", s.offset},   {"inside_line", s.inside_line},
          {"head", hex(s.head)},    {"tail", hex(s.tail)},  {"last_new", s.last_new.micros},
          {"lines", s.lines},       {"records", s.records}, {"rejected", s.rejected}};
}

json to_object(const part& p) {
  json object = json::object();
  if (!p.role.empty()) object["role"] = p.role;
  object["file"] = p.file;
  object["bytes"] = p.bytes;
  object["checksum"] = hex(p.checksum);
  add_others(object, p.others);
  return object;
}

// -- reading -----------------------------------------------------------------------------------

[[noreturn]] void wrong(const char* key, const char* expected) {
  text::corrupt("the manifest's key {} should be {}", key, expected);
}

// The value of a key, if it is what is(value) says.
template <class Is>
const json& member(const json& object, const char* key, Is is, const char* expected) {
  const auto found = object.find(key);
  if (found == object.end()) text::corrupt("the manifest lacks the key {}", key);
  if (!is(*found)) wrong(key, expected);
  return *found;
}

std::string text_of(const json& object, const char* key) {
  return member(object, key, std::mem_fn(&json::is_string), "a text").get<std::string>();
}

const json& array_of(const json& object, const char* key) {
  return member(object, key, std::mem_fn(&json::is_array), "a list");
}

const json& object_of(const json& object, const char* key) {
  return member(object, key, std::mem_fn(&json::is_object), "an object");
}

std::uint64_t count_of(const json& object, const char* key) {
  const auto fits = [](const json& data) {
    return data.is_number_unsigned() && data.get<std::uint64_t>() <= most_count;
  };
  return member(object, key, fits, "a whole number from 0 to 2^63").get<std::uint64_t>();
}

bool is_time(const json& data) {
  return data.is_number_integer() &&
         (!data.is_number_unsigned() || data.get<std::uint64_t>() < most_count);
}

std::optional<instant> time_of(const json& object, const char* key) {
  const auto fits = [](const json& data) { return data.is_null() || is_time(data); };
  const json& data = member(object, key, fits, "a number of microseconds since 1970");
  return data.is_null() ? std::nullopt : std::optional(instant(data.get<std::int64_t>()));
}

instant present_time_of(const json& object, const char* key) {
  const json& data = member(object, key, is_time, "a number of microseconds since 1970");
  return instant(data.get<std::int64_t>());
}

std::int32_t offset_of(const json& object, const char* key) {
  const auto fits = [](const json& data) {
    return data.is_number_integer() && data.get<std::int64_t>() >= -most_offset &&
           data.get<std::int64_t>() <= most_offset;
  };
  return member(object, key, fits, "a UTC offset in seconds").get<std::int32_t>();
}

std::uint64_t checksum_in(const json& object, const char* key = "checksum") {
  const std::string text = text_of(object, key);
  const auto n = text::number_in<std::uint64_t>(text, 16);
  if (!n || hex(*n) != text) wrong(key, "16 hexadecimal digits");
  return *n;
}

template <class Keys>
std::string others_of(const json& object, const Keys& known) {
  json others = json::object();
  for (const auto& [key, data] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) others[key] = data;
  }
  return others.dump();
}

part read_part(const json& object) {
  part p;
  p.file = text_of(object, "file");
  if (!is_part_name(p.file)) {
    text::corrupt("the manifest names a file with an invalid name, {}", text::shown(p.file));
  }
  p.bytes = count_of(object, "bytes");
  p.checksum = checksum_in(object);
  p.others = others_of(object, part_keys);
  return p;
}

std::vector<part> read_containers(const json& document) {
  std::vector<part> all;
  for (const json& object : array_of(document, "containers")) {
    if (!object.is_object()) wrong("containers", "a list of objects");
    all.push_back(read_part(object));
    all.back().role = text_of(object, "role");
    if (all.back().role.empty()) text::corrupt("the manifest has a container without a role");
  }
  return all;
}

// A part in two places would be removed while one of them still needs it.
void expect_no_twins(const manifest& m) {
  std::set<std::string_view> files{m.totals.file};
  std::set<std::string_view> roles;
  for (const part& p : m.containers) {
    if (!roles.insert(p.role).second) {
      text::corrupt("the manifest has two containers of the role {}", text::shown(p.role));
    }
    if (!files.insert(p.file).second) {
      text::corrupt("the manifest names the file {} twice", p.file);
    }
  }
}

// Nothing if a version that does not know them wrote the checkpoint.
std::optional<offset_spans> read_offsets(const json& document) {
  if (!document.contains("offsets")) return std::nullopt;
  const json& object = object_of(document, "offsets");
  std::vector<offset_span> spans;
  for (const json& s : array_of(object, "spans")) {
    if (!s.is_object()) wrong("spans", "a list of objects");
    spans.push_back({present_time_of(s, "first"), present_time_of(s, "last"), offset_of(s, "west"),
                     offset_of(s, "east")});
  }
  offset_spans offsets(std::move(spans));
  if (count_of(object, "generation") != count_of(document, "generation")) return std::nullopt;
  return offsets;
}

source read_source(const json& object) {
  if (!object.is_object()) wrong("sources", "a list of objects");
  source s;
  s.path = text_of(object, "path");
  s.inode = member(object, "inode", std::mem_fn(&json::is_number_unsigned), "an inode number")
                .get<std::uint64_t>();
  s.size = count_of(object, "size");
  s.modified = present_time_of(object, "modified").micros;
  s.offset = count_of(object, "offset");
  s.inside_line =
      member(object, "inside_line", std::mem_fn(&json::is_boolean), "true or false").get<bool>();
  s.head = checksum_in(object, "head");
  s.tail = checksum_in(object, "tail");
  s.last_new = present_time_of(object, "last_new");
  s.lines = count_of(object, "lines");
  s.records = count_of(object, "records");
  const json& rejected = object_of(object, "rejected");
  for (const auto& [reason, lines] : rejected.items()) {
    s.rejected[reason] = count_of(rejected, reason.c_str());
  }
  return s;
}

std::optional<std::vector<source>> read_sources(const json& document) {
  if (!document.contains("sources")) return std::nullopt;
  std::vector<source> all;
  for (const json& object : array_of(document, "sources")) all.push_back(read_source(object));
  return all;
}

std::optional<pseudonym_facts> read_pseudonyms(const json& document) {
  if (!document.contains("pseudonyms")) return std::nullopt;
  const json& object = object_of(document, "pseudonyms");
  pseudonym_facts found{.key = "", .check = text_of(object, "check")};
  if (!object.contains("key")) return found;
  found.key = text_of(object, "key");
  const auto parsed = pseudonyms::parse(found.key);
  if (!parsed || parsed->check() != found.check) wrong("key", "that of the pseudonyms");
  return found;
}

std::chrono::microseconds read_keep(const json& document) {
  if (!document.contains("keep")) return {};
  const instant span = present_time_of(document, "keep");
  if (span.micros <= 0) wrong("keep", "a number of microseconds above 0");
  return std::chrono::microseconds(span.micros);
}

facts read_facts(const json& document) {
  facts f;
  f.records = count_of(document, "records");
  f.bad_lines = count_of(document, "bad_lines");
  f.first_event = time_of(document, "first_event");
  f.last_event = time_of(document, "last_event");
  f.zone = text_of(document, "zone");
  f.offsets = read_offsets(document);
  for (const json& item : array_of(document, "items")) {
    if (!item.is_string()) wrong("items", "a list of texts");
    f.items.push_back(item.get<std::string>());
  }
  f.keep = read_keep(document);
  f.sources = read_sources(document);
  f.pseudonyms = read_pseudonyms(document);
  return f;
}

json parse_json(std::string_view text) {
  if (text.size() > most_bytes) {
    text::corrupt("a manifest has at most {} bytes; this one has {}", most_bytes, text.size());
  }
  std::array<std::size_t, deepest + 2> keys{};  // of the open object at each depth
  const auto modest = [&](int depth, json::parse_event_t event, json&) {
    if (depth > deepest) text::corrupt("the manifest is nested too deeply");
    const auto d = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) keys[d + 1] = 0;
    if (event == json::parse_event_t::key && ++keys[d] > most_keys) {
      text::corrupt("an object in the manifest has more than {} keys", most_keys);
    }
    return true;
  };
  try {
    return json::parse(text, modest);
  } catch (const json::parse_error& e) {
    text::corrupt("the manifest is not JSON; it can be read up to byte {}", e.byte);
  } catch (const json::exception&) {
    text::corrupt("the manifest is not JSON: a number in it is too large");
  }
}

// The schema comes first: nothing else means anything in an unknown one.
void check_schema(const json& document) {
  if (!document.is_object()) text::corrupt("the manifest is not a JSON object");
  const std::uint64_t found = count_of(document, "schema");
  if (found > schema) {
    text::throw_error(errc::newer_version,
                      "the manifest has schema {}, and this bloomtime reads up to {}: update "
                      "bloomtime to read it",
                      found, schema);
  }
  if (found == 0) text::corrupt("the schema of a manifest counts from 1; got 0");
}

void check_sum(json document) {
  const std::string expected = text_of(document, "checksum");
  document.erase("checksum");
  if (checksum_of(document) != expected) {
    text::corrupt("the manifest does not match its checksum: it was damaged or edited");
  }
}

// Whether there is a lock in the directory, and nothing that a writer does not leave.
bool is_unfinished(const std::filesystem::path& directory) {
  std::error_code problem;
  const std::vector<std::string> names = file_names(directory, problem);
  const auto ours = [](const std::string& name) {
    return name == lock_name || is_disposable_name(name);
  };
  return !problem && std::all_of(names.begin(), names.end(), ours) &&
         std::find(names.begin(), names.end(), lock_name) != names.end();
}

// Other problems, such as missing permissions, are reported when the manifest is opened.
void expect_store(const std::filesystem::path& directory) {
  using std::filesystem::file_type;
  const auto type_of = [](const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::status(path, ignored).type();
  };
  const std::string name = directory.string();
  const file_type type = type_of(directory);
  if (type == file_type::not_found) {
    text::throw_error(errc::io,
                      "there is no store {0}; bloomtime profile LOG --store {0} makes one of a "
                      "log, bloomtime tally FILE --store {0} one that counts adds and removes",
                      name);
  }
  if (type == file_type::regular) {
    text::throw_error(errc::io,
                      "{0} is a file, and a store is a directory; if it is a log, bloomtime "
                      "profile {0} makes one of it",
                      name);
  }
  if (type == file_type::directory && type_of(directory / manifest_name) == file_type::not_found) {
    if (is_unfinished(directory)) {
      text::throw_error(
          errc::io,
          "{0} is a store that was never saved: the command that makes it is still running or was "
          "interrupted. Run it again with --store {0}, or remove the directory",
          name);
    }
    text::throw_error(errc::io, "{} is not a store: there is no {} in it", name, manifest_name);
  }
}

}  // namespace

void facts::count(instant t) {
  ++records;
  if (!first_event || t < *first_event) first_event = t;
  if (!last_event || *last_event < t) last_event = t;
}

const part* manifest::find(std::string_view role) const {
  const auto found = std::find_if(containers.begin(), containers.end(),
                                  [role](const part& p) { return p.role == role; });
  return found == containers.end() ? nullptr : &*found;
}

bool manifest::names(std::string_view file) const {
  return totals.file == file || std::any_of(containers.begin(), containers.end(),
                                            [file](const part& p) { return p.file == file; });
}

std::string to_text(const manifest& m) {
  json document = {{"schema", schema},
                   {"bloomtime", m.version},
                   {"created", m.created.micros},
                   {"generation", m.generation},
                   {"records", m.read.records},
                   {"bad_lines", m.read.bad_lines},
                   {"first_event", micros_or_null(m.read.first_event)},
                   {"last_event", micros_or_null(m.read.last_event)},
                   {"zone", m.read.zone}};
  if (m.read.offsets) document["offsets"] = to_object(*m.read.offsets, m.generation);
  document["items"] = m.read.items;
  if (m.read.keep.count() != 0) document["keep"] = m.read.keep.count();
  if (m.read.pseudonyms) {
    json& object = document["pseudonyms"] = {{"check", m.read.pseudonyms->check}};
    if (!m.read.pseudonyms->key.empty()) object["key"] = m.read.pseudonyms->key;
  }
  if (m.read.sources) {
    json& sources = document["sources"] = json::array();
    for (const source& s : *m.read.sources) sources.push_back(to_object(s));
  }
  json& containers = document["containers"] = json::array();
  for (const part& p : m.containers) containers.push_back(to_object(p));
  document["totals"] = to_object(m.totals);
  add_others(document, m.others);
  try {
    document["checksum"] = checksum_of(document);
  } catch (const json::type_error&) {
    text::throw_error(errc::invalid_argument,
                      "a store can name items, zones and files in UTF-8 only");
  }
  return document.dump(2) + "\n";
}

manifest parse_manifest(std::string_view text) {
  const json document = parse_json(text);
  check_schema(document);
  check_sum(document);
  manifest m;
  m.version = text_of(document, "bloomtime");
  m.created = present_time_of(document, "created");
  m.generation = count_of(document, "generation");
  m.read = read_facts(document);
  m.containers = read_containers(document);
  m.totals = read_part(object_of(document, "totals"));
  m.others = others_of(document, document_keys);
  expect_no_twins(m);
  return m;
}

manifest read_manifest(const std::filesystem::path& directory) {
  const auto path = directory / manifest_name;
  expect_store(directory);
  const auto file = detail::mapped_file::open(path);
  const auto bytes = file->bytes();
  try {
    return parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const error& e) {
    throw error(e.code(), path.string() + ": " + e.what());
  }
}

}  // namespace bloomtime::store
