#pragma once

// Signals and standard descriptors of the process.
namespace bloomtime::cli {

// Call first in main. A closed pipe ends the process silently, as it ends cat; a file size limit
// becomes an error of write(); a mapped file that shrinks becomes an error message. Closed standard
// descriptors are filled so that no file takes their numbers; writing to them still fails.
void settle_process();

}  // namespace bloomtime::cli
