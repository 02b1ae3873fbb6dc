#pragma once

#include <string>
#include <utility>

namespace bench {

// What is measured, under the name that the report prints. Not copied: a subject may be large.
class named {
 public:
  explicit named(std::string name) : name_(std::move(name)) {}
  named(const named&) = delete;
  named& operator=(const named&) = delete;
  virtual ~named() = default;

  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

}  // namespace bench
