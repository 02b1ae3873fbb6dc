#include "cli/parse.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/complaint.hpp"
#include "text/text.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

using namespace text;

namespace {

struct add_to {
  CLI::App& parser;
  std::string name;

  void operator()(bool* given) const { parser.add_flag(name, *given)->disable_flag_override(); }
  void operator()(std::string* typed) const { parser.add_option(name, *typed); }
  void operator()(std::vector<std::string>* typed) const {
    CLI::Option* const made = parser.add_option(name, *typed);
    if (name.starts_with('-')) made->allow_extra_args(false);  // otherwise it takes the files too
  }
};

std::string without_value(const std::string& name, const command& where) {
  return fmt::format("{} needs a value. See {} --help.", name, where.full_name());
}

// The index of "--", or the end: the parser would not take all that follows literally.
int options_end(int argc, const char* const* argv) {
  const auto is_mark = [](const char* word) { return std::string_view(word) == "--"; };
  return static_cast<int>(std::find_if(argv, argv + argc, is_mark) - argv);
}

// Words after "--" are arguments, whatever they look like.
void take_words(const command& what, const char* const* first, const char* const* last) {
  if (first == last) return;
  std::vector<std::string>* const words = what.arguments();
  if (words == nullptr) throw usage_error(complaint_about_word(*first, what));
  words->insert(words->end(), first, last);
}

// The parser would take the next word as the value of "--items=".
void expect_nothing_after_equals(const command& root, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      throw usage_error(without_value(shown(word.substr(0, word.size() - 1)), root));
    }
  }
}

// A command and its subcommands as the parser sees them.
class node {
 public:
  explicit node(const command& what)
      : what_(what), parser_(std::make_shared<CLI::App>(what.summary(), what.name())) {
    // At most one command at each level: a file may well be called "plan".
    parser_->require_subcommand(0, 1);
    for (const option& o : what.options()) {
      std::visit(add_to{*parser_, o.name}, o.into);
    }
    for (const auto& child : what.children()) {
      children_.emplace_back(*child);
      parser_->add_subcommand(children_.back().parser_);
    }
  }

  void parse(int argc, const char* const* argv) const { parser_->parse(argc, argv); }

  const command& innermost() const {
    const node* below = named_child();
    return below == nullptr ? what_ : below->innermost();
  }

  // An empty value would look like an option that was not given.
  void expect_values() const {
    for (const option& o : what_.options()) {
      const auto* text = std::get_if<std::string*>(&o.into);
      if (text != nullptr && (*text)->empty() && parser_->count(o.name) != 0) {
        throw usage_error(without_value(o.name, what_));
      }
    }
    for (const node& child : children_) child.expect_values();
  }

  // The error for the first word that no command takes.
  std::string complaint() const {
    const std::vector<std::string> left = parser_->remaining();
    if (!left.empty()) return complaint_about(left.front(), what_);
    const node* below = named_child();
    return below == nullptr ? fmt::format("see {} --help", what_.full_name()) : below->complaint();
  }

 private:
  const node* named_child() const {
    for (const node& child : children_) {
      if (child.parser_->parsed()) return &child;
    }
    return nullptr;
  }

  const command& what_;
  std::shared_ptr<CLI::App> parser_;
  std::vector<node> children_;
};

// The parser's own messages begin with the name of the option.
std::string sentence_for(const CLI::ParseError& refusal, const node& root) {
  if (dynamic_cast<const CLI::ExtrasError*>(&refusal) != nullptr) return root.complaint();
  const std::string message = refusal.what();
  const std::string name = message.substr(0, message.find_first_of(": "));
  if (message.ends_with("missing")) {
    return without_value(name, root.innermost());
  }
  if (message.find("At Most") != std::string::npos) {
    return name + " was given more than once; give it once";
  }
  if (message.ends_with("override")) return "--" + name + " takes no value; give it alone";
  return message;
}

}  // namespace

request parse(const command& root, int argc, const char* const* argv) {
  const int end = options_end(argc, argv);
  expect_nothing_after_equals(root, end, argv);
  const node tree(root);
  try {
    tree.parse(end, argv);
    tree.expect_values();
    take_words(tree.innermost(), argv + std::min(end + 1, argc), argv + argc);
    return {&tree.innermost(), false};
  } catch (const CLI::CallForHelp&) {
    return {&tree.innermost(), true};
  } catch (const CLI::ParseError& refusal) {
    throw usage_error(sentence_for(refusal, tree));
  }
}

}  // namespace bloomtime::cli
