# tests/fuzz/<name>_fuzz.cpp defines LLVMFuzzerTestOneInput. With BLOOMTIME_FUZZ it becomes a
# fuzzer; otherwise a test that replays tests/fuzz/corpus/<name>/, where every input that once
# failed is kept.

add_custom_target(fuzzers)
if(NOT BLOOMTIME_FUZZ)
  add_library(fuzz_replay OBJECT fuzz/replay.cpp)
endif()

set(of_the_command reader store time)

file(GLOB sources CONFIGURE_DEPENDS fuzz/*_fuzz.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM target)
  string(REGEX REPLACE "_fuzz$" "" name ${target})
  if(name IN_LIST of_the_command AND NOT BLOOMTIME_COMMAND)
    continue()
  endif()
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE bloomtime::bloomtime)
  if(name IN_LIST of_the_command)
    target_link_libraries(${target} PRIVATE bloomtime_cli_support nlohmann_json::nlohmann_json)
  endif()
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  if(name STREQUAL "container")
    target_sources(${target} PRIVATE support/allocated.cpp)
    if(BLOOMTIME_SANITIZE)
      target_compile_definitions(${target} PRIVATE BLOOMTIME_SANITIZED)
    endif()
  endif()
  add_dependencies(fuzzers ${target})
  if(BLOOMTIME_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  else()
    target_link_libraries(${target} PRIVATE fuzz_replay)
    target_compile_options(${target} PRIVATE ${quick_to_build})
    bloomtime_add_test(fuzz.${name}
      LABEL fuzz
      COMMAND ${target} "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
  endif()
endforeach()
