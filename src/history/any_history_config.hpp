#pragma once

#include <string_view>

#include <bloomtime/history/any_history.hpp>

// The parameters of each engine, taken from those of all.
namespace bloomtime::detail {

// Throws error(invalid_argument) if one is given that this engine does not have.
void expect_parameters(const any_history_config& config, std::string_view engine);

history_config history_config_of(const any_history_config& config);
timeline_config timeline_config_of(const any_history_config& config);
published::single_config single_config_of(const any_history_config& config);
published::tree_config tree_config_of(const any_history_config& config);
published::level_config level_config_of(const any_history_config& config);

}  // namespace bloomtime::detail
