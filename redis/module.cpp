#include <string_view>

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

// As MODULE LIST has it: "1.23.4" is 12304.
constexpr int number_of(std::string_view version) {
  int number = 0;
  int part = 0;
  for (const char c : version) {
    if (c == '.') number = (number + part) * 100;
    part = c == '.' ? 0 : part * 10 + (c - '0');
  }
  return number + part;
}
static_assert(number_of("1.23.4") == 12304);

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
  rm::SetModuleAttribs(ctx, module_name, number_of(bloomtime::version), rm::api_version);
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
