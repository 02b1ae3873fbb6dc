#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bloomtime/heat/decay.hpp>
#include <bloomtime/time.hpp>

// The streams of the experiments. An epoch is one second of the filters' clock, whatever its length
// in the log.
namespace experiments {

struct hit {
  std::int32_t epoch;
  std::uint32_t item;
};

struct stream {
  std::string name;
  std::vector<hit> hits;    // in order of time
  std::uint32_t items = 0;  // numbered from 0
  std::int32_t epochs = 0;
};

// Independent draws by Zipf's law; z = 0 is flat.
stream zipf_stream(double z, std::uint32_t items, std::uint32_t per_epoch, std::int32_t epochs,
                   std::uint64_t seed = 1);

// The skew of the papers and their flat data: 20 000 items, 50 000 hits in each of 60 epochs.
stream usual_zipf(double z);

// Logs of servers in ../shared/data, if there: one stream per column, epochs of an hour. Says on
// standard error which are missing.
std::vector<stream> real_streams();

inline bloomtime::instant at(std::int32_t epoch) { return bloomtime::instant::from_seconds(epoch); }

// Decayed counts, exact up to double precision.
class exact_heat {
 public:
  exact_heat(std::uint32_t items, double lambda);

  void add(const hit& h);
  double at(std::uint32_t item, std::int32_t epoch) const;

 private:
  struct entry {
    double heat = 0;
    std::int32_t epoch = 0;
  };

  double lambda_;
  std::vector<entry> entries_;
};

exact_heat exact_of(const stream& s, double lambda);

}  // namespace experiments
