#include <bloomtime/detail/stored.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {

void refuse_parameters(std::string_view called) {
  throw error(errc::corrupt, "the parameters of " + std::string(called) +
                                 " contradict each other; the file is damaged");
}

}  // namespace bloomtime::detail
