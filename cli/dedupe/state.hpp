#pragma once

#include <filesystem>
#include <string>

#include "cli/dedupe/deduper.hpp"
#include "store/lock.hpp"

namespace bloomtime::cli {

// The file of --state, locked for other processes while this object lives. A symbolic link is
// followed. Errors name the file.
class state_file {
 public:
  explicit state_file(const std::string& name);
  state_file(const state_file&) = delete;
  state_file& operator=(const state_file&) = delete;
  ~state_file();

  // The state of the last run, or a new one. Throws if the settings differ, or if there is no room
  // to save it.
  deduper open(const dedupe_settings& settings) const;
  void save(const deduper& work) const;

 private:
  deduper load(const dedupe_settings& settings) const;

  std::string name_;
  std::filesystem::path target_;
  store::writer_lock lock_;
};

}  // namespace bloomtime::cli
