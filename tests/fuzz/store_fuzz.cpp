// The manifest, the totals and the ledger of a store, and the state of dedupe, against arbitrary
// bytes. The first byte of an input says what the rest is: 0 a manifest, 1 a manifest to be sealed,
// 2 totals, 3 totals to be sealed, 4 a ledger, 5 a ledger to be sealed, 6 a state, 7 a state to be
// sealed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bloomtime/detail/container.hpp>
#include <bloomtime/error.hpp>

#include "cli/dedupe/deduper.hpp"
#include "store/ledger.hpp"
#include "store/manifest.hpp"
#include "store/totals.hpp"
#include "support/container_bytes.hpp"
#include "support/sealed_manifest.hpp"

namespace {

using namespace bloomtime;
using namespace bloomtime::store;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

void use_manifest(const std::string& text) {
  manifest m;
  try {
    m = parse_manifest(text);
  } catch (const error& e) {
    require(e.what()[0] != '\0', "an error says what is wrong");
    return;
  }
  std::set<std::string> files{m.totals.file};
  for (const part& p : m.containers) {
    require(p.file.find('/') == std::string::npos, "no part lies elsewhere");
    require(files.insert(p.file).second, "no file has two roles");
    require(m.find(p.role) == &p, "no role has two files");
  }
  const std::string again = to_text(m);
  require(to_text(parse_manifest(again)) == again, "what was read can be written and read again");
}

void use_totals(const std::vector<std::byte>& bytes) {
  minute_totals totals;
  try {
    totals = minute_totals::load(bytes);
  } catch (const error& e) {
    require(e.what()[0] != '\0', "an error says what is wrong");
    return;
  }
  require(totals.serialize() == bytes, "what was loaded is stored as it was");
  std::map<std::int64_t, std::uint64_t> counts;
  std::uint64_t events = 0;
  totals.for_each([&](instant start, std::uint64_t count) {
    require(counts.emplace(start.micros, count).second, "each minute comes once");
    require(totals.at(start) == count, "both ways to ask agree");
    events += count;
  });
  require(events == totals.events(), "the minutes add up");
  totals.add(instant(0));
  require(totals.at(instant(0)) == counts[0] + 1, "an event is counted in its minute");
  require(minute_totals::load(totals.serialize()) == totals, "what was changed can be stored");
}

void use_ledger(const std::vector<std::byte>& bytes) {
  ledger kept;
  try {
    kept = ledger::load(bytes);
  } catch (const error& e) {
    require(e.what()[0] != '\0', "an error says what is wrong");
    return;
  }
  require(kept.serialize() == bytes, "what was loaded is stored as it was");
  logs::time_gate gate(instant(0), kept.held);
  const auto decided = gate.judge({instant(0), {}, "", 0, 0});
  require(decided.believed.size() + decided.rejected.size() + gate.held().size() ==
              kept.held.size() + 1,
          "no event is lost");
  require(gate.held().size() <= logs::time_gate::most_held, "few events wait");
}

// Continued as one of the newest version.
bool is_older_state(const std::vector<std::byte>& bytes) {
  return detail::container_view::parse(bytes).info().engine < 6;
}

// As the command would, which wrote the seeds with these settings.
void use_state(const std::vector<std::byte>& bytes) {
  const cli::dedupe_settings settings{.key = "2",
                                      .time = cli::time_source::lines,
                                      .window = std::chrono::seconds(10),
                                      .expect = 20,
                                      .error = 0.1,
                                      .count = true};
  try {
    cli::deduper work = cli::deduper::load(bytes, settings, "state");
    const auto stored = work.serialize();
    // The limit of its memory is that of the run.
    require(stored.size() == bytes.size() || is_older_state(bytes),
            "what was loaded is stored as it was");
    require(cli::deduper::load(stored, settings, "state").serialize() == stored,
            "what was stored can be loaded");
    const std::vector<cli::judged_line> lines(5,
                                              {digest_of("a"), instant::from_seconds(2'000'000)});
    std::vector<cli::line_verdict> verdicts(lines.size());
    work.judge(lines, instant(0), verdicts);
    for (std::size_t i = 1; i < verdicts.size(); ++i) {
      require(verdicts[i].drop, "what comes again at once is dropped");
    }
    const auto again = work.serialize();
    require(cli::deduper::load(again, settings, "state").serialize() == again,
            "what was changed can be stored");
  } catch (const std::exception& e) {
    require(e.what()[0] != '\0', "an error says what is wrong");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] < 2) {
    // Dumping recurses: sealing must not be what breaks.
    const bool seal = data[0] == 1 && rest.size() < 10'000;
    use_manifest(seal ? bloomtime::support::sealed(rest) : std::string(rest));
    return 0;
  }
  const auto input = std::as_bytes(std::span(rest));
  std::vector<std::byte> container(input.begin(), input.end());
  if (data[0] % 2 == 1) bloomtime::support::seal(container);
  if (data[0] < 4) {
    use_totals(container);
  } else if (data[0] < 6) {
    use_ledger(container);
  } else {
    use_state(container);
  }
  return 0;
}
