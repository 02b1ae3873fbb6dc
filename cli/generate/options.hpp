#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "traffic/draws.hpp"
#include "traffic/lines.hpp"
#include "traffic/operations.hpp"
#include "traffic/pairs.hpp"
#include "traffic/repeats.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::cli {

// As typed; empty where nothing was.
struct generate_options {
  std::string records;
  std::string items;
  std::string pairs;
  std::string like;
  std::string model;
  std::string zipf;
  bool unique = false;
  std::string repeat;
  std::string gap;
  std::string removes;
  std::string seconds;
  std::string start;
  bool daily = false;
  std::string seed;
  std::string format;
  bool profile = false;
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
