#!/bin/sh
# The library without its optional parts (scenarios, Lua, packing, verifier in cycles): it builds
# without the packages that the parts need, a host of `allocate` and `reclaim` makes the plans that it
# makes with the whole library, and the stripped program is smaller than SIZE_MAX bytes. The linker
# packs relative relocations, which are 24 bytes each for the pointers of constant tables otherwise, and
# leaves out the padding that would separate code from constants.
#
# usage: check_parts.sh SOURCE_DIR BUILD_DIR SCRATCH_DIR C_COMPILER
set -eu
source=$1 build=$2 scratch=$3 cc=$4
SIZE_MAX=700000
rm -rf "$scratch"
mkdir -p "$scratch"

run() {
    "$@" >"$scratch/log" 2>&1 || {
        status=$?
        echo "+ $*"
        cat "$scratch/log"
        exit $status
    }
}

# No package is found: what the core needs beside the C library is xxhash.h alone.
mkdir "$scratch/pc"
cp "$(pkg-config --variable=pcfiledir libxxhash)/libxxhash.pc" "$scratch/pc"
run env PKG_CONFIG_LIBDIR="$scratch/pc" cmake -S "$source" -B "$scratch/core" \
    -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_C_COMPILER="$cc" -DLSCHED_NO_YAML=ON -DLSCHED_NO_LUA=ON \
    -DLSCHED_NO_PACK=ON -DLSCHED_NO_VERIFY=ON
run cmake --build "$scratch/core" -j 2 --target libsched_static libsched
include=$source/libsched/include host=$source/tests/consumer/small_host.c
run "$cc" -std=c11 -Os -Wall -Werror -I "$include" -o "$scratch/small" "$host" \
    "$scratch/core/libsched.a" -Wl,--gc-sections -Wl,-z,pack-relative-relocs -Wl,-z,noseparate-code -s
run "$cc" -std=c11 -Wall -Werror -I "$include" -o "$scratch/whole" "$host" -L "$build" -lsched \
    -Wl,-rpath,"$build"
small=$("$scratch/small")
whole=$("$scratch/whole")
bytes=$(wc -c <"$scratch/small")
echo "plans $small with the core alone, $whole with the whole library"
echo "a host of allocate and reclaim: $bytes bytes, at most $SIZE_MAX"
[ "$small" = "$whole" ] && [ "$bytes" -le "$SIZE_MAX" ]
