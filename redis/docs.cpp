#include <cctype>
#include <cstring>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"

// Creates commands, and describes them to the server for COMMAND DOCS, INFO and GETKEYS.
namespace bloomtime::redis {
namespace {

constexpr const char* since = "0.2.0";
// The answers of all reads change with time, without a write.
constexpr const char* tips_of_reads = "nondeterministic_output dont_cache";
constexpr const char* acl_category = "bloomtime";

// Reads the syntax of a command. The server copies what it is given, so that texts and lists live
// only as long as this.
class syntax_reader {
 public:
  explicit syntax_reader(std::string_view text) : left_(text) {}

  rm::Arg* all() { return listed(choice()); }

 private:
  using args = std::vector<rm::Arg>;

  std::string_view peek() const {
    std::string_view rest = left_;
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.empty()) return rest;
    if (std::string_view("[]()|").find(rest.front()) != std::string_view::npos) {
      return rest.substr(0, 1);
    }
    if (rest.starts_with("...")) return rest.substr(0, 3);
    return rest.substr(0, std::min(rest.find_first_of(" []()|."), rest.size()));
  }
  std::string_view take() {
    const std::string_view word = peek();
    left_ = {word.data() + word.size(), static_cast<std::size_t>(left_.end() - word.end())};
    return word;
  }
  bool take(std::string_view word) { return peek() == word && !take().empty(); }

  static bool is_token(std::string_view word) {
    return !word.empty() && std::isupper(static_cast<unsigned char>(word.front())) != 0;
  }
  static bool is_name(std::string_view word) {
    return !word.empty() && std::islower(static_cast<unsigned char>(word.front())) != 0;
  }

  args choice() {
    std::vector<args> alternatives{sequence()};
    while (take("|")) alternatives.push_back(sequence());
    if (alternatives.size() == 1) return std::move(alternatives.front());
    args each;
    for (args& a : alternatives) each.push_back(one_of(std::move(a)));
    rm::Arg all;
    all.name = "choice";
    all.type = rm::arg_oneof;
    all.subargs = listed(std::move(each));
    return {all};
  }

  args sequence() {
    args found;
    while (true) {
      if (take("[")) {
        rm::Arg inner = one_of(choice());
        take("]");
        inner.flags |= rm::arg_optional;
        found.push_back(inner);
      } else if (take("(")) {
        found.push_back(one_of(choice()));
        take(")");
      } else if (is_token(peek()) || is_name(peek())) {
        found.push_back(single());
      } else {
        return found;
      }
      if (take("...")) found.back().flags |= rm::arg_multiple;
    }
  }

  rm::Arg single() {
    rm::Arg a;
    if (is_token(peek())) {
      const std::string_view token = take();
      a.token = kept(token);
      if (!is_name(peek())) {
        a.name = kept(lower(token));
        a.type = rm::arg_pure_token;
        return a;
      }
    }
    const std::string_view word = take();
    const std::size_t colon = word.find(':');
    a.name = kept(word.substr(0, colon));
    const std::string_view type = colon == word.npos ? word : word.substr(colon + 1);
    if (type == "int" || type == "ms") a.type = rm::arg_integer;
    if (type == "double") a.type = rm::arg_double;
    if (type == "time") a.type = rm::arg_unix_time;
    if (type == "key" || type == "source") {
      a.type = rm::arg_key;
      a.key_spec_index = type == "key" ? 0 : 1;
    }
    return a;
  }

  rm::Arg one_of(args&& several) {
    if (several.size() == 1) return several.front();
    rm::Arg block;
    block.name = "block";
    block.type = rm::arg_block;
    block.subargs = listed(std::move(several));
    return block;
  }

  rm::Arg* listed(args&& several) {
    several.emplace_back();
    lists_.push_back(std::move(several));
    return lists_.back().data();
  }
  const char* kept(std::string_view text) { return texts_.emplace_back(text).c_str(); }
  static std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  }

  std::string_view left_;
  std::list<std::string> texts_;
  std::list<args> lists_;
};

bool has_flag(const command& c, const char* flag) { return std::strstr(c.flags, flag) != nullptr; }

rm::KeySpec first_key(std::uint64_t flags) {
  rm::KeySpec spec;
  spec.flags = flags;
  spec.begin_search_type = rm::begin_index;
  spec.bs.index = {1};
  spec.find_keys_type = rm::find_range;
  spec.fk.range = {0, 1, 0};
  return spec;
}

rm::KeySpec source_keys() {
  rm::KeySpec spec;
  spec.flags = rm::key_ro | rm::key_access;
  spec.begin_search_type = rm::begin_index;
  spec.bs.index = {2};
  spec.find_keys_type = rm::find_keynum;
  spec.fk.keynum = {0, 1, 1};
  return spec;
}

std::string categories_of(const command& c) {
  std::string categories = rm::AddACLCategory != nullptr ? std::string(acl_category) + " " : "";
  categories += has_flag(c, "readonly") ? "read" : "write";
  return categories + (has_flag(c, "fast") ? " fast" : " slow");
}

bool describe(rm::Ctx* ctx, const command& c) {
  static constexpr rm::CommandInfoVersion version{1, sizeof(rm::HistoryEntry), sizeof(rm::KeySpec),
                                                  sizeof(rm::Arg)};
  const bool reads = has_flag(c, "readonly");
  std::vector<rm::KeySpec> keys{first_key(reads ? rm::key_ro | rm::key_access
                                                : rm::key_rw | rm::key_access | rm::key_update)};
  if (has_flag(c, "getkeys-api")) keys.push_back(source_keys());
  keys.emplace_back();
  syntax_reader syntax(c.syntax);
  rm::CommandInfo info;
  info.version = &version;
  info.summary = c.summary;
  info.complexity = c.complexity;
  info.since = since;
  info.tips = reads ? tips_of_reads : nullptr;
  info.arity = c.arity;
  info.key_specs = keys.data();
  info.args = syntax.all();
  rm::Command* const known = rm::GetCommand(ctx, c.name);
  if (known == nullptr || rm::SetCommandInfo(known, &info) != rm::ok) return false;
  if (rm::SetCommandACLCategories == nullptr) return true;
  return rm::SetCommandACLCategories(known, categories_of(c).c_str()) == rm::ok;
}

}  // namespace

bool register_category(rm::Ctx* ctx) {
  return rm::AddACLCategory == nullptr || rm::AddACLCategory(ctx, acl_category) == rm::ok;
}

bool register_commands(rm::Ctx* ctx, std::span<const command> all) {
  for (const command& c : all) {
    const bool created = rm::CreateCommand(ctx, c.name, c.run, c.flags, 1, 1, 1) == rm::ok;
    if (created && describe(ctx, c)) continue;
    rm::Log(ctx, "warning", "the server refuses the command %s", c.name);
    return false;
  }
  return true;
}

}  // namespace bloomtime::redis
