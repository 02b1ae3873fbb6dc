#include "parameters.hpp"

#include "settings.hpp"

namespace bloomtime::redis {

bool basic_parameters::read_size(arguments& in) {
  if (in.option("ERROR")) {
    error = in.probability("error rate");
  } else if (in.option("CAPACITY")) {
    capacity = in.whole("capacity", 1, largest_capacity);
  } else {
    return false;
  }
  return true;
}

bool basic_parameters::read_basic(arguments& in) {
  if (in.option("SEED")) {
    seed = in.whole("seed", 0, ~std::uint64_t{0});
  } else if (in.option("ENGINE")) {
    engine = in.text();
  } else {
    return false;
  }
  return true;
}

void basic_parameters::resolve_basic(std::string_view default_engine) {
  if (!error) error = configured().error_rate;
  if (!capacity) capacity = configured().capacity;
  if (!seed) seed = new_seed();
  if (engine.empty()) engine = default_engine;
}

void basic_parameters::write_size(canonical_form& form) const {
  form.add("ERROR", *error).add("CAPACITY", *capacity);
}

void basic_parameters::write_basic(canonical_form& form) const {
  form.add("SEED", *seed).add("ENGINE", engine);
}

bool write_request::read_time(call& c) {
  if (!c.in.option("TIMESTAMP")) return false;
  time_ms = c.in.time_ms("timestamp");
  expect_not_ahead(c, *time_ms);
  return true;
}

}  // namespace bloomtime::redis
