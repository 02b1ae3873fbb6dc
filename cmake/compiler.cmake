# How every target of this project is compiled. Nothing here reaches a consumer.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# clang includes -Wsign-conversion in -Wconversion, g++ does not.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)

# The instruction set of single calls; bulk calls choose wider code at run time.
set(default_arch "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(default_arch x86-64-v2)
endif()
set(BLOOMTIME_ARCH "${default_arch}" CACHE STRING "Value of -march=, empty for the compiler's own")
if(BLOOMTIME_ARCH)
  add_compile_options(-march=${BLOOMTIME_ARCH})
endif()

# Stored bytes do not depend on the instruction set: a product and a sum are never one instruction,
# which rounds once instead of twice.
add_compile_options(-ffp-contract=off)

if(BLOOMTIME_SANITIZE)
  add_compile_options(
    -fsanitize=${BLOOMTIME_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BLOOMTIME_SANITIZE})
endif()
if(BLOOMTIME_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The fastest linker of Debian: the tests link thirty programs.
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM AND PROJECT_IS_TOP_LEVEL AND BLOOMTIME_TESTS)
  add_link_options(-fuse-ld=lld)
endif()

# ccache needs these settings for files that use a precompiled header. CCACHE_DEPEND compares
# headers byte by byte: otherwise ccache returns an old precompiled header after a change of a
# comment, and g++ then takes the changed header for another file and reports redefinitions.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      "${CCACHE_PROGRAM}")
endif()

# For targets whose sources use a precompiled header, by either compiler.
function(bloomtime_cache_precompiled target)
  if(CCACHE_PROGRAM)
    target_compile_options(${target} PRIVATE
      $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
  endif()
endfunction()

option(BLOOMTIME_TOGETHER "Compile many source files as a few large ones" ON)

# Compiles the sources of targets in a few large files: most of the work of a small file is reading
# headers that all of them include. Files that define the same name in an unnamed namespace are
# kept apart (scripts/compile_together).
function(bloomtime_compile_together)
  find_program(PYTHON_PROGRAM python3)
  if(NOT PYTHON_PROGRAM)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    list(TRANSFORM sources PREPEND "${folder}/")
    execute_process(
      COMMAND "${PYTHON_PROGRAM}" "${PROJECT_SOURCE_DIR}/scripts/compile_together" ${sources}
      OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" groups "${groups}")
    set(number 0)
    foreach(group IN LISTS groups)
      separate_arguments(group UNIX_COMMAND "${group}")
      set_source_files_properties(${group} TARGET_DIRECTORY ${target} PROPERTIES
        UNITY_GROUP group_${number})
      math(EXPR number "${number} + 1")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # a header may use a name of another file
  endforeach()
endfunction()

# Only what sees every line of a log has to be fast; optimising the rest costs most of a build.
# (There g++ 12 warns of bounds inside std::string, wrongly.)
function(bloomtime_optimise_little target)
  target_compile_options(${target} PRIVATE
    $<IF:$<CONFIG:Release>,-O1,-O0>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)
endfunction()

# For source files of such a target that do see every line.
function(bloomtime_optimise_fully)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS $<IF:$<CONFIG:Release>,-O3,-O1> SKIP_PRECOMPILE_HEADERS ON)
endfunction()
