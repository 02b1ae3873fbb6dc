#pragma once

#include "api.hpp"

namespace bloomtime::redis {

// False if the server has no replica, keeps no backlog for one and writes no AOF, so that nobody
// gets what a command replicates. Cheap: the server is asked after an event that may change it.
bool has_followers(rm::Ctx* ctx);

// False if the server refuses to tell about such events.
bool register_followers(rm::Ctx* ctx);

}  // namespace bloomtime::redis
