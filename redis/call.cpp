#include "call.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <utility>
#include <variant>

#include <bloomtime/error.hpp>

#include "settings.hpp"

namespace bloomtime::redis {
namespace {

// An error reply is one line, and no long one, whatever it repeats of an argument.
std::string in_one_line(std::string text) {
  constexpr std::size_t longest = 500;
  if (text.size() > longest) text.resize(longest);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return text;
}

std::string reply_of(const error& e) {
  switch (e.code()) {
    case errc::out_of_memory: return "ERR operation exceeds memory limit";
    case errc::incompatible: return std::string("ERR incompatible filters: ") + e.what();
    case errc::truncated:
    case errc::corrupt:
    case errc::newer_version:
    case errc::unknown_kind: return std::string("ERR received bad data: ") + e.what();
    case errc::invalid_argument: return std::string("ERR bad parameters: ") + e.what();
    case errc::too_large:
    case errc::unsupported:
    case errc::io: break;
  }
  return std::string("ERR ") + e.what();
}

rm::String* lasting(std::string_view text) {
  return rm::CreateString(nullptr, text.data(), text.size());
}

std::vector<rm::String*>& reused_words() {
  static std::vector<rm::String*> words;
  return words;
}

// The shortest text that is read as this number. Many numbers occur again and again: items that got
// their only hit within the same second have the same count.
std::string_view shortest_text(double x) {
  struct known {
    std::uint64_t bits = 0;
    std::size_t size = 0;  // 0 if there is none yet
    std::array<char, 32> text = {};
  };
  static std::array<known, 256> all;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  known& k = all[bits * 0x9E3779B97F4A7C15 >> 56];
  if (k.size == 0 || k.bits != bits) {
    const auto end = std::to_chars(k.text.data(), k.text.data() + k.text.size(), x).ptr;
    k.bits = bits;
    k.size = static_cast<std::size_t>(end - k.text.data());
  }
  return {k.text.data(), k.size};
}

}  // namespace

void call::whole(std::uint64_t n) const {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<long long>::max());
  rm::ReplyWithLongLong(ctx_, static_cast<long long>(std::min(n, most)));
}

// In RESP2 a number is text. The server would print 17 digits, which takes longer than many
// commands; the shortest text that is read as the same number does as well.
void call::number(double x) const {
  if ((flags() & rm::resp3) != 0) {
    rm::ReplyWithDouble(ctx_, x);
    return;
  }
  text(shortest_text(x));
}

void call::fact_value(const fact& f) const {
  if (const auto* n = std::get_if<std::uint64_t>(&f.value)) {
    return *n >> 63 == 0 ? whole(*n) : text(std::to_string(*n));
  }
  if (const auto* x = std::get_if<double>(&f.value)) return number(*x);
  text(std::get<std::string>(f.value));
}

void call::facts(std::span<const fact> all) const {
  map(all.size());
  for (const fact& f : all) {
    text(f.name);
    fact_value(f);
  }
}

rm::String* lasting_word(word w) {
  static const std::array made{lasting("ITEMS"), lasting("TIMESTAMP")};
  return made[static_cast<std::size_t>(w)];
}

rm::String* time_word(std::uint64_t ms) {
  static std::uint64_t last_ms = ms;
  static rm::String* time = lasting(std::to_string(ms));
  if (last_ms != ms) {
    rm::String* const next = lasting(std::to_string(ms));
    rm::FreeString(nullptr, std::exchange(time, next));
    last_ms = ms;
  }
  return time;
}

canonical_form::canonical_form(rm::Ctx* ctx) noexcept : ctx_(ctx), words_(reused_words()) {}

canonical_form::~canonical_form() {
  constexpr std::size_t kept = 1 << 16;
  words_.clear();
  if (words_.capacity() > kept) words_.shrink_to_fit();
  for (rm::String* s : made_) rm::FreeString(ctx_, s);
}

canonical_form& canonical_form::add(std::string_view word) {
  made_.reserve(made_.size() + 1);
  words_.reserve(words_.size() + 1);
  made_.push_back(rm::CreateString(ctx_, word.data(), word.size()));
  return add(made_.back());
}

canonical_form& canonical_form::add(double x) { return add(shortest_text(x)); }

void canonical_form::send(const std::string& command) {
  rm::Replicate(ctx_, command.c_str(), "v", words_.data(), words_.size());
}

int guarded(rm::Ctx* ctx, rm::String** argv, int argc, handler* command) noexcept {
  try {
    call c(ctx, argv, argc);
    command(c);
    return rm::ok;
  } catch (const wrong_arity&) {
    return rm::WrongArity(ctx);
  } catch (const failure& f) {
    return rm::ReplyWithError(ctx, in_one_line(f.what()).c_str());
  } catch (const error& e) {
    return rm::ReplyWithError(ctx, in_one_line(reply_of(e)).c_str());
  } catch (const std::bad_alloc&) {
    return rm::ReplyWithError(ctx, "ERR operation exceeds memory limit");
  } catch (const std::exception&) {
    return rm::ReplyWithError(ctx, "ERR internal error");
  }
}

std::uint64_t now_ms() noexcept {
  const bool cached = rm::CachedMicroseconds != nullptr;  // when the command began
  return static_cast<std::uint64_t>(cached ? rm::CachedMicroseconds() / 1000 : rm::Milliseconds());
}

std::uint64_t new_seed() {
  if (!configured().random_seed) return 0;
  std::array<unsigned char, sizeof(std::uint64_t)> bytes{};
  rm::GetRandomBytes(bytes.data(), bytes.size());
  std::uint64_t seed = 0;
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed >> 1;  // so that a reply can be an integer
}

void expect_not_ahead(const call& c, std::uint64_t time_ms) {
  const std::uint64_t now = now_ms();
  if (time_ms <= now || time_ms - now <= configured().max_future_skew_ms) return;
  if (!c.is_replayed()) {
    fail("timestamp is more than max-future-skew-ms ahead of the server's clock");
  }
}

}  // namespace bloomtime::redis
