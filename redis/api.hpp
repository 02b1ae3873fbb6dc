#pragma once

#include <cstddef>
#include <cstdint>

// The part of the module interface of Redis 7.0 and Valkey that this module uses, declared from its
// documentation: no header of the server is needed. Structures have the server's layout.
namespace bloomtime::redis::rm {

struct Ctx;
struct String;
struct Key;
struct IO;
struct Digest;
struct Type;
struct InfoCtx;
struct DefragCtx;
struct KeyOptCtx;
struct Command;
struct ServerInfo;

// -- constants ---------------------------------------------------------------------------------

inline constexpr int ok = 0;
inline constexpr int api_version = 1;

enum open_mode : int { read = 1 << 0, write = 1 << 1 };
inline constexpr int key_type_empty = 0;

enum context_flag : int {
  cluster = 1 << 5,
  replicated = 1 << 12,
  loading = 1 << 13,
  resp3 = 1 << 22
};
enum module_option : int {
  handle_io_errors = 1 << 0,
  no_implicit_signal_modified = 1 << 1,
  handle_repl_async_load = 1 << 2
};
inline constexpr int notify_module = 1 << 13;
inline constexpr unsigned config_memory = 1U << 7;
inline constexpr const char* wrong_type =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

// -- data types --------------------------------------------------------------------------------

// Version 4, which Redis 7.0 knows; later servers accept it.
struct TypeMethods {
  std::uint64_t version = 4;
  void* (*rdb_load)(IO*, int encver) = nullptr;
  void (*rdb_save)(IO*, void* value) = nullptr;
  void (*aof_rewrite)(IO*, String* key, void* value) = nullptr;
  std::size_t (*mem_usage)(const void* value) = nullptr;
  void (*digest)(Digest*, void* value) = nullptr;
  void (*free)(void* value) = nullptr;
  int (*aux_load)(IO*, int encver, int when) = nullptr;
  void (*aux_save)(IO*, int when) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void* value) = nullptr;
  void (*unlink)(String* key, const void* value) = nullptr;
  void* (*copy)(String* from, String* to, const void* value) = nullptr;
  int (*defrag)(DefragCtx*, String* key, void** value) = nullptr;
  std::size_t (*mem_usage2)(KeyOptCtx*, const void* value, std::size_t samples) = nullptr;
  std::size_t (*free_effort2)(KeyOptCtx*, const void* value) = nullptr;
  void (*unlink2)(KeyOptCtx*, const void* value) = nullptr;
  void* (*copy2)(KeyOptCtx*, const void* value) = nullptr;
};

// -- descriptions of commands ------------------------------------------------------------------

enum key_flag : std::uint64_t {
  key_ro = 1 << 0,
  key_rw = 1 << 1,
  key_ow = 1 << 2,
  key_access = 1 << 4,
  key_update = 1 << 5,
  key_insert = 1 << 6,
  key_delete = 1 << 7
};

enum begin_search : int { begin_index = 2 };
enum find_keys : int { find_range = 2, find_keynum = 3 };

struct KeySpec {
  const char* notes = nullptr;
  std::uint64_t flags = 0;
  int begin_search_type = 0;
  union {
    struct {
      int pos;
    } index;
    struct {
      const char* keyword;
      int startfrom;
    } keyword;
  } bs = {};
  int find_keys_type = 0;
  union {
    struct {
      int lastkey, keystep, limit;
    } range;
    struct {
      int keynumidx, firstkey, keystep;
    } keynum;
  } fk = {};
};

enum arg_type : int {
  arg_string,
  arg_integer,
  arg_double,
  arg_key,
  arg_pattern,
  arg_unix_time,
  arg_pure_token,
  arg_oneof,
  arg_block
};
enum arg_flag : int { arg_optional = 1 << 0, arg_multiple = 1 << 1 };

struct Arg {
  const char* name = nullptr;
  int type = arg_string;
  int key_spec_index = -1;
  const char* token = nullptr;
  const char* summary = nullptr;
  const char* since = nullptr;
  int flags = 0;
  const char* deprecated_since = nullptr;
  Arg* subargs = nullptr;
  const char* display_text = nullptr;
};

struct HistoryEntry {
  const char* since;
  const char* changes;
};

struct CommandInfoVersion {
  int version;
  std::size_t sizeof_historyentry;
  std::size_t sizeof_keyspec;
  std::size_t sizeof_arg;
};

struct CommandInfo {
  const CommandInfoVersion* version = nullptr;
  const char* summary = nullptr;
  const char* complexity = nullptr;
  const char* since = nullptr;
  HistoryEntry* history = nullptr;
  const char* tips = nullptr;
  int arity = 0;
  KeySpec* key_specs = nullptr;
  Arg* args = nullptr;
};

// -- events ------------------------------------------------------------------------------------

struct Event {
  std::uint64_t number;
  std::uint64_t version;
};
inline constexpr Event event_role_changed{0, 1};
inline constexpr Event event_loading{3, 1};
inline constexpr Event event_cron_loop{8, 1};
inline constexpr Event event_fork_child{13, 1};

// -- functions ---------------------------------------------------------------------------------

using CommandFunction = int(Ctx*, String**, int);
using GetNumber = long long(const char* name, void* data);
using SetNumber = int(const char* name, long long value, void* data, String** error);
using GetText = String*(const char* name, void* data);
using SetText = int(const char* name, String* value, void* data, String** error);
using GetFlag = int(const char* name, void* data);
using SetFlag = int(const char* name, int value, void* data, String** error);
using Apply = int(Ctx*, void* data, String** error);
using EventFunction = void(Ctx*, Event, std::uint64_t part, void* data);
using InfoFunction = void(InfoCtx*, int for_crash_report);

// REQUIRED(name, result, parameters...): loading fails without it. OPTIONAL: nullptr if the server
// does not have it.
// clang-format off
#define BLOOMTIME_REDIS_FUNCTIONS(REQUIRED, OPTIONAL)                                             \
  REQUIRED(TryAlloc, void*, std::size_t)                                                          \
  REQUIRED(Free, void, void*)                                                                     \
  REQUIRED(MallocSize, std::size_t, void*)                                                        \
  REQUIRED(SetModuleAttribs, void, Ctx*, const char* name, int version, int api)                  \
  REQUIRED(IsModuleNameBusy, int, const char* name)                                               \
  REQUIRED(SetModuleOptions, void, Ctx*, int)                                                     \
  REQUIRED(CreateCommand, int, Ctx*, const char* name, CommandFunction*, const char* flags,       \
           int first, int last, int step)                                                         \
  REQUIRED(CreateDataType, Type*, Ctx*, const char* name, int encver, TypeMethods*)               \
  REQUIRED(GetContextFlags, int, Ctx*)                                                            \
  REQUIRED(Milliseconds, long long)                                                               \
  REQUIRED(GetRandomBytes, void, unsigned char*, std::size_t)                                     \
  REQUIRED(WrongArity, int, Ctx*)                                                                 \
  REQUIRED(Log, void, Ctx*, const char* level, const char* format, ...)                           \
  REQUIRED(LogIOError, void, IO*, const char* level, const char* format, ...)                     \
  REQUIRED(OpenKey, Key*, Ctx*, String*, int mode)                                                \
  REQUIRED(CloseKey, void, Key*)                                                                  \
  REQUIRED(KeyType, int, Key*)                                                                    \
  REQUIRED(ModuleTypeGetType, Type*, Key*)                                                        \
  REQUIRED(ModuleTypeGetValue, void*, Key*)                                                       \
  REQUIRED(ModuleTypeSetValue, int, Key*, Type*, void*)                                           \
  REQUIRED(SignalModifiedKey, int, Ctx*, String*)                                                 \
  REQUIRED(NotifyKeyspaceEvent, int, Ctx*, int type, const char* event, String* key)              \
  REQUIRED(CreateString, String*, Ctx*, const char*, std::size_t)                                 \
  REQUIRED(FreeString, void, Ctx*, String*)                                                       \
  REQUIRED(StringPtrLen, const char*, const String*, std::size_t*)                                \
  REQUIRED(Replicate, int, Ctx*, const char* command, const char* format, ...)                    \
  REQUIRED(ReplicateVerbatim, int, Ctx*)                                                          \
  REQUIRED(ReplyWithLongLong, int, Ctx*, long long)                                               \
  REQUIRED(ReplyWithBool, int, Ctx*, int)                                                         \
  REQUIRED(ReplyWithDouble, int, Ctx*, double)                                                    \
  REQUIRED(ReplyWithNull, int, Ctx*)                                                              \
  REQUIRED(ReplyWithError, int, Ctx*, const char*)                                                \
  REQUIRED(ReplyWithSimpleString, int, Ctx*, const char*)                                         \
  REQUIRED(ReplyWithStringBuffer, int, Ctx*, const char*, std::size_t)                            \
  REQUIRED(ReplyWithArray, int, Ctx*, long)                                                       \
  REQUIRED(ReplyWithMap, int, Ctx*, long)                                                         \
  REQUIRED(SaveUnsigned, void, IO*, std::uint64_t)                                                \
  REQUIRED(LoadUnsigned, std::uint64_t, IO*)                                                      \
  REQUIRED(SaveStringBuffer, void, IO*, const char*, std::size_t)                                 \
  REQUIRED(LoadStringBuffer, char*, IO*, std::size_t*)                                            \
  REQUIRED(IsIOError, int, IO*)                                                                   \
  REQUIRED(EmitAOF, void, IO*, const char* command, const char* format, ...)                      \
  REQUIRED(DigestAddStringBuffer, void, Digest*, const char*, std::size_t)                        \
  REQUIRED(DigestEndSequence, void, Digest*)                                                      \
  REQUIRED(IsKeysPositionRequest, int, Ctx*)                                                      \
  REQUIRED(KeyAtPosWithFlags, void, Ctx*, int position, int flags)                                \
  REQUIRED(RegisterNumericConfig, int, Ctx*, const char* name, long long initial, unsigned flags, \
           long long least, long long most, GetNumber*, SetNumber*, Apply*, void* data)           \
  REQUIRED(RegisterStringConfig, int, Ctx*, const char* name, const char* initial,                \
           unsigned flags, GetText*, SetText*, Apply*, void* data)                                \
  REQUIRED(RegisterBoolConfig, int, Ctx*, const char* name, int initial, unsigned flags,          \
           GetFlag*, SetFlag*, Apply*, void* data)                                                \
  REQUIRED(LoadConfigs, int, Ctx*)                                                                \
  REQUIRED(RegisterInfoFunc, int, Ctx*, InfoFunction*)                                            \
  REQUIRED(InfoAddSection, int, InfoCtx*, const char* name)                                       \
  REQUIRED(InfoAddFieldULongLong, int, InfoCtx*, const char* name, unsigned long long)            \
  REQUIRED(SubscribeToServerEvent, int, Ctx*, Event, EventFunction*)                              \
  REQUIRED(GetServerInfo, ServerInfo*, Ctx*, const char* section)                                 \
  REQUIRED(ServerInfoGetFieldUnsigned, unsigned long long, ServerInfo*, const char* field,        \
           int* missing)                                                                          \
  REQUIRED(FreeServerInfo, void, Ctx*, ServerInfo*)                                               \
  REQUIRED(GetCommand, Command*, Ctx*, const char* name)                                          \
  REQUIRED(SetCommandInfo, int, Command*, const CommandInfo*)                                     \
  OPTIONAL(CachedMicroseconds, long long)                                                         \
  OPTIONAL(SetCommandACLCategories, int, Command*, const char* categories)                        \
  OPTIONAL(AddACLCategory, int, Ctx*, const char* category)
// clang-format on

#define BLOOMTIME_REDIS_DECLARE(name, result, ...) inline result (*name)(__VA_ARGS__) = nullptr;
BLOOMTIME_REDIS_FUNCTIONS(BLOOMTIME_REDIS_DECLARE, BLOOMTIME_REDIS_DECLARE)
#undef BLOOMTIME_REDIS_DECLARE

// Finds all functions through the context of OnLoad. Returns the name of a required one that the
// server does not have, or nullptr.
const char* resolve(Ctx* ctx);

}  // namespace bloomtime::redis::rm
