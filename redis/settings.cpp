#include "settings.hpp"

#include <string_view>

#include "arguments.hpp"

namespace bloomtime::redis {
namespace {

settings current;
std::string error_rate_text = "0.001";

long long get_number(const char*, void* data) {
  return static_cast<long long>(*static_cast<const std::uint64_t*>(data));
}

int set_number(const char*, long long value, void* data, rm::String**) {
  *static_cast<std::uint64_t*>(data) = static_cast<std::uint64_t>(value);
  return rm::ok;
}

int get_flag(const char*, void* data) { return *static_cast<const bool*>(data) ? 1 : 0; }

int set_flag(const char*, int value, void* data, rm::String**) {
  *static_cast<bool*>(data) = value != 0;
  return rm::ok;
}

// The server keeps no reference to the string that it gets.
rm::String* get_error_rate(const char*, void*) {
  static rm::String* given = nullptr;
  if (given != nullptr) rm::FreeString(nullptr, given);
  return given = rm::CreateString(nullptr, error_rate_text.data(), error_rate_text.size());
}

int set_error_rate(const char*, rm::String* value, void*, rm::String** error) {
  const std::string_view text = text_of(value);
  const auto rate = probability_in(text);
  if (!rate) {
    constexpr std::string_view why = "an error rate must be in the range (0, 1)";
    *error = rm::CreateString(nullptr, why.data(), why.size());
    return 1;
  }
  error_rate_text = text;
  current.error_rate = *rate;
  return rm::ok;
}

bool register_number(rm::Ctx* ctx, const char* name, std::uint64_t& place, long long least,
                     long long most, unsigned flags = 0) {
  return rm::RegisterNumericConfig(ctx, name, static_cast<long long>(place), flags, least, most,
                                   get_number, set_number, nullptr, &place) == rm::ok;
}

bool register_flag(rm::Ctx* ctx, const char* name, bool& place) {
  return rm::RegisterBoolConfig(ctx, name, place ? 1 : 0, 0, get_flag, set_flag, nullptr, &place) ==
         rm::ok;
}

}  // namespace

const settings& configured() noexcept { return current; }

bool register_settings(rm::Ctx* ctx) {
  constexpr long long most_ms = static_cast<long long>(longest_span_ms);
  settings& c = current;
  return register_number(ctx, "max-object-bytes", c.max_object_bytes, 1 << 16, 1LL << 46,
                         rm::config_memory) &&
         rm::RegisterStringConfig(ctx, "default-error-rate", error_rate_text.c_str(), 0,
                                  get_error_rate, set_error_rate, nullptr, nullptr) == rm::ok &&
         register_number(ctx, "default-capacity", c.capacity, 1,
                         static_cast<long long>(largest_capacity)) &&
         register_number(ctx, "default-halflife-ms", c.halflife_ms, 1, most_ms) &&
         register_number(ctx, "default-window-ms", c.window_ms, 1, most_ms) &&
         register_number(ctx, "default-granularity-ms", c.granularity_ms, 1, most_ms) &&
         register_number(ctx, "max-future-skew-ms", c.max_future_skew_ms, 0, most_ms) &&
         register_flag(ctx, "random-seed", c.random_seed) &&
         register_flag(ctx, "defrag-enabled", c.defrag) && rm::LoadConfigs(ctx) == rm::ok;
}

}  // namespace bloomtime::redis
