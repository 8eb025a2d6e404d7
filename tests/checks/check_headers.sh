#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, with all warnings as errors: an embedder
# includes it first, last, or from C++, with flags of their own.
#
# usage: check_headers.sh INCLUDE_DIR C_COMPILER [CXX_COMPILER]
set -u
include=$1 cc=$2 cxx=${3:-}
warnings='-Wall -Wextra -pedantic -Wconversion -Wshadow -Wundef -Werror'
status=0
headers=0
for header in "$include"/libsched/*.h; do
    [ -f "$header" ] || continue
    name=libsched/$(basename "$header")
    headers=$((headers + 1))
    text="#include <$name>
#include <$name>
int main(void) { return 0; }"
    printf '%s\n' "$text" | $cc -std=c11 $warnings -Wstrict-prototypes -I "$include" -x c \
        -fsyntax-only - || { echo "$name: not C11 on its own"; status=1; }
    [ -z "$cxx" ] || printf '%s\n' "$text" | $cxx -std=c++17 $warnings -I "$include" -x c++ \
        -fsyntax-only - || { echo "$name: not C++17 on its own"; status=1; }
done
echo "$headers headers"
[ "$headers" -gt 0 ] || status=1
exit $status
