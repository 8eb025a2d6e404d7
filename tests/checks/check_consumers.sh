#!/bin/sh
# Hosts outside the tree build and run against libsched by every door: CMake package and pkg-config
# on an install tree, and add_subdirectory; shared and static each; and wholly static.
#
# usage: check_consumers.sh SOURCE_DIR BUILD_DIR SCRATCH_DIR C_COMPILER
set -eu
source=$1 build=$2 scratch=$3 cc=$4
consumer=$source/tests/consumer
rm -rf "$scratch"
mkdir -p "$scratch"
prefix=$scratch/prefix

run() {
    echo "+ $*"
    "$@" >"$scratch/log" 2>&1 || {
        status=$?
        cat "$scratch/log"
        exit $status
    }
}

by_cmake() { # how, further arguments of cmake
    how=$1
    shift
    run cmake -S "$consumer" -B "$scratch/$how" -DHOW="$how" -DCMAKE_C_COMPILER="$cc" "$@"
    run cmake --build "$scratch/$how" -j 2
    run "$scratch/$how/consumer_libsched"
    run "$scratch/$how/consumer_static"
}

run cmake --install "$build" --prefix "$prefix"
by_cmake package -DCMAKE_PREFIX_PATH="$prefix"
by_cmake subdirectory -DLIBSCHED_SOURCE="$source" -DLSCHED_LUAJIT_STATIC=ON

# A program without any shared library; LuaJIT's own use of dlopen draws a warning of the linker.
run $cc -static -o "$scratch/all_static" -I "$source/libsched/include" "$consumer/consumer.c" \
    "$scratch/subdirectory/libsched/libsched.a" $(pkg-config --static --libs yaml-0.1 luajit)
run "$scratch/all_static"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name libsched.pc)")
export PKG_CONFIG_PATH
library=$(dirname "$(find "$prefix" -name libsched.a)")
# The install prefix is not the configured one: the file finds it by where it lies itself.
flags=--print-errors
test -f "$(pkg-config --variable=includedir libsched)/libsched.hpp"
run pkg-config --print-errors --exists libsched
cflags=$(pkg-config "$flags" --cflags libsched)
libs=$(pkg-config "$flags" --libs libsched)
run $cc -o "$scratch/by_pkg_config" "$consumer/consumer.c" $cflags $libs
LD_LIBRARY_PATH=$library run "$scratch/by_pkg_config"
static_libs=$(pkg-config "$flags" --static --libs libsched |
    sed "s|-lsched|$library/libsched.a|")
run $cc -o "$scratch/by_pkg_config_static" "$consumer/consumer.c" $cflags $static_libs
run "$scratch/by_pkg_config_static"
echo "package, subdirectory, pkg-config and wholly static: all link and run"
