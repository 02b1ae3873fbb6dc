#include <bloomtime/version.hpp>

#include "api.hpp"
#include "commands.hpp"
#include "followers.hpp"
#include "info.hpp"
#include "memory.hpp"
#include "settings.hpp"

// The two functions that the server calls.
namespace {

using namespace bloomtime::redis;

constexpr const char* module_name = "bloomtime";
constexpr int module_version = 10000;  // 1.0.0

bool registered(rm::Ctx* ctx) {
  return register_settings(ctx) && register_category(ctx) && register_recency(ctx) &&
         register_tally(ctx) && register_heat(ctx) && register_history(ctx) && register_info(ctx) &&
         register_followers(ctx);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int RedisModule_OnLoad(rm::Ctx* ctx, rm::String**, int argc) {
  constexpr int failed = 1;
  if (rm::resolve(ctx) != nullptr) return failed;  // an older server, which cannot be told
  if (rm::IsModuleNameBusy(module_name) != 0) return failed;
  rm::SetModuleAttribs(ctx, module_name, module_version, rm::api_version);
  if (argc != 0) {
    rm::Log(ctx, "warning", "bloomtime takes no arguments; use bloomtime.* settings");
    return failed;
  }
  rm::SetModuleOptions(
      ctx, rm::handle_io_errors | rm::no_implicit_signal_modified | rm::handle_repl_async_load);
  use_server_memory();
  try {
    return registered(ctx) ? rm::ok : failed;
  } catch (...) {
    return failed;
  }
}

[[gnu::visibility("default")]] int RedisModule_OnUnload(rm::Ctx*) { return rm::ok; }
}
