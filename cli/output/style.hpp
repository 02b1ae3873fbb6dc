#pragma once

#include <cstddef>
#include <string>

namespace bloomtime::cli {

enum class view { people, tsv, json };

// As typed; see command::output.
struct output_options {
  std::string color = "auto";  // auto, always or never
  bool ascii = false;
  bool json = false;
  bool tsv = false;
  bool table = false;
};

struct style {
  view form = view::tsv;
  bool color = false;
  bool unicode = true;
  std::size_t width = 0;  // columns of the screen; 0 if there is none to fit into
};

// Defaults come from standard output (a terminal or not) and from the environment: NO_COLOR,
// CLICOLOR_FORCE, TERM, COLUMNS and the locale.
style resolve_style(const output_options& asked);

bool environment_has_unicode();
bool terminal_is_dumb();  // cannot move its cursor

}  // namespace bloomtime::cli
