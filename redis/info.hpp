#pragma once

#include "api.hpp"

namespace bloomtime::redis {

// The section of INFO: how many keys of each family there are.
bool register_info(rm::Ctx* ctx);

}  // namespace bloomtime::redis
