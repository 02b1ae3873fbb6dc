#define BENCH_CALLS_FOR native
#include "bench/ratios/calls_body.hpp"
