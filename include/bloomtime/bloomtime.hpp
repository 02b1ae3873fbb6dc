#pragma once

// Everything of bloomtime in one include.
#include <bloomtime/any.hpp>
#include <bloomtime/bloom/bloom_filter.hpp>
#include <bloomtime/digest.hpp>
#include <bloomtime/error.hpp>
#include <bloomtime/estimate.hpp>
#include <bloomtime/heat/decay_ring.hpp>
#include <bloomtime/heat/decaying_filter.hpp>
#include <bloomtime/heat/heat_filter.hpp>
#include <bloomtime/heat/hot_list.hpp>
#include <bloomtime/heat/pooled_decaying_filter.hpp>
#include <bloomtime/history/history.hpp>
#include <bloomtime/history/history_engine.hpp>
#include <bloomtime/history/learning.hpp>
#include <bloomtime/history/level_history.hpp>
#include <bloomtime/history/query_profile.hpp>
#include <bloomtime/history/sighting.hpp>
#include <bloomtime/history/sightings.hpp>
#include <bloomtime/history/single_history.hpp>
#include <bloomtime/history/timeline_history.hpp>
#include <bloomtime/history/tree_history.hpp>
#include <bloomtime/layout.hpp>
#include <bloomtime/mapped.hpp>
#include <bloomtime/outcome.hpp>
#include <bloomtime/prior.hpp>
#include <bloomtime/time.hpp>
