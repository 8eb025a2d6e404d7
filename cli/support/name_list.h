/*
 * name_list.h -- writes many names in a short form: "h100-[0-31], h100-40, spare",
 * "notebook-[a-f]".
 */
#ifndef LSCHED_CLI_NAME_LIST_H
#define LSCHED_CLI_NAME_LIST_H

#include <libsched/libsched.h>

/* Sorts the names by the numbers in them (n2 before n10), drops duplicates, and joins consecutive
 * numbers into ranges. The text has at most pieces_max ranges or names, then "and N more". The
 * text is NUL-terminated, and the caller owns it. */
char *name_list(lsched_text *names, size_t n, size_t pieces_max);

/* Compares names; numbers at their ends are compared as numbers. */
int name_compare(const lsched_text *a, const lsched_text *b);

/* Returns the length in bytes of a name without the counter at its end. A counter is a number, or a
 * single letter after one of "-_.". Returns the whole length if the name has no counter. */
size_t name_prefix(const lsched_text *name);

#endif
