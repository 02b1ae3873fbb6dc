#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

// Work in a process of its own, so that its memory can be measured.
namespace bench {

struct cost {
  double cpu = 0;    // nanoseconds of all its cores, and of the processes that it waited for
  double wall = 0;   // nanoseconds
  double bytes = 0;  // the most memory at one time
};

// Where a process reads and writes; /dev/null unless named.
struct streams {
  std::string in = "/dev/null";
  std::string out = "/dev/null";
  std::string err = "/dev/null";
};

// `work` returns its exit status.
pid_t start_process(const streams& to, const std::function<int()>& work);
// Waits for it. Throws std::runtime_error unless its status is 0 or `signal` ended it.
cost cost_of_process(pid_t process, int signal = 0);
cost cost_of(const streams& to, const std::function<int()>& work);

// The command, for a process of its own: this program, started anew, so that nothing that this one
// has in memory counts as the command's.
int run_bloomtime(const std::vector<std::string>& words);
// What main() does if its first word is this.
inline constexpr std::string_view as_bloomtime = "--as-bloomtime";
int be_bloomtime(int count, char** words);
// Another program, found in PATH; 127 if there is none.
int run_program(const std::vector<std::string>& words);
bool is_installed(const std::string& program);

}  // namespace bench
