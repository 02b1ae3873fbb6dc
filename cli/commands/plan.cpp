#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/planner.hpp"
#include "cli/text.hpp"

namespace bloomtime::cli {

void add_plan(command& root, output_options& asked) {
  command& plan = root.add("plan", "memory and error of all engines, side by side");
  plan.usage = "FAMILY [options]";
  plan.examples =
      "bloomtime plan bloom --items 1M --error 1%     memory for an error\n"
      "bloomtime plan bloom --items 1M --memory 1MB   error for a memory\n"
      "bloomtime plan heat --items 1M --error 1%      how hot is an item?\n"
      "bloomtime plan history --pairs 2M --items 25k  when was it seen?\n"
      "bloomtime plan recency --items 1M              was it seen recently?\n"
      "bloomtime plan tally --items 1M --error 1%     how many are there?";
  plan.act = [](const printer&) -> exit_status {
    refuse("plan needs a family. Try bloomtime plan bloom --items 1M --error 1%");
  };
  for (planner& words : std::vector<planner>{bloom_planner(), heat_planner(), history_planner(),
                                             recency_planner(), tally_planner()}) {
    add_planner(plan, std::move(words), asked);
  }
}

}  // namespace bloomtime::cli
