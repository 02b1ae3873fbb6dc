#include "cli/asking/kept_names.hpp"

#include <fstream>

#include "cli/text.hpp"

namespace bloomtime::cli {

store::pseudonyms read_key(const std::string& file) {
  std::ifstream in(file);
  std::string word;
  std::string more;
  in >> word;
  const auto found = store::pseudonyms::parse(word);
  if (found && !(in >> more)) return *found;
  refuse(
      "--key-file needs a file with 32 hexadecimal digits, and {} is none; make one with: openssl "
      "rand "
      "-hex 16 > key",
      shown(file));
}

kept_names::kept_names(const store::facts& read, const std::string& directory,
                       const std::string& key_file) {
  if (!read.pseudonyms) {
    if (!key_file.empty()) refuse("{} keeps the names of items; omit --key-file", directory);
    return;
  }
  by_ = store::pseudonyms::parse(read.pseudonyms->key);
  if (!key_file.empty()) by_ = read_key(key_file);
  if (by_ && by_->check() != read.pseudonyms->check) {
    refuse("the key in {} is not the one of {}", shown(key_file), directory);
  }
  needs_key_ = !by_;
}

std::string kept_names::of(std::string_view item) const {
  if (needs_key_) {
    refuse(
        "the store has pseudonyms in place of names; give the file with their key as --key-file");
  }
  return by_ ? (*by_)(item) : std::string(item);
}

}  // namespace bloomtime::cli
