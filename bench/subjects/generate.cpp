#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "bench/harness/parts.hpp"
#include "traffic/draws.hpp"
#include "traffic/lines.hpp"
#include "traffic/operations.hpp"
#include "traffic/pairs.hpp"
#include "traffic/repeats.hpp"
#include "traffic/visits.hpp"

namespace bench {
namespace {

using namespace bloomtime::traffic;
using std::chrono::steady_clock;

constexpr double target = 2e6;  // events per second
constexpr std::size_t chunk = 1 << 16;

// A file without a name, in memory if /tmp is: writing costs what it costs a user, disks aside.
class scratch_file {
 public:
  scratch_file() : descriptor_(::open("/tmp", O_TMPFILE | O_RDWR, 0600)) {
    if (descriptor_ < 0) throw std::runtime_error("cannot make a file in /tmp");
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  ~scratch_file() { ::close(descriptor_); }

  void write(std::string_view text) const {
    if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("cannot write to a file in /tmp");
    }
  }
  void rewind() const { (void)::lseek(descriptor_, 0, SEEK_SET); }

 private:
  int descriptor_;
};

template <class Work>
double seconds_of(Work&& work) {
  const auto start = steady_clock::now();
  work();
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

template <class Stream, class Config>
std::uint64_t generate(const Config& config, line_form form, const scratch_file& file) {
  Stream stream(config, 1);
  line_writer writer(form);
  if (std::is_same_v<Stream, operations>) writer.events_are_changes();
  std::string lines;
  std::uint64_t bytes = 0;
  const auto flush = [&] {
    bytes += lines.size();
    file.write(lines);
    lines.clear();
  };
  while (const auto next = stream()) {
    writer.write(*next, lines);
    if (lines.size() >= chunk) flush();
  }
  flush();
  return bytes;
}

void copy(std::uint64_t bytes, const scratch_file& file) {
  const std::string source(chunk, 'x');
  std::string lines(chunk, ' ');
  for (; bytes != 0; bytes -= std::min<std::uint64_t>(bytes, chunk)) {
    std::memcpy(lines.data(), source.data(), chunk);
    keep(lines.data());
    file.write(std::string_view(lines).substr(0, bytes));
  }
}

class tables {
 public:
  explicit tables(session& run) : run_(run) {}

  template <class Stream, class Config>
  void measure(std::string_view name, const Config& config, line_form form) {
    if (!run_.wants(fmt::format("generate/{}", name))) return;
    schedule cases;
    std::uint64_t bytes = 0;
    const auto per_event = [&](double seconds) {
      return seconds * 1e9 / static_cast<double>(config.records);
    };
    const std::size_t made = cases.add([&] {
      file_.rewind();
      return per_event(seconds_of([&] { bytes = generate<Stream>(config, form, file_); }));
    });
    const std::size_t copied = cases.add([&] {
      file_.rewind();
      return per_event(seconds_of([&] { copy(bytes, file_); }));
    });
    cases.run(3);
    const summary time = cases.time(made);
    const double rate = 1e9 / time.median;
    table_.row(
        {std::string(name), fmt::format("{:.1f}", rate / 1e6),
         fmt::format("{:.0f}", static_cast<double>(bytes) / static_cast<double>(config.records)),
         fmt::format("{:.0f} ns", time.median),
         fmt::format("{:.1f}", cases.ratio(made, copied).median),
         rate >= target ? "reached" : "NOT REACHED"});
    run_.csv.line("generate", "", name, "ns_per_event", time);
  }

  void print() const {
    if (table_.empty()) return;
    fmt::print(
        "\nGenerated streams, written to a file; copying: the same bytes by memcpy and write\n\n");
    table_.print(stdout);
  }

 private:
  session& run_;
  scratch_file file_;
  table table_{{"stream", "M events/s", "bytes", "per event", "/ copying", "2 M/s"}, 1};
};

}  // namespace

void generate_tables(session& run) {
  const std::uint64_t records = run.quick ? 500'000 : 2'000'000;
  pairs_config edgar = like_edgar();
  if (run.quick) edgar = {.records = records, .items = 2'500, .pairs = records / 5 * 2};
  tables all(run);
  all.measure<visits>("traffic, combined", visits_config{records, 50'000}, line_form::combined);
  all.measure<visits>("traffic, ndjson", visits_config{records, 50'000}, line_form::ndjson);
  all.measure<pairs>("exact pairs like EDGAR, tsv", edgar, line_form::tsv);
  all.measure<draws>("Zipf draws, tsv", draws_config{records, 65'536, 1}, line_form::tsv);
  all.measure<repeats>("30 % repeats, tsv", repeats_config{records, records / 10 * 3},
                       line_form::tsv);
  all.measure<operations>("40 % removes, tsv",
                          operations_config{records, 1'000'000, 1, records / 10 * 4},
                          line_form::tsv);
  all.print();
}

}  // namespace bench
