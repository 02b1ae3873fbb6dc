#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace bloomtime::logs {

// A condition of --where: status=404, status!=200, path~^/api, path!~[.]png$, status>=500. Texts
// are compared byte by byte, numbers as numbers; ~ searches for a regular expression of RE2.
class condition {
 public:
  // Throws usage_error if it cannot be understood.
  explicit condition(const std::string& typed);

  const std::string& field() const { return field_; }
  // A line that lacks the field, and a value that is no number where one is compared, fulfil only
  // != and !~.
  bool holds(bool found, std::string_view value) const;

 private:
  enum class comparison { equal, matches, less, at_most, more, at_least };
  struct expression;

  bool fulfils(std::string_view value) const;

  std::string field_;
  comparison how_ = comparison::equal;
  bool negated_ = false;
  std::string text_;
  double number_ = 0;
  std::shared_ptr<const expression> expression_;
};

}  // namespace bloomtime::logs
