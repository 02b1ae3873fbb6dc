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
    filter_ = key_.filter();
    if (filter_ != nullptr) {
      given.expect_same(*filter_);
      return;
    }
    if (!create) fail("not found");
    given.resolve();
    made_.reset(value<Family>::make(made_within_limit(c, [&] { return given.make(); })));
    filter_ = &*made_->filter;
  }

  typename Family::content& filter() const noexcept { return *filter_; }
  rm::String* name() const noexcept { return key_.name(); }
  bool created() const noexcept { return created_ || made_ != nullptr; }

  void commit(const call& c, const char* event) {
    created_ = made_ != nullptr;
    if (made_) key_.set(made_.release());
    c.changed(name(), event);
  }

 private:
  opened<Family> key_;
  std::unique_ptr<value<Family>, void (*)(value<Family>*)> made_;
  typename Family::content* filter_ = nullptr;
  bool created_ = false;
};

// What a write changed, as INSERT: with all parameters if it made the key, and with its time if the
// family has one.
template <class Family>
void replicate_insert(const call& c, const write_target<Family>& target,
                      const typename Family::parameters& given,
                      std::optional<std::uint64_t> time_ms, std::span<rm::String* const> items,
                      bool weighted = false) {
  canonical_form form(c.context());
  form.add(target.name());
  if (target.created()) {
    given.write_size(form);
    given.write_options(form);
  }
  if (time_ms) form.add_time(*time_ms);
  if (weighted) form.add("WEIGHTED");
  form.add_items(items);
  form.send(Family::insert_name);
}

// What INSERT says before its items.
template <class Family>
write_request read_insert(call& c, typename Family::parameters& given) {
  write_request asked;
  while (!c.in.option("ITEMS")) {
    if (!c.in.more()) throw wrong_arity();
    if (given.read_size(c.in) || given.read_option(c.in)) continue;
    if (Family::is_timed && asked.read_time(c)) continue;
    if (c.in.option("NOCREATE")) {
      asked.create = false;
    } else if (Family::weighs_items && c.in.option("WEIGHTED")) {
      asked.weighted = true;
    } else {
      c.in.unknown();
    }
  }
  return asked;
}

// The digests of every `step`-th item, in memory that the next call reuses.
template <class Filter>
std::span<const digest> digests_of(const Filter& filter, std::span<rm::String* const> items,
                                   std::size_t step = 1) {
  const std::span<digest> all = scratch<digest>((items.size() + step - 1) / step);
  const hash_seed& seed = filter.seed();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = digest_of(text_of(items[i * step]), seed);
  return all;
}

}  // namespace bloomtime::redis
