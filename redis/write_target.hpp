#pragma once

#include <memory>
#include <optional>
#include <span>

#include <bloomtime/digest.hpp>

#include "parameters.hpp"
#include "value.hpp"

namespace bloomtime::redis {

// The filter that a command writes to: that of the key, or a new one that becomes the value of the
// key when the command has succeeded. So a command that fails leaves no key behind.
//
// A Family has `parameters`, what a client may say about a filter, with
//
//   void expect_same(const content&) const;   throws if an existing filter has others
//   void resolve();                            takes from the settings what is not given
//   bool read_option(arguments&);              takes one that RESERVE has
//   void write_options(canonical_form&) const; all of these
//   content make() const;
template <class Family>
class write_target {
 public:
  using parameters = typename Family::parameters;

  write_target(const call& c, rm::String* name, parameters& given, bool create = true)
      : key_(c, name, rm::read | rm::write), made_(nullptr, value<Family>::destroy) {
    if (const auto* const present = key_.filter()) {
      given.expect_same(*present);
      return;
    }
    if (!create) fail("not found");
    given.resolve();
    made_.reset(value<Family>::make(made_within_limit(c, [&] { return given.make(); })));
  }

  value<Family>& get() const noexcept { return made_ ? *made_ : key_.get(); }
  typename Family::content& filter() const noexcept { return *get().filter; }
  rm::String* name() const noexcept { return key_.name(); }
  bool created() const noexcept { return created_ || made_ != nullptr; }

  void commit(const call& c, const std::string& event) {
    created_ = made_ != nullptr;
    if (made_) key_.set(made_.release());
    c.changed(name(), event);
  }

 private:
  opened<Family> key_;
  std::unique_ptr<value<Family>, void (*)(value<Family>*)> made_;
  bool created_ = false;
};

}  // namespace bloomtime::redis
