#include "bench/harness/process.hpp"

#include <chrono>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/app.hpp"

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

std::map<pid_t, clock::time_point>& starts() {
  static std::map<pid_t, clock::time_point> all;
  return all;
}

void redirect(const std::string& path, int flags, int to) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(2);
}

double nanoseconds(const timeval& t) {
  return 1e9 * static_cast<double>(t.tv_sec) + 1e3 * static_cast<double>(t.tv_usec);
}

}  // namespace

pid_t start_process(const streams& to, const std::function<int()>& work) {
  const auto now = clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child != 0) {
    starts()[child] = now;
    return child;
  }
  redirect(to.in, O_RDONLY, STDIN_FILENO);
  redirect(to.out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(to.err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  ::_exit(work());
}

cost cost_of_process(pid_t process, int signal) {
  int status = 0;
  rusage used{};
  if (::wait4(process, &status, 0, &used) != process) throw std::runtime_error("no such process");
  const std::chrono::duration<double, std::nano> wall = clock::now() - starts()[process];
  const bool asked = signal != 0 && WIFSIGNALED(status) && WTERMSIG(status) == signal;
  if (status != 0 && !asked) throw std::runtime_error("a process of the benchmark failed");
  return {nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime), wall.count(),
          1024. * static_cast<double>(used.ru_maxrss)};
}

cost cost_of(const streams& to, const std::function<int()>& work) {
  return cost_of_process(start_process(to, work));
}

int run_bloomtime(const std::vector<std::string>& words) {
  std::vector<std::string> all{"/proc/self/exe", std::string(as_bloomtime)};
  all.insert(all.end(), words.begin(), words.end());
  return run_program(all);
}

int be_bloomtime(int count, char** words) {
  std::vector<const char*> argv{"bloomtime"};
  argv.insert(argv.end(), words + 2, words + count);
  return bloomtime::cli::run(static_cast<int>(argv.size()), argv.data());
}

int run_program(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  return 127;
}

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

}  // namespace bench
