#include "cli/app.hpp"

int main(int argc, char** argv) { return bloomtime::cli::run(argc, argv); }
