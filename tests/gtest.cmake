# One program per folder of *_test.cpp files: linking and starting are what small tests pay for.
# What all of them share (support/, the precompiled header) is compiled once, and the files of a
# folder a few at a time: most of their cost is templates that all of them use.

set(shards 4)  # tests of one folder that ctest may run at the same time

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
target_compile_options(bloomtime_test_support PRIVATE ${quick_to_build})
bloomtime_cache_precompiled(bloomtime_test_support)

foreach(folder unit property statistical format cli soak)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(NOT sources OR (folder STREQUAL "cli" AND NOT BLOOMTIME_BUILD_CLI))
    continue()
  endif()
  add_executable(${folder}_tests ${sources})
  target_link_libraries(${folder}_tests PRIVATE bloomtime_test_support)
  set_target_properties(${folder}_tests PROPERTIES
    UNITY_BUILD ${BLOOMTIME_TESTS_TOGETHER} UNITY_BUILD_BATCH_SIZE 6)
  target_compile_options(${folder}_tests PRIVATE -Wno-shadow)  # the next file's helpers
  bloomtime_cache_precompiled(${folder}_tests)
  if(folder MATCHES "statistical|soak" AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${folder}_tests PRIVATE -O1)  # they run longer than they compile
  else()
    target_compile_options(${folder}_tests PRIVATE ${quick_to_build})
    target_precompile_headers(${folder}_tests REUSE_FROM bloomtime_test_support)
  endif()
  if(folder STREQUAL "cli")
    target_link_libraries(${folder}_tests PRIVATE
      bloomtime_cli_support nlohmann_json::nlohmann_json)
  endif()

  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    bloomtime_add_test(${folder}.${shard}
      LABEL ${folder}
      COMMAND ${folder}_tests --gtest_brief=1
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endforeach()
