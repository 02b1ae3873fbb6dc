#pragma once

#include <span>

#include "api.hpp"
#include "call.hpp"

namespace bloomtime::redis {

// A command as it is registered and documented.
struct command {
  const char* name;
  rm::CommandFunction* run;
  const char* flags;  // of the server: "write deny-oom fast"
  int arity;          // the least number of arguments with the name, negative if there may be more
  // The arguments, which docs.cpp reads: words in capitals are tokens, [] are optional, | separates
  // alternatives, ... repeats, and a type may follow a name: "key item [BY n:int] [TIMESTAMP
  // t:time]".
  const char* syntax;
  const char* summary;
  const char* complexity;
};

// A category for ACL rules, where the server has such.
bool register_category(rm::Ctx* ctx);
// Creates the commands and tells the server about them. False if it refuses one.
bool register_commands(rm::Ctx* ctx, std::span<const command> all);

// Each creates the data type and the commands of a family.
bool register_recency(rm::Ctx* ctx);
bool register_tally(rm::Ctx* ctx);
bool register_heat(rm::Ctx* ctx);
bool register_history(rm::Ctx* ctx);

}  // namespace bloomtime::redis
