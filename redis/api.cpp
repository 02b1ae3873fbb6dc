#include "api.hpp"

#include <cstring>

namespace bloomtime::redis::rm {

const char* resolve(Ctx* ctx) {
  // The first field of a context is the function that finds the others.
  using find_function = int(const char* name, void** found);
  find_function* find = nullptr;
  std::memcpy(&find, ctx, sizeof find);
  const char* missing = nullptr;
  const auto resolved = [&](const char* name, auto& function) {
    void* found = nullptr;
    if (find(name, &found) != ok || found == nullptr) return false;
    std::memcpy(&function, &found, sizeof found);
    return true;
  };
#define REQUIRED(name, ...) \
  if (!resolved("RedisModule_" #name, name)) missing = #name;
#define OPTIONAL(name, ...) (void)resolved("RedisModule_" #name, name);
  BLOOMTIME_REDIS_FUNCTIONS(REQUIRED, OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
  return missing;
}

}  // namespace bloomtime::redis::rm
