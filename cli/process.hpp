#pragma once

#include <csignal>

// What this process owes the system around it.
namespace bloomtime::cli {

// Call first in main. A closed pipe ends the process in silence, as it ends cat; a file size limit
// becomes an error of write(); a mapped file that shrinks becomes a sentence. Closed standard
// descriptors are filled so that no file takes their numbers; writing to them still fails.
void settle_process();

// Holds back Ctrl-C and its like while a file is being replaced, so that no half of it is left.
class signals_held {
 public:
  signals_held();
  signals_held(const signals_held&) = delete;
  signals_held& operator=(const signals_held&) = delete;
  ~signals_held();

 private:
  sigset_t before_{};
};

}  // namespace bloomtime::cli
