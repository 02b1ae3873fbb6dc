#pragma once

#include <functional>
#include <string>

#include "cli/command.hpp"
#include "cli/plan/table.hpp"

// What all commands `bloomtime plan FAMILY` share: options, help, errors.
namespace bloomtime::cli {

// As typed.
struct sizing_options {
  std::string items;
  std::string error;
  std::string memory;
};

// How one family introduces itself.
struct planner {
  const char* family;
  const char* summary;
  const char* usage;
  const char* examples;
  const char* items;        // what --items counts
  const char* error_means;  // "a lookup of an absent item answers yes"
  entries keys;             // of a row, beside those that all families have
  entries fields = {};      // of the JSON object, likewise
  const char* engines;      // what the engines and variants are
  const char* unit = "item";
};

// Adds the command with its help and --items.
command& add_planner(command& plan, const planner& words, std::string& items);
// Adds --error, --memory.
void add_error(command& self, const planner& words, std::string& error, const char* usual = "");
void add_memory(command& self, std::string& memory);

// --items; throws usage_error if it is missing.
std::uint64_t need_items(const planner& words, const std::string& typed);
// --items with --error or --memory; without either `usual` bytes, and an error if that is 0.
plan_target target_of(const planner& words, const sizing_options& typed, std::uint64_t usual = 0);

// --memory, up to what a filter can take.
std::uint64_t parse_memory(const std::string& text);

// make(); if a filter would be too large, a usage_error that says what to give less of.
std::vector<candidate> sized(const std::function<std::vector<candidate>()>& make,
                             const char* fewer = "items");

// The last line of a plan: the other way to size it.
std::string next_step(const plan_target& target);

}  // namespace bloomtime::cli
