#include "logs/formats/load_balancer.hpp"

#include "logs/take.hpp"

namespace bloomtime::logs {

std::size_t split_load_balancer(std::string_view text, std::span<std::string_view> into) {
  std::size_t count = 0;
  for (; count < into.size() && !text.empty(); ++count) into[count] = take_word(text);
  return count;
}

const std::vector<field>& load_balancer_fields() {
  using enum field::part;
  constexpr std::size_t request = 12;
  static const std::vector<field> fields{
      {"type", value, 0},           {"time", value, 1},
      {"balancer", value, 2},       {"host", address, 3},
      {"target", value, 4},         {"request_seconds", value, 5},
      {"target_seconds", value, 6}, {"response_seconds", value, 7},
      {"status", value, 8},         {"target_status", value, 9},
      {"received", value, 10},      {"bytes", value, 11},
      {"request", value, request},  {"agent", value, 13},
      {"method", method, request},  {"path", url_path, request},
      {"site", url_site, request},  {"protocol", protocol, request}};
  return fields;
}

}  // namespace bloomtime::logs
