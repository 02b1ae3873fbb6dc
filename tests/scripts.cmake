# Tests that are scripts: an executable file tests/<folder>/run. It runs in the root of the
# repository, finds the build to test in BLOOMTIME_BUILD_DIR, the path of the command in
# BLOOMTIME_COMMAND and that of the Redis module in BLOOMTIME_MODULE, and may end with a line
# "N passed, M failed".

set(folders cli)
if(NOT BLOOMTIME_SANITIZE)
  # What these check is the same in every build.
  list(APPEND folders
    cross docs house install instruction_sets python readme redis shells upgrade web)
endif()

set(command "")
if(BLOOMTIME_COMMAND)
  set(command "$<TARGET_FILE:bloomtime_cli>")
endif()

set(module "")
if(TARGET bloomtime_redis)
  set(module "$<TARGET_FILE:bloomtime_redis>")
endif()

foreach(folder IN LISTS folders)
  file(GLOB script CONFIGURE_DEPENDS ${folder}/run)
  if(NOT script)
    continue()
  endif()
  bloomtime_add_test(${folder}
    LABEL ${folder}
    COMMAND "${script}"
    ENVIRONMENT "BLOOMTIME_BUILD_DIR=${PROJECT_BINARY_DIR};BLOOMTIME_COMMAND=${command};BLOOMTIME_MODULE=${module}")
  # Scripts take longest, so they start first.
  set_tests_properties(${folder} PROPERTIES WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" COST 1000)
endforeach()

# Trying the mutations takes hours (make soak); checking that they still fit the code does not.
if(NOT BLOOMTIME_SANITIZE)
  bloomtime_add_test(mutations.fit LABEL mutation
    COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/mutation/run" --check)
endif()
