#pragma once

namespace bloomtime::support {

// Whether the program runs under a sanitizer. Not a macro: a sanitized program may contain tests
// that were compiled without.
bool sanitized() noexcept;

}  // namespace bloomtime::support
