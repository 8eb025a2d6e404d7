# lsched_test(NAME name LABELS label... COMMAND command... [TIMEOUT seconds] [ENVIRONMENT k=v...])
# Every test of the tree is registered here, so that all run in the source directory, read no
# machine path from their own text, and get time to finish under a sanitizer. See tests/README.md
# for labels and variables.
include_guard(GLOBAL)

function(lsched_test)
    if(NOT LSCHED_BUILD_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT" "LABELS;COMMAND;ENVIRONMENT")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if("long" IN_LIST arg_LABELS)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
    endif()
    if(LSCHED_SANITIZE OR LSCHED_COVERAGE)
        math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
    endif()
    set(sanitizer "UBSAN_OPTIONS=print_stacktrace=1")
    add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${arg_NAME} PROPERTIES
        LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
        ENVIRONMENT "LSCHED_BUILD_DIR=${PROJECT_BINARY_DIR};${sanitizer};${arg_ENVIRONMENT}")
endfunction()

# lsched_program(target sources...): a program of ours, outside the library, built with the
# project's flags.
function(lsched_program target)
    add_executable(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE lsched_flags)
endfunction()
