#include "cli/command.hpp"

#include <algorithm>
#include <utility>

#include "cli/text.hpp"
#include "logs/workers.hpp"

namespace bloomtime::cli {

command::command(std::string name, std::string summary, const command* parent)
    : name_(std::move(name)), summary_(std::move(summary)), parent_(parent) {}

command& command::add(const std::string& name, const std::string& summary) {
  children_.push_back(std::make_unique<command>(name, summary, this));
  return *children_.back();
}

void command::flag(const std::string& name, bool& given, const std::string& description) {
  options_.push_back({name, &given, "", description, "Options"});
}

void command::text(const std::string& name, std::string& typed, const std::string& type,
                   const std::string& description, std::vector<std::string> choices) {
  options_.push_back({name, &typed, type, description, "Options", std::move(choices)});
}

void command::texts(const std::string& name, std::vector<std::string>& typed,
                    const std::string& type, const std::string& description) {
  options_.push_back({name, &typed, type, description, "Options"});
}

void command::arguments(const std::string& name, std::vector<std::string>& typed,
                        const std::string& description, std::vector<std::string> choices) {
  options_.push_back({name, &typed, "", description, "Arguments", std::move(choices)});
}

void command::input(logs::input_options& asked) {
  const std::size_t first = options_.size();
  texts("--item", asked.items, "FIELD",
        "name, column number or NDJSON key; host,path for both; may be repeated");
  text("--time", asked.time, "FIELD", "field of the timestamp, named like an item");
  text("--format", asked.format, "FORMAT",
       "format of the lines (default auto: detected); docs/input.md describes them",
       logs::format_names());
  text("--pattern", asked.pattern, "PATTERN",
       "format as in Apache's LogFormat or goaccess: '%h %l %u %t \"%r\" %>s %b'");
  texts("--where", asked.where, "TEST",
        "only lines with status=404, path~^/api, status>=500; != and !~ negate; may be repeated");
  texts("--group", asked.group, "FIELD:PART",
        "count path:2 by two segments, host:/24 by network (IPv6: /64); may be repeated");
  flag("--no-query", asked.no_query, "paths end at the ?");
  text("--rejects", asked.rejects, "FILE", "write invalid lines to this file");
  flag("--strict", asked.strict, "stop at the first invalid line");
  text("--unpack-memory", asked.unpack_memory, "SIZE",
       "memory limit for decompression (default 128MiB)");
  for (std::size_t i = first; i < options_.size(); ++i) options_[i].group = "Input";
}

void command::threads(std::string& typed) {
  text("--threads", typed, "N",
       "how many threads share the work (default: one per core); results are the same");
}

unsigned threads_of(const std::string& typed) {
  constexpr std::uint64_t most = 256;
  if (typed.empty()) return std::min<unsigned>(logs::cores(), most);
  const std::uint64_t threads = parse_count("--threads", typed);
  if (threads > most) refuse("--threads can be at most {}, got {}", most, shown(typed));
  return static_cast<unsigned>(threads);
}

void command::output(output_options& asked) {
  const std::size_t first = options_.size();
  flag("--json", asked.json, "one JSON object");
  flag("--tsv", asked.tsv, "tab-separated values (the default in a pipe)");
  flag("--table", asked.table, "a table (the default on a terminal)");
  text("--color", asked.color, "WHEN",
       "auto, always or never; auto follows NO_COLOR and CLICOLOR_FORCE",
       {"auto", "always", "never"});
  flag("--ascii", asked.ascii, "draw with ASCII only");
  for (std::size_t i = first; i < options_.size(); ++i) options_[i].group = "Output";
}

std::vector<std::string>* command::arguments() const {
  for (const option& o : options_) {
    if (o.group == "Arguments") return std::get<std::vector<std::string>*>(o.into);
  }
  return nullptr;
}

std::string command::full_name() const {
  return parent_ == nullptr ? name_ : parent_->full_name() + " " + name_;
}

}  // namespace bloomtime::cli
