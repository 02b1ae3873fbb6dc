#include <bloomtime/detail/moved.hpp>

#include <string>

#include <bloomtime/error.hpp>

namespace bloomtime::detail {

void refuse_moved_from(std::string_view called) {
  throw error(errc::invalid_argument,
              std::string(called) + " was moved from; assign another one to it first");
}

}  // namespace bloomtime::detail
