#include "stores.hpp"

#include <pybind11/stl.h>

#include <bloomtime/any.hpp>
#include <bloomtime/heat/any_listed_heat.hpp>

#include "face.hpp"
#include "families.hpp"
#include "profile/profiler.hpp"
#include "profile/ranking.hpp"
#include "store/pseudonyms.hpp"
#include "store/reader.hpp"
#include "store/roles.hpp"
#include "times.hpp"

namespace bloomtime::python {
namespace {

using profile::field_profile;
using profile::profiler;

// One checkpoint of a store that `bloomtime profile` made. Its filters are given out as copies.
class stored_profile {
 public:
  explicit stored_profile(const std::string& directory)
      : directory_(directory), parts_(expect_store(directory)), profile_(load()) {
    profile_.include_held(newest().value_or(instant()));
    if (const auto& p = parts_.about().read.pseudonyms; p && !p->key.empty()) {
      names_ = store::pseudonyms::parse(p->key);
    }
  }

  std::optional<instant> newest() const { return profile_.newest(); }
  const store::facts& facts() const { return parts_.about().read; }
  const profiler& all() const { return profile_; }
  const field_profile& field(std::size_t i) const { return profile_.fields().at(i); }

  std::string name_of(std::string item) const {
    if (!facts().pseudonyms) return item;
    if (names_) return (*names_)(item);
    refuse_value(
        "{} has pseudonyms in place of names, and their key is not in it; use the command "
        "with --key-file",
        directory_);
  }

  // Loaded at the first question that needs histories.
  const profiler& with_histories() const {
    if (!full_) {
      full_.emplace(profiler::load(parts_, facts(), profiler::wanted::everything));
      full_->include_held(newest().value_or(instant()));
    }
    return *full_;
  }

 private:
  static const std::string& expect_store(const std::string& directory) {
    if (store::is_folder(directory)) return directory;
    refuse_value("{} is no store: a store is a directory that bloomtime profile wrote", directory);
  }
  profiler load() const {
    if (parts_.about().find(store::ledger_role) == nullptr) {
      refuse_value("{} holds no profile; open a store that bloomtime profile made", directory_);
    }
    return profiler::load(parts_, facts(), profiler::wanted::heat);
  }

  std::string directory_;
  store::reader parts_;
  profiler profile_;
  mutable std::optional<profiler> full_;  // the GIL guards it
  std::optional<store::pseudonyms> names_;
};

std::unique_ptr<stored_profile> open_store(const std::filesystem::path& directory) {
  const py::gil_scoped_release released;
  return std::make_unique<stored_profile>(directory.string());
}

py::dict about(const stored_profile& s) {
  const store::facts& f = s.facts();
  py::dict all;
  all["fields"] = py::cast(f.items);
  all["records"] = f.records;
  all["bad_lines"] = f.bad_lines;
  all["first_event"] = time_object(f.first_event);
  all["last_event"] = time_object(f.last_event);
  all["held_back"] = s.all().held().size();
  all["half_life"] = span_object(s.all().settings().half_life);
  all["resolution"] = span_object(s.all().settings().resolution);
  return all;
}

profile::order order_of(const std::string& by) {
  if (by == "heat") return profile::order::heat;
  if (by == "total") return profile::order::total;
  if (by == "trend") return profile::order::trend;
  if (by == "new") return profile::order::newest;
  refuse_value("by must be heat, total, trend or new; got \"{}\"", by);
}

instant asked_time(const stored_profile& s, py::handle at) {
  return at.is_none() ? s.newest().value_or(instant()) : read_time("at", at);
}

py::object hot(const stored_profile& s, std::size_t field, std::size_t n, const std::string& by,
               py::handle at) {
  const profile::order order = order_of(by);
  const instant when = asked_time(s, at);
  const profiler& all = order == profile::order::newest ? s.with_histories() : s.all();
  const py::object row = answer_class("HotItem");
  py::list rows;
  for (const profile::ranked_item& r : profile::ranked(all.fields().at(field), order, n, when)) {
    rows.append(row(text_object(r.item), estimate_object(r.heat), r.guaranteed,
                    r.trend ? py::cast(*r.trend) : py::none(), py::cast(r.recent), r.cut,
                    r.total ? count_object(*r.total) : py::none(), time_object(r.first_seen)));
  }
  return answer_class("HotItems")(rows, time_object(when));
}

std::unique_ptr<shared_filter<any_listed_heat>> heat_of(const stored_profile& s, std::size_t i) {
  return share(any_listed_heat(any_heat(s.field(i).heat), hot_list(s.field(i).hot)));
}

py::object totals_of(const stored_profile& s, std::size_t i) {
  const auto& totals = s.field(i).totals;
  if (!totals) return py::none();
  return py::cast(share(any_tally(totals->counts())));
}

py::object history_of(const stored_profile& s, std::size_t i) {
  const auto& past = s.with_histories().fields().at(i).past;
  if (!past) return py::none();
  return py::cast(share(any_history(history(*past))));
}

py::object load_filter(any_filter&& filter) {
  return std::visit(
      []<class Engine>(Engine& e) -> py::object {
        if constexpr (requires { heat_engines(std::move(e)); }) {
          return py::cast(share(any_listed_heat(any_heat(heat_engines(std::move(e))), {})));
        } else if constexpr (requires { history_engines(std::move(e)); }) {
          return py::cast(share(any_history(history_engines(std::move(e)))));
        } else if constexpr (requires { recency_engines(std::move(e)); }) {
          return py::cast(share(any_recency(recency_engines(std::move(e)))));
        } else if constexpr (requires { tally_engines(std::move(e)); }) {
          return py::cast(share(any_tally(tally_engines(std::move(e)))));
        } else {
          return py::cast(share(std::move(e)));
        }
      },
      filter);
}

// A Heat with a list of hot items has two containers, which are no single filter.
py::object load_file_of_any_kind(const std::filesystem::path& path) {
  const auto file = detail::mapped_file::open(path);
  try {
    return load_filter(load_any(file->bytes()));
  } catch (const error&) {
    try {
      return py::cast(share(any_listed_heat::load(file->bytes())));
    } catch (const error&) {  // the first error says more
    }
    throw;
  }
}

}  // namespace

void add_stores(py::module_& m) {
  py::class_<stored_profile>(m, "StoredProfile")
      .def(py::init(&open_store), py::arg("directory"))
      .def_property_readonly("about", &about)
      .def_property_readonly("newest",
                             [](const stored_profile& s) { return time_object(s.newest()); })
      .def("hot", &hot)
      .def("heat_at",
           [](const stored_profile& s, std::size_t field, const std::string& item, py::handle at) {
             return estimate_object(s.field(field).at(s.name_of(item), asked_time(s, at)));
           })
      .def("different",
           [](const stored_profile& s, std::size_t field) { return s.field(field).different(); })
      .def("name_of", &stored_profile::name_of)
      .def_property_readonly(
          "pseudonymous", [](const stored_profile& s) { return s.facts().pseudonyms.has_value(); })
      .def("heat", &heat_of)
      .def("totals", &totals_of)
      .def("history", &history_of);
  m.def("load_any", &load_file_of_any_kind);
  m.def("profile_logs", &profile_logs);
}

}  // namespace bloomtime::python
