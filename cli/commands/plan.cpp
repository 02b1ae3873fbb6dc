#include "cli/command.hpp"
#include "text/usage_error.hpp"

namespace bloomtime::cli {

using namespace text;

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
    throw usage_error("plan needs a family. Try bloomtime plan bloom --items 1M --error 1%");
  };
  add_plan_bloom(plan, asked);
  add_plan_heat(plan, asked);
  add_plan_history(plan, asked);
  add_plan_recency(plan, asked);
  add_plan_tally(plan, asked);
}

}  // namespace bloomtime::cli
