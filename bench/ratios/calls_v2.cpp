#define BENCH_CALLS_FOR v2
#include "bench/ratios/calls_body.hpp"
