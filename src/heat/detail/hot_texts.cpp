#include <bloomtime/heat/detail/hot_texts.hpp>

#include <utility>

namespace bloomtime::detail {
namespace {

// Short texts stand in the string itself.
template <class Text>
std::uint64_t outside(const Text& t) {
  static const std::size_t inside = Text().capacity();
  return t.capacity() <= inside ? 0 : t.capacity() + 1;
}

}  // namespace

// Copied strings are only as large as their text.
hot_texts::hot_texts(const hot_texts& other) : texts_(other.texts_) {
  for (const text& t : texts_) outside_ += outside(t);
}

hot_texts& hot_texts::operator=(const hot_texts& other) {
  if (this != &other) *this = hot_texts(other);
  return *this;
}

std::uint64_t hot_texts::memory() const noexcept {
  return hooked_bytes<text>(texts_.capacity()) + outside_;
}

// Takes exactly as much memory as the text needs if it has to be allocated, and not much more if it
// was there.
void hot_texts::prepare(std::string_view wanted) {
  if (spare_.capacity() >= wanted.size() && spare_.capacity() <= 2 * wanted.size() + 32) {
    spare_.assign(wanted);
    return;
  }
  text made(wanted);  // an assignment would keep the memory
  outside_ = outside_ - outside(spare_) + outside(made);
  spare_.swap(made);
}

void hot_texts::clear() noexcept { *this = hot_texts(); }

}  // namespace bloomtime::detail
