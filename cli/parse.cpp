#include "cli/parse.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/text.hpp"

namespace bloomtime::cli {
namespace {

// Without the program's name, which begins every error.
std::string lacks(const command& where, const std::string& what) {
  const std::string name = where.full_name();
  const auto blank = name.find(' ');
  if (blank == std::string::npos) return "there is no " + what;
  return name.substr(blank + 1) + " has no " + what;
}

std::string way_out(const std::optional<std::string>& meant, const command& where) {
  return meant ? fmt::format("Did you mean {}?", *meant)
               : fmt::format("See {} --help.", where.full_name());
}

std::string unknown_option(const std::string& typed, const command& where) {
  const std::string name = typed.substr(0, typed.find('='));
  std::vector<std::string> known{"--help"};
  for (const option& o : where.options()) {
    if (o.name.starts_with("--")) known.push_back(o.name);
  }
  const std::string with_dashes = name.starts_with("--") ? name : "-" + name;
  return fmt::format(
      "{}. {}{}", lacks(where, "option " + shown(name)),
      way_out(nearest(with_dashes, known), where),
      where.arguments() == nullptr ? "" : " Put -- before arguments that begin with a dash.");
}

// For a word, also one that looks like an option.
std::string complaint_about_word(const std::string& typed, const command& where) {
  std::vector<std::string> known;
  for (const auto& child : where.children()) known.push_back(child->name());
  std::optional<std::string> meant = nearest(typed, known);
  if (meant) meant = where.full_name() + " " + *meant;
  const std::string what = (known.empty() ? "argument " : "command ") + shown(typed);
  return fmt::format("{}. {}", lacks(where, what), way_out(meant, where));
}

const option* find(const command& where, std::string_view name) {
  for (const option& o : where.options()) {
    if (o.name == name) return &o;
  }
  return nullptr;
}

// What a word with a dash names, and the value that is attached to it: --items=5, -n5.
struct typed_option {
  const option* what;
  std::optional<std::string> value;
};

typed_option option_in(std::string_view word, const command& where) {
  const bool named = word.starts_with("--");
  const std::size_t end = named ? word.find('=') : 2;
  const option* what = find(where, word.substr(0, end));
  if (end >= word.size()) return {what, std::nullopt};
  return {what, std::string(word.substr(named ? end + 1 : end))};
}

// A number may be negative.
bool is_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && (word[1] < '0' || word[1] > '9');
}

// Walks through the words and stores what they say.
class walk {
 public:
  walk(const command& root, int argc, const char* const* argv)
      : at_(&root), words_(argv + (argc == 0 ? 0 : 1), argv + argc) {}

  request operator()() {
    while (next_ < words_.size()) step(words_[next_++]);
    if (!help_ && problem_) throw usage_error(*problem_);
    return {at_, help_};
  }

 private:
  void step(const std::string& word) {
    if (word == "--") {
      while (next_ < words_.size()) take_argument(words_[next_++], complaint_about_word);
    } else if (word == "-h" || word == "--help") {
      help_ = true;
    } else if (word.size() > 1 && word.front() == '-') {
      take_option(word);
    } else if (!enter(word)) {
      take_argument(word, complaint_about);
    }
  }

  bool enter(const std::string& word) {
    for (const auto& child : at_->children()) {
      if (child->name() != word) continue;
      at_ = child.get();
      return true;
    }
    return false;
  }

  // The first word that no command takes is the problem.
  void take_argument(const std::string& word,
                     std::string (*complaint)(const std::string&, const command&)) {
    if (std::vector<std::string>* const arguments = at_->arguments()) {
      arguments->push_back(word);
    } else if (!problem_) {
      problem_ = complaint(word, *at_);
    }
  }

  void take_option(const std::string& word) {
    auto [what, value] = option_in(word, *at_);
    if (what == nullptr) {
      if (!problem_) problem_ = complaint_about(word, *at_);
      return;
    }
    if (bool* const* flag = std::get_if<bool*>(&what->into)) {
      if (value) refuse("{} takes no value; give it alone", what->name);
      **flag = true;
      return;
    }
    if (!value && next_ < words_.size() && !is_option(words_[next_])) value = words_[next_++];
    // An empty value would look like an option that was not given.
    if (!value || value->empty()) {
      refuse("{} needs a value. See {} --help.", what->name, at_->full_name());
    }
    if (std::string* const* text = std::get_if<std::string*>(&what->into)) {
      if (!given_.insert(what).second) {
        refuse("{} was given more than once; give it once", what->name);
      }
      **text = *value;
    } else {
      std::get<std::vector<std::string>*>(what->into)->push_back(*value);
    }
  }

  const command* at_;  // the innermost that was named
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::set<const option*> given_;
  bool help_ = false;
  std::optional<std::string> problem_;
};

}  // namespace

std::string complaint_about(const std::string& typed, const command& where) {
  const bool option = typed.size() > 1 && typed.front() == '-';
  return option ? unknown_option(typed, where) : complaint_about_word(typed, where);
}

request parse(const command& root, int argc, const char* const* argv) {
  return walk(root, argc, argv)();
}

}  // namespace bloomtime::cli
