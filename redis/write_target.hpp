#pragma once

#include <memory>

#include "value.hpp"

namespace bloomtime::redis {

// The filter that a command writes to: that of the key, or a new one that becomes the value of the
// key when the command has succeeded. So a command that fails leaves no key behind.
//
// A Family has `parameters`, what a client may say about a filter, with
//
//   void expect_same(const content&) const;   throws if an existing filter has others
//   void resolve();                            takes from the settings what is not given
//   void write(canonical_form&) const;         as options of INSERT
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

// What a write changed, as INSERT with a time: all parameters if it made the key.
template <class Family>
void replicate_insert(const call& c, const write_target<Family>& target,
                      const typename Family::parameters& given, std::uint64_t time_ms,
                      std::span<rm::String* const> items) {
  canonical_form form(c.context());
  form.add(target.name());
  if (target.created()) given.write(form);
  form.add("TIMESTAMP", time_ms).add("ITEMS").add(items);
  form.send(Family::insert_name);
}

// The digests of items, in memory that the next call reuses.
template <class Filter>
std::span<const digest> digests_of(const Filter& filter, std::span<rm::String* const> items,
                                   std::size_t step = 1) {
  const std::span<digest> all = scratch<digest>(items.size() / step);
  const hash_seed& seed = filter.seed();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = digest_of(text_of(items[i * step]), seed);
  return all;
}

}  // namespace bloomtime::redis
