#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/fact.hpp>
#include <bloomtime/time.hpp>

#include "api.hpp"
#include "arguments.hpp"

// One command while it runs: its arguments, its reply, and what replicas and the AOF get of it.
namespace bloomtime::redis {

class call {
 public:
  call(rm::Ctx* ctx, rm::String** argv, int argc) noexcept : in(argv, argc), ctx_(ctx) {}

  arguments in;

  rm::Ctx* context() const noexcept { return ctx_; }
  // From a primary or an AOF: limits that the primary has checked do not apply. The server computes
  // much for this, so look only when a limit is exceeded.
  bool is_replayed() const noexcept { return (flags() & (rm::replicated | rm::loading)) != 0; }

  // -- replies ---------------------------------------------------------------------------------
  void ok() const { rm::ReplyWithSimpleString(ctx_, "OK"); }
  void boolean(bool b) const { rm::ReplyWithBool(ctx_, b ? 1 : 0); }  // 1 or 0 in RESP2
  void whole(std::uint64_t n) const;  // at most 2^63 - 1, which stands for all above
  void number(double x) const;
  void null() const { rm::ReplyWithNull(ctx_); }
  void text(std::string_view s) const { rm::ReplyWithStringBuffer(ctx_, s.data(), s.size()); }
  void array(std::size_t n) const { rm::ReplyWithArray(ctx_, static_cast<long>(n)); }
  void map(std::size_t n) const { rm::ReplyWithMap(ctx_, static_cast<long>(n)); }
  void fact_value(const fact& f) const;
  void facts(std::span<const fact> all) const;  // a map

  // -- what others get -------------------------------------------------------------------------
  void replicate_verbatim() const { rm::ReplicateVerbatim(ctx_); }
  void changed(rm::String* key, const std::string& event) const {
    rm::SignalModifiedKey(ctx_, key);
    rm::NotifyKeyspaceEvent(ctx_, rm::notify_module, event.c_str(), key);
  }

 private:
  int flags() const noexcept {
    if (!flags_) flags_ = rm::GetContextFlags(ctx_);
    return *flags_;
  }

  rm::Ctx* ctx_;
  mutable std::optional<int> flags_;
};

// Arguments that nearly every command that is sent has, made once; time_word() keeps the last one.
enum class word { items, timestamp };
rm::String* lasting_word(word w);
rm::String* time_word(std::uint64_t ms);

// A command in the form that replicas get, argument by argument. Only one exists at a time.
class canonical_form {
 public:
  explicit canonical_form(rm::Ctx* ctx) noexcept;
  canonical_form(const canonical_form&) = delete;
  canonical_form& operator=(const canonical_form&) = delete;
  ~canonical_form();

  canonical_form& add(rm::String* s) {
    words_.push_back(s);
    return *this;
  }
  canonical_form& add(std::string_view word);
  canonical_form& add(std::uint64_t n) { return add(std::string_view(std::to_string(n))); }
  canonical_form& add(double x);
  canonical_form& add(std::span<rm::String* const> all) {
    words_.insert(words_.end(), all.begin(), all.end());
    return *this;
  }
  template <class Value>
  canonical_form& add(std::string_view option, const Value& value) {
    return add(option).add(value);
  }
  void send(const std::string& command);

 private:
  rm::Ctx* ctx_;
  std::vector<rm::String*>& words_;
  std::vector<rm::String*> made_;
};

// Room for n values that is kept for the next call. One per type: commands run one at a time.
template <class T>
std::span<T> scratch(std::size_t n) {
  constexpr std::size_t kept = 1 << 16;
  static std::unique_ptr<T[]> room;
  static std::size_t size = 0;
  if (n > size || (n <= kept && kept < size)) {
    room.reset();
    size = 0;
    const std::size_t wanted = n < 256 ? 256 : n;
    room = std::make_unique<T[]>(wanted);
    size = wanted;
  }
  return {room.get(), n};
}

inline constexpr const char* filter_is_full =
    "the filter is full; RESERVE another one with a larger capacity";
// Of filters that programs have made; those of RESERVE take any time.
inline constexpr const char* too_far_ahead =
    "timestamp is further ahead of the newest event than the filter takes";

using handler = void(call&);

// Calls it and turns every exception into an error reply.
int guarded(rm::Ctx* ctx, rm::String** argv, int argc, handler* command) noexcept;

template <handler* Command>
int entry(rm::Ctx* ctx, rm::String** argv, int argc) noexcept {
  return guarded(ctx, argv, argc, Command);
}

// The time of a write: the one given, or now. Throws if a client gives one too far ahead.
std::uint64_t now_ms() noexcept;
void expect_not_ahead(const call& c, std::uint64_t time_ms);

std::uint64_t new_seed();  // random, or 0, as configured

}  // namespace bloomtime::redis
