#!/bin/sh
# The plug-in of examples/plugin builds outside the tree against an install tree, from headers and library
# alone, and its host places by price. usage: check_plugin.sh SOURCE_DIR BUILD_DIR SCRATCH_DIR C_COMPILER
set -eu
source=$1 build=$2 scratch=$3 cc=$4
rm -rf "$scratch"
mkdir -p "$scratch"

run() {
    echo "+ $*"
    "$@" >"$scratch/log" 2>&1 || {
        status=$?
        cat "$scratch/log"
        exit $status
    }
}

run cmake --install "$build" --prefix "$scratch/prefix"
cp -R "$source/examples/plugin" "$scratch/plugin" # nothing above it is in reach
run cmake -S "$scratch/plugin" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="-Wall -Wextra -Wconversion -Wshadow -Werror"
run cmake --build "$scratch/build" -j 2
"$scratch/build/cheapest_host" >"$scratch/printed"
for task in 0 1 2 3; do echo "task $task on cheap"; done >"$scratch/expected"
for task in 4 5 6 7; do echo "task $task on middle"; done >>"$scratch/expected"
for task in 8 9; do echo "task $task on dear"; done >>"$scratch/expected"
diff -u "$scratch/expected" "$scratch/printed"
echo "the plug-in builds against the installed library and places by price"
