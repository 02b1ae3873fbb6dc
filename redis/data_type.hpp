#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chunks.hpp"
#include "value.hpp"

// What the server does with values: store, load, copy, free and count them.
//
// A stored value is a number, then a string: 0 and the container or containers of the filter, or
// the number of chunks that are still missing and the bytes of those that came.
namespace bloomtime::redis {

inline constexpr int encoding_version = 1;

template <class Family>
struct data_type {
  using kept = value<Family>;

  static kept& of(void* v) noexcept { return *static_cast<kept*>(v); }
  static const kept& of(const void* v) noexcept { return *static_cast<const kept*>(v); }

  static void save(rm::IO* io, void* v) noexcept {
    const kept& k = of(v);
    rm::SaveUnsigned(io, k.chunks_left);
    try {
      const auto bytes = k.filter ? k.filter->serialize() : std::vector<std::byte>();
      const auto stored = k.filter ? std::span(bytes) : std::span<const std::byte>(k.pending);
      rm::SaveStringBuffer(io, reinterpret_cast<const char*>(stored.data()), stored.size());
    } catch (const std::exception& e) {
      // Nothing else can be reported here. An empty string is refused when it is loaded.
      rm::LogIOError(io, "warning", "bloomtime cannot store a key: %s", e.what());
      rm::SaveStringBuffer(io, "", 0);
    }
  }

  static void* load(rm::IO* io, int version) noexcept {
    if (version > encoding_version) {
      rm::LogIOError(io, "warning", "bloomtime reads values up to version %d; this one has %d",
                     encoding_version, version);
      return nullptr;
    }
    const std::uint64_t chunks_left = rm::LoadUnsigned(io);
    if (rm::IsIOError(io) != 0) return nullptr;
    std::size_t size = 0;
    const std::unique_ptr<char, void (*)(void*)> text(rm::LoadStringBuffer(io, &size), rm::Free);
    if (rm::IsIOError(io) != 0 || text == nullptr) return nullptr;
    const auto bytes = std::as_bytes(std::span(text.get(), size));
    try {
      if (chunks_left == 0) return kept::make(Family::content::load(bytes));
      if (chunks_left > most_chunks || size == 0) return nullptr;
      std::unique_ptr<kept, void (*)(kept*)> partial(kept::make(), kept::destroy);
      partial->chunks_left = chunks_left;
      partial->pending.assign(bytes.begin(), bytes.end());
      return partial.release();
    } catch (const std::exception& e) {
      rm::LogIOError(io, "warning", "bloomtime refuses a value: %s", e.what());
      return nullptr;
    }
  }

  static void rewrite(rm::IO* io, rm::String* key, void* v) noexcept {
    const kept& k = of(v);
    try {
      const auto bytes = k.filter ? k.filter->serialize() : std::vector<std::byte>();
      const auto stored = k.filter ? std::span(bytes) : std::span<const std::byte>(k.pending);
      std::uint64_t left = chunks_in(stored.size()) + k.chunks_left;
      for (std::size_t at = 0; at < stored.size(); at += chunk_bytes, --left) {
        const auto chunk = stored.subspan(at, std::min(chunk_bytes, stored.size() - at));
        rm::EmitAOF(io, Family::names.load_chunk.c_str(), "slb", key, static_cast<long long>(left),
                    reinterpret_cast<const char*>(chunk.data()), chunk.size());
      }
    } catch (const std::exception& e) {
      rm::LogIOError(io, "warning", "bloomtime cannot rewrite a key: %s", e.what());
    }
  }

  static void free(void* v) noexcept { kept::destroy(&of(v)); }

  static std::size_t memory(rm::KeyOptCtx*, const void* v, std::size_t) noexcept {
    return of(v).memory();
  }

  // Freeing pages of memory is what takes time.
  static std::size_t free_effort(rm::KeyOptCtx*, const void* v) noexcept {
    return 1 + of(v).memory() / 65'536;
  }

  static void* copy(rm::KeyOptCtx*, const void* v) noexcept {
    try {
      return kept::make(of(v));
    } catch (const std::exception&) {
      return nullptr;  // COPY fails
    }
  }

  static void digest(rm::Digest* d, void* v) noexcept {
    const kept& k = of(v);
    try {
      const std::string text =
          std::to_string(k.filter ? k.filter->identity() : 0) + " " + std::to_string(k.chunks_left);
      rm::DigestAddStringBuffer(d, text.data(), text.size());
      rm::DigestAddStringBuffer(d, reinterpret_cast<const char*>(k.pending.data()),
                                k.pending.size());
    } catch (const std::exception&) {
      rm::DigestAddStringBuffer(d, "?", 1);
    }
    rm::DigestEndSequence(d);
  }

  // Large arrays have pages of their own, which do not fragment.
  static int defrag(rm::DefragCtx*, rm::String*, void** v) noexcept {
    constexpr std::uint64_t small = std::uint64_t{1} << 20;
    kept& k = of(*v);
    if (!configured().defrag || !k.filter || k.memory() > small) return 0;
    try {
      k.filter->relocate();
      ++totals_of<Family>.relocated;
    } catch (const std::exception&) {
      // It stays where it is.
    }
    return 0;
  }

  static bool create(rm::Ctx* ctx) {
    rm::TypeMethods methods;
    methods.rdb_load = load;
    methods.rdb_save = save;
    methods.aof_rewrite = rewrite;
    methods.digest = digest;
    methods.free = free;
    methods.defrag = defrag;
    methods.mem_usage2 = memory;
    methods.free_effort2 = free_effort;
    methods.copy2 = copy;
    Family::type = rm::CreateDataType(ctx, Family::names.type, encoding_version, &methods);
    return Family::type != nullptr;
  }
};

}  // namespace bloomtime::redis
