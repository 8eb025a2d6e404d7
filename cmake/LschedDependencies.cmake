# What must be on the machine. Names of Debian packages are given because a bare "yaml-0.1 not
# found" helps nobody; scripts/install-deps installs the same list.
include_guard(GLOBAL)
find_package(PkgConfig REQUIRED)

# lsched_require(PREFIX pkg-config-module debian-package purpose) -> target PkgConfig::PREFIX
function(lsched_require prefix module package purpose)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(NOT ${prefix}_FOUND)
        message(FATAL_ERROR "${module} not found: ${purpose}\n"
                            "On Debian and Ubuntu: apt-get install ${package} (or scripts/install-deps)")
    endif()
endfunction()

if(NOT LSCHED_NO_YAML)
    lsched_require(LSCHED_YAML yaml-0.1 libyaml-dev
                   "libsched reads scenarios with libyaml (or -DLSCHED_NO_YAML=ON)")
endif()
lsched_require(LSCHED_XXHASH libxxhash libxxhash-dev "libsched compiles xxhash.h into itself")
if(NOT LSCHED_NO_LUA)
    if(LSCHED_LUA STREQUAL "puc51")
        lsched_require(LSCHED_LUAJIT lua5.1 liblua5.1-0-dev
                       "libsched runs policies in PUC Lua 5.1 (or -DLSCHED_LUA=none)")
    else()
        lsched_require(LSCHED_LUAJIT luajit libluajit-5.1-dev
                       "libsched runs policies in LuaJIT (or -DLSCHED_LUA=puc51, -DLSCHED_LUA=none)")
    endif()
endif()

# jemalloc serves programs, never libsched.so: with static TLS it would make the library impossible
# to dlopen. Sanitizers bring an allocator of their own. Columns are few large blocks that grow;
# glibc enlarges them by moving pages, while jemalloc copies them to new pages. Therefore jemalloc
# is linked only if it is asked for; the test of its adapter is built wherever it is found.
add_library(lsched_jemalloc INTERFACE)
if(NOT LSCHED_SANITIZE AND NOT LSCHED_FUZZER)
    if(LSCHED_WITH_JEMALLOC)
        lsched_require(LSCHED_JEMALLOC jemalloc libjemalloc-dev
                       "LSCHED_WITH_JEMALLOC links the program lsched and the benchmarks with it")
        target_link_libraries(lsched_jemalloc INTERFACE PkgConfig::LSCHED_JEMALLOC)
        target_compile_definitions(lsched_jemalloc INTERFACE LSCHED_WITH_JEMALLOC=1)
    elseif(LSCHED_BUILD_TESTS)
        pkg_check_modules(LSCHED_JEMALLOC QUIET IMPORTED_TARGET GLOBAL jemalloc)
    endif()
endif()

# For `lsched node` alone; the library knows nothing of it.
add_library(lsched_hwloc INTERFACE)
if(LSCHED_BUILD_CLI)
    lsched_require(LSCHED_HWLOC hwloc libhwloc-dev
                   "the program lsched reads descriptions of machines with libhwloc")
    target_link_libraries(lsched_hwloc INTERFACE PkgConfig::LSCHED_HWLOC)
endif()

# lsched_unpacker(NAME MODULE ENDING PACKAGE): a library that is optional, and for the program alone.
# Without it, the program refuses inputs that are compressed in this format.
function(lsched_unpacker name module ending package)
    string(TOLOWER "lsched_${name}" target)
    add_library(${target} INTERFACE)
    if(NOT LSCHED_BUILD_CLI)
        return()
    endif()
    pkg_check_modules(LSCHED_${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(LSCHED_${name}_FOUND)
        target_link_libraries(${target} INTERFACE PkgConfig::LSCHED_${name})
        target_compile_definitions(${target} INTERFACE LSCHED_WITH_${name}=1)
    else()
        message(STATUS "No ${module}: lsched does not read ${ending} (on Debian and Ubuntu: ${package})")
    endif()
endfunction()
lsched_unpacker(LZMA liblzma .xz liblzma-dev)
lsched_unpacker(ZLIB zlib .gz zlib1g-dev)

if(LSCHED_BUILD_TESTS)
    lsched_require(LSCHED_CMOCKA cmocka libcmocka-dev
                   "the unit tests use cmocka (or -DLSCHED_BUILD_TESTS=OFF)")
    find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
    pkg_check_modules(LSCHED_PUC_LUA QUIET IMPORTED_TARGET GLOBAL lua5.1)
endif()

if(LSCHED_BUILD_TESTS OR LSCHED_BUILD_BINDINGS)
    include(CheckLanguage)
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
    else()
        message(STATUS "No C++ compiler: the C++ binding and the C++17 header check are left out")
    endif()
endif()
