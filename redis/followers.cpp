#include "followers.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace bloomtime::redis {
namespace {

// Nothing if the server has to be asked. A follower starts with what the server forks off, or with
// a backlog that was there before, so no write before the next event is missed.
std::optional<bool> followed;

void forget(rm::Ctx*, rm::Event, std::uint64_t, void*) { followed.reset(); }

// Whether the section of INFO has such a number, and it is not 0. What it does not have may be.
bool tells(rm::Ctx* ctx, const char* section, const char* field) {
  rm::ServerInfo* const info = rm::GetServerInfo(ctx, section);
  int missing = 0;
  const bool told = rm::ServerInfoGetFieldUnsigned(info, field, &missing) != 0 || missing != 0;
  rm::FreeServerInfo(ctx, info);
  return told;
}

}  // namespace

bool has_followers(rm::Ctx* ctx) {
  if (!followed) {
    followed = (rm::GetContextFlags(ctx) & rm::cluster) != 0 ||
               tells(ctx, "replication", "connected_slaves") ||
               tells(ctx, "replication", "repl_backlog_active") ||
               tells(ctx, "persistence", "aof_enabled");
  }
  return *followed;
}

bool register_followers(rm::Ctx* ctx) {
  constexpr std::array events{rm::event_role_changed, rm::event_loading, rm::event_cron_loop,
                              rm::event_fork_child};
  return std::all_of(events.begin(), events.end(), [&](rm::Event e) {
    return rm::SubscribeToServerEvent(ctx, e, forget) == rm::ok;
  });
}

}  // namespace bloomtime::redis
