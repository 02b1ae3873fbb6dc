#pragma once

#include <cstddef>
#include <span>

#include <bloomtime/layout.hpp>

namespace bloomtime::support {

// The exact chance that an item with perfectly random probes finds them all set in these very bits.
// No formula for the error of a filter is as sharp: what is left is the randomness of the
// questions. flat: the share of ones to the k. line: the mean, over lines and first words, of the
// product of the words' shares, once for each bit probed in a word.
double chance_of_maybe(layout kind, std::span<const std::byte> bits, unsigned k);

}  // namespace bloomtime::support
