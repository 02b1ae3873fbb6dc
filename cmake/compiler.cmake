# How every target of this project is compiled. Nothing here reaches a consumer.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# clang counts the sign into -Wconversion, g++ does not: both are to say the same.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)

# What single calls are compiled for; bulk calls choose wider code at run time.
set(default_arch "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(default_arch x86-64-v2)
endif()
set(BLOOMTIME_ARCH "${default_arch}" CACHE STRING "Value of -march=, empty for the compiler's own")
if(BLOOMTIME_ARCH)
  add_compile_options(-march=${BLOOMTIME_ARCH})
endif()

if(BLOOMTIME_SANITIZE)
  add_compile_options(
    -fsanitize=${BLOOMTIME_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BLOOMTIME_SANITIZE})
endif()
if(BLOOMTIME_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# The sloppiness is what ccache needs to serve files that use a precompiled header.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
endif()

# For targets whose sources use a precompiled header, by either compiler.
function(bloomtime_cache_precompiled target)
  if(CCACHE_PROGRAM)
    target_compile_options(${target} PRIVATE
      $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
  endif()
endfunction()
