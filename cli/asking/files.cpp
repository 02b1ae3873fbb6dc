#include "cli/asking/files.hpp"

#include <bloomtime/detail/file.hpp>
#include <bloomtime/error.hpp>

#include "cli/dedupe/deduper.hpp"

namespace bloomtime::cli {
namespace {

std::vector<fact> describe(const deduper& state) {
  const dedupe_settings& s = state.settings();
  std::vector<fact> facts{{"family", "dedupe"}, {"key", s.key}};
  if (s.time == time_source::none) {
    facts.push_back({"last", s.expect});
  } else {
    facts.push_back({"window_seconds", std::chrono::duration<double>(s.window).count()});
    facts.push_back({"expect", s.expect});
  }
  facts.push_back({"error", s.error});
  facts.push_back({"memory", state.memory()});
  facts.push_back({"passed", state.counts().passed});
  facts.push_back({"dropped", state.counts().dropped});
  facts.push_back({"unjudged", state.counts().unjudged});
  return facts;
}

std::vector<fact> facts_of(const std::string& path) {
  const auto file = detail::mapped_file::open(path);
  if (!deduper::is_state(file->bytes())) return describe(load_any(file->bytes()));
  return describe(deduper::load(file->bytes(), deduper::settings_in(file->bytes()), path));
}

}  // namespace

std::string loaded::sentence_with_path() const {
  return sentence.find(path) == std::string::npos ? path + ": " + sentence : sentence;
}

loaded load_file(const std::string& path) {
  try {
    return {path, facts_of(path), ""};
  } catch (const error& e) {
    return {path, std::nullopt, e.what()};
  }
}

}  // namespace bloomtime::cli
