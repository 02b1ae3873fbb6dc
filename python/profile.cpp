#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "errors.hpp"
#include "logs/event_reader.hpp"
#include "parameters.hpp"
#include "profile/profiler.hpp"
#include "store/log_zone.hpp"
#include "store/resuming.hpp"
#include "store/writer.hpp"
#include "stores.hpp"
#include "text/time_text.hpp"
#include "times.hpp"

namespace bloomtime::python {
namespace {

struct options {
  logs::input_options input;
  std::optional<std::chrono::microseconds> half_life;
  std::optional<std::chrono::microseconds> resolution;
  std::optional<std::uint64_t> memory;
  std::optional<std::uint64_t> seed;
  bool again = false;
};

options read_options(py::kwargs given) {
  parameters in(std::move(given), "profile");
  options o;
  in.read("format", o.input.format);
  in.read("pattern", o.input.pattern);
  in.read("items", o.input.items);
  in.read("time", o.input.time);
  in.read("where", o.input.where);
  in.read("group", o.input.group);
  in.read("no_query", o.input.no_query);
  in.read("strict", o.input.strict);
  in.read("half_life", o.half_life);
  in.read("resolution", o.resolution);
  in.read_bytes("memory", o.memory);
  in.read("seed", o.seed);
  in.read("again", o.again);
  in.end();
  o.input.partial = true;
  o.input.web = true;
  return o;
}

// One run over some logs. The GIL is released except in what calls Python.
class run {
 public:
  run(options asked, const std::string& directory)
      : asked_(std::move(asked)),
        directory_(directory),
        writer_(directory, now()),
        memory_(
            sources(), now(), asked_.again, [](const std::string&) {},
            [](instant t) { return text::time_text(t, 0); }) {
    if (writer_.continues()) continue_store();
  }

  void operator()(const std::vector<std::string>& files, const py::object& progress) {
    logs::event_reader reader(asked_.input, memory_.with_rotated(files), listener(progress));
    while (const logs::event* e = reader.next()) add(*e, reader);
    expect_events(reader);
    if (!profile_) begin(reader.item_names());
    store::facts& facts = writer_.about();
    facts.bad_lines += reader.counts().bad_lines();
    if (reader.counts().events != 0) facts.zone = text::zone_text(reader.zone());
    if (writer_.continues() && reader.counts().lines == 0 && !memory_.changed()) return;
    profile_->save(writer_);
    writer_.checkpoint();
  }

 private:
  std::vector<store::source>& sources() {
    auto& known = writer_.about().sources;
    if (!known) known.emplace();
    return *known;
  }

  void continue_store() {
    const store::manifest about = store::read_manifest(directory_);
    if (about.find("ledger") == nullptr) {
      refuse_value("{} holds no profile; choose another store", directory_);
    }
    profile_ =
        profile::profiler::load(writer_, writer_.about(), profile::profiler::wanted::everything);
    if (writer_.about().pseudonyms) {
      refuse_value("{} has pseudonyms in place of names; continue it with the command", directory_);
    }
    expect_same("half_life", asked_.half_life, profile_->settings().half_life);
    expect_same("resolution", asked_.resolution, profile_->settings().resolution);
    expect_same("memory", asked_.memory, profile_->settings().memory);
    expect_same("seed", asked_.seed, profile_->seed().value());
    if (asked_.input.items.empty()) asked_.input.items = writer_.about().items;
    if (asked_.input.items != writer_.about().items) {
      refuse_value("{} has the items {}; got {}. Leave items out to continue the store", directory_,
                   fmt::join(writer_.about().items, " and "),
                   fmt::join(asked_.input.items, " and "));
    }
    writer_.about().offsets = store::offsets_of(writer_.about(), profile_->held());
  }

  template <class T>
  void expect_same(const char* name, const std::optional<T>& asked, const T& kept) const {
    if (!asked || *asked == kept) return;
    refuse_value(
        "{} was made with another {}; leave it out to continue the store, or choose "
        "another store",
        directory_, name);
  }

  void begin(const std::vector<std::string>& fields) {
    if (fields.empty()) refuse_value("the input is empty");
    store::profile_settings s;
    s.resolution = asked_.resolution.value_or(s.resolution);
    s.half_life = asked_.half_life.value_or(s.half_life);
    s.memory = asked_.memory.value_or(s.memory);
    if (s.half_life < s.resolution) {
      refuse_value("half_life must be at least resolution ({}); got {}",
                   text::span_text(s.resolution), text::span_text(s.half_life));
    }
    if (asked_.memory) profile::expect_memory(s.memory, fields.size());
    profile_.emplace(s, fields, asked_.seed.value_or(store::default_seed));
    writer_.about().items = fields;
  }

  void add(const logs::event& e, logs::event_reader& reader) {
    if (!e.at) reader.refuse_untimed("profile");
    if (!profile_) begin(reader.item_names());
    writer_.about().offsets->add(*e.at, e.offset);
    profile_->add(
        e, [this](instant t) { writer_.count(t); },
        [&](const logs::held_event& h) {
          reader.reject_earlier(logs::bad_line::far_ahead, h.line);
        });
  }

  // An empty store would hide that no line was valid.
  void expect_events(const logs::event_reader& reader) const {
    const logs::line_counts& counts = reader.counts();
    if (writer_.continues() || counts.events != 0 || counts.bad_lines() == 0) return;
    refuse_value("{}, so no line is valid; check format, time and items", counts.summary());
  }

  logs::listener listener(const py::object& progress) {
    logs::listener told;
    told.start = [this](const std::string& file) { return memory_.start(file); };
    told.finished = [this](const logs::file_reading& read) { memory_.finished(read); };
    told.advance = [&progress](const logs::reading& r) {
      const py::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(r.bytes, r.total, r.lines);
    };
    return told;
  }

  options asked_;
  std::string directory_;
  store::writer writer_;
  store::resumption memory_;
  std::optional<profile::profiler> profile_;
};

}  // namespace

void profile_logs(const py::list& files, const std::string& store, const py::object& progress,
                  py::kwargs given) {
  const auto paths = py::cast<std::vector<std::string>>(files);
  options asked = read_options(std::move(given));
  const py::gil_scoped_release released;
  run(std::move(asked), store)(paths, progress);
}

}  // namespace bloomtime::python
