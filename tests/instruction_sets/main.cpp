// Calls the half that may run on any machine; the other one only if asked to.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <bloomtime/published/persistent/tree_history.hpp>

int baseline();
int wide();

bloomtime::published::tree_config growing_tree() { return {.sizes = {{{{4096, 2}}}, {4096, 2}}}; }

const std::filesystem::path& scratch_file() {
  static const std::filesystem::path path = std::string(std::getenv("SCRATCH")) + "/filter";
  return path;
}

int main(int arguments, char**) { return arguments > 1 ? wide() : baseline(); }
