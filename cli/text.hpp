#pragma once

#include "text/number.hpp"
#include "text/quantity.hpp"
#include "text/suggest.hpp"
#include "text/text.hpp"
#include "text/time_text.hpp"
#include "text/usage_error.hpp"

// Nearly every file of the command parses and prints numbers, times and text.
namespace bloomtime::cli {

using namespace text;

}  // namespace bloomtime::cli
