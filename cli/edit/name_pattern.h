/*
 * name_pattern.h -- all names for which a name with ranges in brackets stands, in the order in
 * which the library counts them: "r[0-1]n[0-2]" is r0n0, r0n1, r0n2, r1n0 ...
 *
 * The library has read the pattern without an error. Why a second reader: an interface for the
 * names of a pattern would be for this program alone. Cost: O(bytes of all names).
 */
#ifndef LSCHED_CLI_NAME_PATTERN_H
#define LSCHED_CLI_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { NAME_PATTERN_MAX = 500000 };

struct pattern_names {
    char **items; /* owned, as each of the names */
    size_t n, capacity;
};

/* Reads the names. False if the pattern is no pattern, or has more than NAME_PATTERN_MAX names.
 * The caller calls pattern_names_free() in any case. */
bool pattern_names_read(const char *pattern, struct pattern_names *out);
/* Adds "name-0" to "name-(count-1)": what `count` means. */
bool pattern_names_count(const char *name, const char *count, struct pattern_names *out);
void pattern_names_free(struct pattern_names *names);

#endif
