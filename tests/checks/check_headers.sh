#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, with all warnings as errors: an embedder
# includes it first, last, or from C++, with flags of their own. So do the initializers of its structs:
# LSCHED_INIT of each struct that begins with its size, and each macro LSCHED_X_INIT.
#
# The headers of libsched_forecast and libsched_speeds, which have folders of their own, are checked with the others.
#
# usage: check_headers.sh INCLUDE_DIR C_COMPILER [CXX_COMPILER]
set -u
include=$1 cc=$2 cxx=${3:-}
warnings='-Wall -Wextra -pedantic -Wconversion -Wshadow -Wundef -Werror'
status=0
headers=0
initializers=0
forecast=$include/../forecast/include
speeds=$include/../speeds/include
for header in "$include"/libsched/*.h "$forecast"/libsched/*.h "$speeds"/libsched/*.h; do
    [ -f "$header" ] || continue
    name=libsched/$(basename "$header")
    headers=$((headers + 1))
    sized=$(sed -n '/^typedef struct/{N;s/^typedef struct \([a-z_]*\) {\n *uint32_t size;.*/\1/p}' "$header")
    macros=$(sed -n 's/^#define \(LSCHED_[A-Z_]*_INIT\) .*/\1/p' "$header" | sort -u)
    body=
    for type in $sized; do
        body="$body { $type one = LSCHED_INIT($type), two[2] = {LSCHED_INIT($type)}; sum += one.size + two[0].size; }"
        initializers=$((initializers + 1))
    done
    for macro in $macros; do
        type=$(echo "${macro%_INIT}" | tr A-Z a-z)
        body="$body { $type one = $macro; sum += one.size; }"
        initializers=$((initializers + 1))
    done
    types=$name # defaults.h has macros alone
    [ "$name" != libsched/defaults.h ] || types=libsched/libsched.h
    text="#include <$name>
#include <$name>
#include <$types>
int main(void) { unsigned sum = 0; $body return sum == 1; }"
    printf '%s\n' "$text" | $cc -std=c11 $warnings -Wstrict-prototypes -I "$include" -I "$forecast" -I "$speeds" -x c \
        -fsyntax-only - || { echo "$name: not C11 on its own"; status=1; }
    [ -z "$cxx" ] || printf '%s\n' "$text" | $cxx -std=c++17 $warnings -I "$include" -I "$forecast" -I "$speeds" -x c++ \
        -fsyntax-only - || { echo "$name: not C++17 on its own"; status=1; }
done
echo "$headers headers, $initializers initializers"
[ "$headers" -gt 0 ] && [ "$initializers" -gt 50 ] || status=1
exit $status
