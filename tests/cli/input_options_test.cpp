#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/help.hpp"
#include "cli/output/progress.hpp"
#include "cli/parse.hpp"
#include "logs/format.hpp"

namespace bloomtime::cli {
namespace input_options_test {

using namespace logs;

TEST(input_options, as_typed) {
  command root("test", "a test");
  input_options asked;
  std::vector<std::string> files;
  root.arguments("FILE", files, "logs");
  root.input(asked);
  const std::array words{"test",      "--item", "host,path", "a.log",    "--item",
                         "2",         "--time", "ts",        "--format", "tsv",
                         "--rejects", "bad",    "--strict",  "b.log"};
  (void)parse(root, static_cast<int>(words.size()), words.data());
  EXPECT_EQ(asked.items, (std::vector<std::string>{"host,path", "2"}));
  EXPECT_EQ(asked.time, "ts");
  EXPECT_EQ(asked.format, "tsv");
  EXPECT_EQ(asked.rejects, "bad");
  EXPECT_TRUE(asked.strict);
  EXPECT_EQ(files, (std::vector<std::string>{"a.log", "b.log"}));
  const auto format = std::find_if(root.options().begin(), root.options().end(),
                                   [](const option& o) { return o.name == "--format"; });
  EXPECT_EQ(format->choices.size(), 19U);
  for (const std::string& choice : format->choices) EXPECT_NO_THROW((void)format_named(choice));
  const std::string help = help_text(root);
  EXPECT_NE(help.find("\nInput\n  --item FIELD"), help.npos) << help;
}

TEST(reading_progress, shows_speed_and_time_left) {
  EXPECT_EQ(reading_text({630'000'000, 1'000'000'000, 3'200'000}, 1.5),
            "███████████░░░░░░░  63 %   420 MB/s   2.1 M lines/s   1 s left");
  EXPECT_EQ(reading_text({1'000, 1'000'000, 10}, 1),
            "░░░░░░░░░░░░░░░░░░  0 %   1.00 kB/s   10 lines/s   16:39 min left");
  EXPECT_EQ(reading_text({1'000, 100'000'000, 10}, 1),
            "░░░░░░░░░░░░░░░░░░  0 %   1.00 kB/s   10 lines/s   27:46 h left");
}

TEST(reading_progress, of_a_pipe_or_a_file_that_grew) {
  EXPECT_EQ(reading_text({5'000'000, {}, 40'000}, 2), "5.00 MB   2.50 MB/s   20 k lines/s");
  EXPECT_EQ(reading_text({2'000, 1'000, 10}, 1),
            "██████████████████  100 %   2.00 kB/s   10 lines/s   0 s left");
  EXPECT_EQ(reading_text({}, 0), "0 B   0 B/s   0 lines/s");
}

}  // namespace input_options_test
}  // namespace bloomtime::cli
