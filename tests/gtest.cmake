# One program per folder of *_test.cpp files, because linking and starting many small programs takes
# longer than the tests. What all of them share (support/, the precompiled header) is compiled once,
# and the files of a folder a few at a time: most of their cost is templates that all of them use.

set(shards 4)  # tests of one folder that ctest may run at the same time
set(batch 32)  # test files that are compiled together

set(test_options ${quick_to_build})
set(shared_tests OFF)
if(BLOOMTIME_SANITIZE AND NOT BLOOMTIME_SANITIZE_TESTS)
  # Tests are compiled once for two builds, into archives that a build with BLOOMTIME_COMPILED_TESTS
  # links to its own library. So they call the address sanitizer instead of containing its checks:
  # a build without it has functions that do nothing (support/no_address_sanitizer.cpp). Undefined
  # behaviour ends the program, in inline functions of the library that a test contains. Tests have
  # no line numbers, and the libraries they use are not checked.
  set(shared_tests ON)
  file(CONFIGURE OUTPUT not_sanitized.txt CONTENT "[undefined]
src:${CMAKE_CURRENT_SOURCE_DIR}/*
src:/usr/*
[address]
src:/usr/include/boost/*
src:/usr/include/gtest/*
src:/usr/include/nlohmann/*
src:/usr/include/rapidcheck*
")
  list(APPEND test_options
    -g0 "-fsanitize-ignorelist=${CMAKE_CURRENT_BINARY_DIR}/not_sanitized.txt"
    -fsanitize-trap=undefined -fno-sanitize=vptr
    "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0"
    "SHELL:-mllvm -asan-stack=0" "SHELL:-mllvm -asan-globals=0")
endif()

file(GLOB support CONFIGURE_DEPENDS support/*.cpp)
file(CONFIGURE OUTPUT empty.cpp CONTENT "")
set(empty "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
add_library(bloomtime_test_support STATIC ${support} "${empty}")
target_include_directories(bloomtime_test_support PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(bloomtime_test_support PUBLIC
  BLOOMTIME_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
if(BLOOMTIME_SANITIZE)
  target_compile_definitions(bloomtime_test_support PRIVATE BLOOMTIME_SANITIZED)
endif()
target_link_libraries(bloomtime_test_support PUBLIC
  bloomtime::bloomtime bloomtime_traffic GTest::gtest_main GTest::gtest rapidcheck_gtest Boost::headers)
target_precompile_headers(bloomtime_test_support PRIVATE
  <gtest/gtest.h> <rapidcheck/gtest.h> <bloomtime/bloomtime.hpp>)
target_compile_options(bloomtime_test_support PRIVATE ${test_options})
set_target_properties(bloomtime_test_support PROPERTIES
  OPTIMIZE_DEPENDENCIES ON UNITY_BUILD ${BLOOMTIME_TOGETHER} UNITY_BUILD_BATCH_SIZE ${batch})
bloomtime_cache_precompiled(bloomtime_test_support)

# The settings of a target that compiles test files, whose helpers may have the same names.
function(bloomtime_compile_tests target)
  target_link_libraries(${target} PRIVATE bloomtime_test_support)
  if(target MATCHES "cli")
    target_link_libraries(${target} PRIVATE bloomtime_cli_support nlohmann_json::nlohmann_json)
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${BLOOMTIME_TOGETHER} UNITY_BUILD_BATCH_SIZE ${batch})
  target_compile_options(${target} PRIVATE -Wno-shadow)
  bloomtime_cache_precompiled(${target})
  target_compile_options(${target} PRIVATE ${test_options})
  if(target MATCHES "statistical|soak" AND NOT target MATCHES "checked")
    # They run longer than they compile.
    target_compile_options(${target} PRIVATE -O1 $<$<BOOL:${shared_tests}>:-fno-sanitize=all>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 10)
  else()
    target_precompile_headers(${target} REUSE_FROM bloomtime_test_support)
  endif()
endfunction()

# The settings of a program of tests, which are its own or, if there is one, those of an archive.
function(bloomtime_link_tests target archive)
  target_link_libraries(${target} PRIVATE bloomtime_test_support)
  # Of an inline function that several files contain the linker keeps the first copy. The library's
  # is optimised and is what users run; the copy in a test is neither. So the library comes first.
  set(optimised $<TARGET_FILE:bloomtime> $<TARGET_FILE:bloomtime_traffic>)
  if(target MATCHES "cli")
    target_link_libraries(${target} PRIVATE bloomtime_cli_support)
    list(APPEND optimised $<TARGET_FILE:bloomtime_logs>)
  endif()
  target_link_options(${target} PRIVATE
    LINKER:--whole-archive ${optimised} ${archive} LINKER:--no-whole-archive)
  if(archive)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${archive}")
    add_dependencies(${target} compiled_tests)
  endif()
endfunction()

set(folders unit property statistical format soak)
if(BLOOMTIME_COMMAND)
  list(APPEND folders cli)
endif()

# Archives of tests are made here, or by the build that is named.
if(BLOOMTIME_COMPILED_TESTS)
  set(archives ${folders})
  list(TRANSFORM archives REPLACE "(.+)" "${BLOOMTIME_COMPILED_TESTS}/lib/lib\\1_archive.a")
  add_custom_target(compiled_tests BYPRODUCTS ${archives} USES_TERMINAL
    COMMAND "${CMAKE_COMMAND}" --build "${BLOOMTIME_COMPILED_TESTS}" --target compiled_tests)
elseif(shared_tests)
  add_custom_target(compiled_tests)
endif()

foreach(folder IN LISTS folders)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  set(archive "")
  if(BLOOMTIME_COMPILED_TESTS)
    set(archive "${BLOOMTIME_COMPILED_TESTS}/lib/lib${folder}_archive.a")
    # This build's compiler looks for errors and warnings too.
    add_library(${folder}_checked OBJECT ${sources})
    bloomtime_compile_tests(${folder}_checked)
    set_target_properties(${folder}_checked PROPERTIES
      COMPILE_WARNING_AS_ERROR ON CXX_COMPILER_LAUNCHER "${check_only}")
  elseif(shared_tests)
    set(archive "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${folder}_archive.a")
    add_library(${folder}_archive STATIC ${sources})
    bloomtime_compile_tests(${folder}_archive)
    set_target_properties(${folder}_archive PROPERTIES OPTIMIZE_DEPENDENCIES ON)
    add_dependencies(compiled_tests ${folder}_archive)
  endif()
  if(BLOOMTIME_SANITIZE AND folder MATCHES "statistical|soak")
    # They call what the other tests call, only more often: a sanitizer finds nothing new here.
    continue()
  endif()
  if(archive)
    add_executable(${folder}_tests "${empty}")
  else()
    add_executable(${folder}_tests ${sources})
    bloomtime_compile_tests(${folder}_tests)
  endif()
  bloomtime_link_tests(${folder}_tests "${archive}")

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
if(NOT BLOOMTIME_COMMAND)
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
    bloomtime_link_tests(${area} "")
  endif()
endforeach()
