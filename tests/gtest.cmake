# One program per folder of *_test.cpp files, because linking and starting many small programs takes
# longer than the tests. What all of them share (support/, the precompiled header) is compiled once,
# and the files of a folder a few at a time: most of their cost is templates that all of them use.

set(shards 4)  # tests of one folder that ctest may run at the same time
set(batch 32)  # test files that are compiled together

set(test_options ${quick_to_build})
if(BLOOMTIME_SANITIZE AND NOT BLOOMTIME_SANITIZE_TESTS)
  # Tests have no line numbers. The libraries they use are not instrumented, and the tests themselves
  # only for addresses: the check of a function that is always inlined is made by its caller.
  file(CONFIGURE OUTPUT not_sanitized.txt CONTENT "[undefined]
src:${CMAKE_CURRENT_SOURCE_DIR}/*
[address|undefined]
src:/usr/include/boost/*
src:/usr/include/gtest/*
src:/usr/include/nlohmann/*
src:/usr/include/rapidcheck*
")
  list(APPEND test_options
    -g0 "-fsanitize-ignorelist=${CMAKE_CURRENT_BINARY_DIR}/not_sanitized.txt")
endif()

file(GLOB support CONFIGURE_DEPENDS support/*.cpp)
file(CONFIGURE OUTPUT empty.cpp CONTENT "")
add_library(bloomtime_test_support STATIC ${support} "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
target_include_directories(bloomtime_test_support PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(bloomtime_test_support PUBLIC
  BLOOMTIME_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
if(BLOOMTIME_SANITIZE)
  target_compile_definitions(bloomtime_test_support PUBLIC BLOOMTIME_SANITIZED)
endif()
target_link_libraries(bloomtime_test_support PUBLIC
  bloomtime::bloomtime bloomtime_traffic GTest::gtest_main GTest::gtest rapidcheck_gtest Boost::headers)
target_precompile_headers(bloomtime_test_support PRIVATE
  <gtest/gtest.h> <rapidcheck/gtest.h> <bloomtime/bloomtime.hpp>)
target_compile_options(bloomtime_test_support PRIVATE ${test_options})
set_target_properties(bloomtime_test_support PROPERTIES
  UNITY_BUILD ${BLOOMTIME_TOGETHER} UNITY_BUILD_BATCH_SIZE ${batch})
bloomtime_cache_precompiled(bloomtime_test_support)

# The settings of a target that compiles test files, whose helpers may have the same names.
function(bloomtime_compile_tests target)
  target_link_libraries(${target} PRIVATE bloomtime_test_support)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${BLOOMTIME_TOGETHER} UNITY_BUILD_BATCH_SIZE ${batch})
  target_compile_options(${target} PRIVATE -Wno-shadow)
  bloomtime_cache_precompiled(${target})
  target_compile_options(${target} PRIVATE ${test_options})
  target_precompile_headers(${target} REUSE_FROM bloomtime_test_support)
  # Of an inline function that several files contain the linker keeps the first copy. The library's
  # is optimised and is what users run; the copy in a test is neither. So the library comes first.
  set(optimised $<TARGET_FILE:bloomtime> $<TARGET_FILE:bloomtime_traffic>)
  if(target MATCHES "cli")
    target_link_libraries(${target} PRIVATE bloomtime_cli_support nlohmann_json::nlohmann_json)
    list(APPEND optimised $<TARGET_FILE:bloomtime_logs>)
  endif()
  target_link_options(${target} PRIVATE
    LINKER:--whole-archive ${optimised} LINKER:--no-whole-archive)
endfunction()

foreach(folder unit property statistical format cli soak)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(NOT sources OR (folder STREQUAL "cli" AND NOT BLOOMTIME_BUILD_CLI))
    continue()
  endif()
  if(BLOOMTIME_SANITIZE AND folder MATCHES "statistical|soak")
    # They call what the other tests call, only more often: a sanitizer finds nothing new here.
    add_library(${folder}_tests OBJECT ${sources})
    bloomtime_compile_tests(${folder}_tests)
    set_target_properties(${folder}_tests PROPERTIES CXX_COMPILER_LAUNCHER "${check_only}")
    continue()
  endif()
  add_executable(${folder}_tests ${sources})
  bloomtime_compile_tests(${folder}_tests)
  if(folder MATCHES "statistical|soak")  # they run longer than they compile
    target_compile_options(${folder}_tests PRIVATE -O1)
    set_target_properties(${folder}_tests PROPERTIES
      DISABLE_PRECOMPILE_HEADERS ON UNITY_BUILD_BATCH_SIZE 10)
  endif()

  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    bloomtime_add_test(${folder}.${shard}
      LABEL ${folder}
      COMMAND ${folder}_tests --gtest_brief=1
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endforeach()

# For scripts/quick: the tests of one folder below unit/ or cli/ as a program of their own.
file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS
  unit/*_test.cpp cli/*_test.cpp)
if(NOT BLOOMTIME_BUILD_CLI)
  list(FILTER sources EXCLUDE REGEX "^cli/")
endif()
foreach(source IN LISTS sources)
  cmake_path(GET source PARENT_PATH folder)
  string(REPLACE "/" "_" area "quick_${folder}")
  if(TARGET ${area})
    target_sources(${area} PRIVATE ${source})
  else()
    add_executable(${area} EXCLUDE_FROM_ALL ${source})
    bloomtime_compile_tests(${area})
  endif()
endforeach()
