#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "logs/field.hpp"

namespace bloomtime::logs {

// Access logs of AWS application load balancers: words between blanks, some in quotes.
std::size_t split_load_balancer(std::string_view text, std::span<std::string_view> into);
const std::vector<field>& load_balancer_fields();

}  // namespace bloomtime::logs
