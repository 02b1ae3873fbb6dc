#include "info.hpp"

#include "heat.hpp"
#include "history.hpp"
#include "memory.hpp"
#include "recency.hpp"
#include "tally.hpp"
#include "value.hpp"

namespace bloomtime::redis {
namespace {

template <class Family>
void add_totals(rm::InfoCtx* info, const char* keys, const char* relocated) {
  rm::InfoAddFieldULongLong(info, keys, totals_of<Family>.keys);
  rm::InfoAddFieldULongLong(info, relocated, totals_of<Family>.relocated);
}

// Allocates nothing, as crash reports need it.
void add_info(rm::InfoCtx* info, int) {
  rm::InfoAddSection(info, "core");
  rm::InfoAddFieldULongLong(info, "memory", memory_of_filters());
  add_totals<heat_family>(info, "heat_keys", "heat_relocated");
  add_totals<history_family>(info, "history_keys", "history_relocated");
  add_totals<recency_family>(info, "recency_keys", "recency_relocated");
  add_totals<tally_family>(info, "tally_keys", "tally_relocated");
}

}  // namespace

bool register_info(rm::Ctx* ctx) { return rm::RegisterInfoFunc(ctx, add_info) == rm::ok; }

}  // namespace bloomtime::redis
