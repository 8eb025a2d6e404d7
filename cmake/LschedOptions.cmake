# Options, and the compiler flags that follow from them.
#
# Flags that only concern our own sources sit on the interface target lsched_flags, so a host that
# uses add_subdirectory keeps its own. Sanitizers and coverage must reach every object of a program
# and are therefore set for the whole directory tree; they are off unless asked for.
include_guard(GLOBAL)
include(GNUInstallDirs)

option(LSCHED_BUILD_TESTS "Build the tests (needs cmocka, Python 3)" ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_BUILD_CLI "Build the program lsched" ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_BUILD_FUZZ "Build the fuzz harnesses; without LSCHED_FUZZER they replay a corpus"
       ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_BUILD_BINDINGS "Build and test the bindings" ${PROJECT_IS_TOP_LEVEL})
option(LSCHED_INSTALL "Generate install rules" ${PROJECT_IS_TOP_LEVEL})
# Parts that an embedder can leave out. The headers stay the same; a program that calls a function of a
# part that is left out does not link.
option(LSCHED_NO_YAML "Leave out scenarios (scenario.h) and libyaml" OFF)
option(LSCHED_NO_LUA "The same as LSCHED_LUA=none" OFF)
# Which Lua runs hooks and selectors of devices. Both give the same plans (docs/policy-sandbox.md).
set(LSCHED_LUA "luajit" CACHE STRING "luajit; puc51: PUC Lua 5.1; none: policies without hooks only")
set_property(CACHE LSCHED_LUA PROPERTY STRINGS luajit puc51 none)
if(NOT LSCHED_LUA MATCHES "^(luajit|puc51|none)$")
    message(FATAL_ERROR "LSCHED_LUA is \"${LSCHED_LUA}\"; expected luajit, puc51 or none")
endif()
if(LSCHED_LUA STREQUAL "none")
    set(LSCHED_NO_LUA ON)
endif()
if(LSCHED_LUA STREQUAL "puc51")
    set(LSCHED_LUA_MODULE "lua5.1")
else()
    set(LSCHED_LUA_MODULE "luajit")
endif()
option(LSCHED_NO_PACK "Leave out packing (pack.h) and the actions ts-dpbp, backfill and speed-up" OFF)
option(LSCHED_NO_VERIFY "Cycles cannot verify their plans; lsched_verify and loads still can" OFF)
if(LSCHED_NO_YAML OR LSCHED_NO_LUA OR LSCHED_NO_PACK OR LSCHED_NO_VERIFY)
    foreach(part IN ITEMS TESTS CLI BENCH FUZZ EXAMPLES BINDINGS)
        if(LSCHED_BUILD_${part})
            message(STATUS "LSCHED_BUILD_${part} is off: it needs all parts of the library")
            set(LSCHED_BUILD_${part} OFF)
        endif()
    endforeach()
endif()
# Forecasts are a library of their own, which libsched does not use. They are off where a host embeds
# or packages the library, and on where their tests are built.
option(LSCHED_FORECAST "Build libsched_forecast and `lsched forecast`" ${LSCHED_BUILD_TESTS})
# So are shares of devices by speed.
option(LSCHED_SPEEDS "Build libsched_speeds and `lsched speeds`" ${LSCHED_BUILD_TESTS})
option(LSCHED_WERROR "Treat warnings as errors" OFF)
# "counters" leaves out the tracing of comparisons: tests then cost 3 % more, so that one build serves
# them and a short fuzz. ON finds more in a long one.
set(LSCHED_FUZZER OFF CACHE STRING "Instrument for libFuzzer (needs clang): OFF, ON or counters")
set_property(CACHE LSCHED_FUZZER PROPERTY STRINGS OFF ON counters)
option(LSCHED_CHECK_CACHES "Every cycle of every cluster compares its caches with cold ones (slow)" OFF)
option(LSCHED_CHECK_UNDO "Every call of every cluster looks for writes past the undo log (slow)" OFF)
option(LSCHED_WITH_JEMALLOC "Link the program lsched and the benchmarks with jemalloc" OFF)
option(LSCHED_COVERAGE "Instrument for gcov" OFF)
set(LSCHED_SANITIZE "" CACHE STRING "Sanitizers to build with, for instance address,undefined")

# A sanitizer's runtime refuses RTLD_DEEPBIND, and a static program cannot dlopen.
if(LSCHED_SANITIZE OR LSCHED_FUZZER)
    set(_lsched_luajit_default ON)
else()
    set(_lsched_luajit_default OFF)
endif()
option(LSCHED_LUAJIT_STATIC "Link the Lua of LSCHED_LUA at build time; else it is opened at run time"
       ${_lsched_luajit_default})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES AND PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ${PROJECT_IS_TOP_LEVEL})

# -ffp-contract=off: a fused multiply-add rounds once instead of twice, which would let a compiler
# change a decision.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
# Messages are cut to their fixed size on purpose, and what gcc says about that changes with -O.
add_library(lsched_flags INTERFACE)
target_compile_options(lsched_flags INTERFACE
    -ffp-contract=off
    -Wall -Wextra -Wconversion -Wshadow -Wvla -Wundef -Wpointer-arith
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>
    $<$<BOOL:${LSCHED_WERROR}>:-Werror>)

# Tables for unwinding are a seventh of a small library; nothing in C needs them.
string(TOUPPER "${CMAKE_BUILD_TYPE}" _lsched_type)
if(_lsched_type STREQUAL "MINSIZEREL")
    target_compile_options(lsched_flags INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-fno-asynchronous-unwind-tables -fno-unwind-tables>)
endif()

# What lsched reads comes from strangers, so builds for release carry the guards that compilers and
# linkers offer. Sanitizers bring guards of their own; FORTIFY needs an optimised build.
if(NOT LSCHED_SANITIZE AND NOT LSCHED_FUZZER AND NOT LSCHED_COVERAGE AND
   _lsched_type MATCHES "^(RELEASE|RELWITHDEBINFO|MINSIZEREL)$")
    set(LSCHED_HARDENED ON)
    target_compile_options(lsched_flags INTERFACE -fstack-protector-strong
        -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
        -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/)
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        target_link_options(lsched_flags INTERFACE LINKER:-z,relro LINKER:-z,now)
    endif()
endif()

if(LSCHED_FUZZER)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "LSCHED_FUZZER needs clang: --preset fuzz or -DCMAKE_C_COMPILER=clang")
    endif()
    if(LSCHED_FUZZER STREQUAL "counters")
        add_compile_options(-fsanitize-coverage=inline-8bit-counters,pc-table)
    else()
        add_compile_options(-fsanitize=fuzzer-no-link)
    endif()
endif()
if(LSCHED_SANITIZE)
    add_compile_options(-fsanitize=${LSCHED_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LSCHED_SANITIZE})
endif()
if(LSCHED_COVERAGE)
    add_compile_options(--coverage -O0)
    add_link_options(--coverage)
endif()
