#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <bloomtime/math/random.hpp>
#include <bloomtime/math/zipf.hpp>

#include "traffic/chance.hpp"
#include "traffic/event.hpp"
#include "traffic/site.hpp"

namespace bloomtime::traffic {

inline constexpr std::uint32_t no_page = ~std::uint32_t{0};

// A line of a web server's log.
struct visit {
  std::int64_t second = 0;
  item_number client = 0;
  std::uint32_t page = 0;
  std::uint32_t referer = no_page;
  std::uint32_t bytes = 0;
  std::uint16_t status = 200;
};

struct visits_config {
  std::uint64_t records = 0;
  std::uint64_t clients = 0;
  span_of_time when = {.daily = true};
};

// A day at a web site. Clients arrive by weight, load several pages drawn by Zipf's law with their
// assets, and leave. Crawlers stay long and visit all pages in order. From time to time a page
// draws a crowd. The number of records is exact; records are made one by one.
class visits {
 public:
  visits(const visits_config& config, std::uint64_t seed);

  std::optional<visit> operator()();

 private:
  struct session {
    item_number client;
    bool crawler;
    std::uint32_t last_page = no_page;
  };

  void begin_second();
  void change_crowd();
  session new_session();
  visit look_around();
  std::uint32_t next_page(const session& who);
  std::uint16_t status_of(std::uint32_t page);

  math::random_source random_;
  item_law clients_;
  math::zipf popularity_;
  span_of_time when_;
  std::uint64_t left_;
  std::uint64_t end_weight_;
  std::uint64_t passed_ = 0;  // seconds that have started
  std::uint64_t in_this_second_ = 0;
  std::vector<session> sessions_;
  std::uint64_t sessions_wanted_ = 0;
  std::uint32_t crowded_page_ = no_page;
  visit view_;                     // the page that was loaded last, and
  std::uint32_t assets_left_ = 0;  // what is still missing on it
};

// A plausible visit by this client at this time, for streams that have only items and times.
visit visit_of(const event& seen);

}  // namespace bloomtime::traffic
