# Benchmarks and experiments take too long for a test, but have to compile. One build is enough, and
# no code has to be made. The same goes for the modules for Redis and Python, which are tested in the
# other build.

if(NOT BLOOMTIME_SANITIZE OR NOT BLOOMTIME_COMMAND)
  return()
endif()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/bench/*.cpp" "${PROJECT_SOURCE_DIR}/experiments/*.cpp")
if(TARGET bloomtime_redis)
  file(GLOB module CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/redis/*.cpp")
  list(APPEND sources ${module})
  set_target_properties(bloomtime_redis PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
if(TARGET bloomtime_python)
  file(GLOB module CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/*.cpp")
  list(APPEND sources ${module})
  get_target_property(headers bloomtime_python INCLUDE_DIRECTORIES)
  set_target_properties(bloomtime_python PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_library(compiled_only OBJECT ${sources})
target_link_libraries(compiled_only PRIVATE bloomtime_cli_support)
if(TARGET bloomtime_python)
  target_include_directories(compiled_only SYSTEM PRIVATE ${headers})
endif()
target_compile_definitions(compiled_only PRIVATE BENCH_FLAGS="" EXPERIMENTS_DATA="")
target_compile_options(compiled_only PRIVATE -O0 -g0 -fno-sanitize=all)
target_precompile_headers(compiled_only PRIVATE <fmt/format.h> <bloomtime/bloomtime.hpp>)
set_target_properties(compiled_only PROPERTIES CXX_COMPILER_LAUNCHER "${check_only}")
