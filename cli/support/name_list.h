/*
 * name_list.h -- writes many names in a short form, such as "h100-[0-31], h100-40, spare" or
 * "notebook-[a-f]".
 */
#ifndef LSCHED_CLI_NAME_LIST_H
#define LSCHED_CLI_NAME_LIST_H

#include <libsched/libsched.h>

/* Returns a NUL-terminated text with all names; the caller frees it. Sorts the names so that n2 is
 * before n10, removes duplicates, and joins names with consecutive numbers to ranges. If there are
 * more than pieces_max ranges and single names, the text ends with "and N more". */
char *name_list(lsched_text *names, size_t n, size_t pieces_max);

/* Returns a value below, equal to or above 0, as memcmp does. The numbers at their ends are
 * compared by value, so that n2 is before n10. */
int name_compare(const lsched_text *a, const lsched_text *b);

/* Returns the length in bytes of a name without the counter at its end. A counter is a number, or a
 * single letter after one of "-_.". Returns the whole length if the name has no counter. */
size_t name_prefix(const lsched_text *name);

#endif
