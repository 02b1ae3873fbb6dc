// A module whose commands do nothing but use the server's interface, for bench/redis: what a
// command of any module costs at least.
#include "../redis/api.hpp"

namespace rm = bloomtime::redis::rm;

namespace {

int reply(rm::Ctx* ctx, rm::String**, int) { return rm::ReplyWithLongLong(ctx, 1); }

int read(rm::Ctx* ctx, rm::String** argv, int) {
  rm::Key* const key = rm::OpenKey(ctx, argv[1], rm::read);
  if (key != nullptr) rm::CloseKey(key);
  return reply(ctx, argv, 0);
}

void write(rm::Ctx* ctx, rm::String* name) {
  rm::Key* const key = rm::OpenKey(ctx, name, rm::read | rm::write);
  rm::CloseKey(key);
  rm::SignalModifiedKey(ctx, name);
  rm::NotifyKeyspaceEvent(ctx, rm::notify_module, "floor.write", name);
}

int write_verbatim(rm::Ctx* ctx, rm::String** argv, int) {
  write(ctx, argv[1]);
  rm::ReplicateVerbatim(ctx);
  return reply(ctx, argv, 0);
}

// As a timed write that somebody follows.
int write_replicated(rm::Ctx* ctx, rm::String** argv, int) {
  write(ctx, argv[1]);
  rm::Replicate(ctx, "FLOOR.WRITE", "ssss", argv[1], argv[2], argv[2], argv[2]);
  return reply(ctx, argv, 0);
}

bool created(rm::Ctx* ctx, const char* name, rm::CommandFunction* run, const char* flags) {
  return rm::CreateCommand(ctx, name, run, flags, 1, 1, 1) == rm::ok;
}

}  // namespace

extern "C" int RedisModule_OnLoad(rm::Ctx* ctx, rm::String**, int) {
  if (rm::resolve(ctx) != nullptr) return 1;
  rm::SetModuleAttribs(ctx, "floor", 1, rm::api_version);
  rm::SetModuleOptions(ctx, rm::handle_io_errors | rm::no_implicit_signal_modified);
  const bool all = created(ctx, "FLOOR.REPLY", reply, "readonly fast") &&
                   created(ctx, "FLOOR.READ", read, "readonly fast") &&
                   created(ctx, "FLOOR.WRITE", write_verbatim, "write deny-oom fast") &&
                   created(ctx, "FLOOR.REPLICATE", write_replicated, "write deny-oom fast");
  return all ? rm::ok : 1;
}
