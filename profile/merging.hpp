#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <bloomtime/any.hpp>

#include "store/reader.hpp"
#include "store/writer.hpp"

namespace bloomtime::profile {

// A store that is merged with others.
struct merged_store {
  std::string name;  // for errors
  const store::reader& parts;
};

// Adds the other filter to the first. Throws error(incompatible) with the reason unless both are of
// one engine with equal parameters.
void merge(any_filter& into, const any_filter& other);

// Writes into an empty store what the others recorded together: every answer covers the events of
// all of them. Throws usage_error with the reason if they cannot be merged; nothing is written then
// but what the writer removes.
void merge(const std::vector<merged_store>& from, store::writer& into);

}  // namespace bloomtime::profile
