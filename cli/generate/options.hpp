#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "cli/command.hpp"
#include "traffic/draws.hpp"
#include "traffic/lines.hpp"
#include "traffic/operations.hpp"
#include "traffic/pairs.hpp"
#include "traffic/repeats.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::cli {

// The options of generate, as typed.
class generate_options {
 public:
  void add_to(command& self);

  bool has(std::string_view name) const;
  // Empty where nothing was typed.
  const std::string& operator[](std::string_view name) const;

 private:
  struct typed {
    std::string text;
    bool flag = false;
  };
  std::map<std::string_view, typed> given_;
};

using stream_config =
    std::variant<traffic::visits_config, traffic::pairs_config, traffic::draws_config,
                 traffic::repeats_config, traffic::operations_config>;

struct generate_plan {
  stream_config stream;
  traffic::line_form form = traffic::line_form::tsv;
  std::uint64_t seed = 0;
};

// Throws usage_error if options contradict each other.
generate_plan plan_of(const generate_options& given);

}  // namespace bloomtime::cli
