#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traffic/event.hpp"
#include "traffic/visits.hpp"

namespace bloomtime::traffic {

enum class line_form { combined, ndjson, tsv };

// The text of an item: its own IPv4 address.
std::string address_of(item_number item);

// Events as lines of text. TSV: second, item; for adds and removes + or -, item; for visits
// second, client, path, status, bytes.
class line_writer {
 public:
  explicit line_writer(line_form form) : form_(form) {}

  void events_are_changes() { changes_ = true; }
  void write(const event& what, std::string& out);
  void write(const visit& what, std::string& out);

 private:
  void set_second(std::int64_t second);
  void write_combined(const visit& what, std::string& out) const;

  line_form form_;
  bool changes_ = false;
  std::vector<std::string> paths_ = make_paths();
  std::int64_t second_ = std::numeric_limits<std::int64_t>::min();  // whose text time_ is
  std::string time_;
};

}  // namespace bloomtime::traffic
