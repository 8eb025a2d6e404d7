/*
 * name_list.h -- many names in few words: "h100-[0-31], h100-40, spare", "notebook-[a-f]".
 */
#ifndef LSCHED_CLI_NAME_LIST_H
#define LSCHED_CLI_NAME_LIST_H

#include <libsched/libsched.h>

/* Sorts names as people count (n2 before n10), drops doubles, and joins runs of numbers. At most
 * pieces_max pieces, then "and N more". The result is NUL-terminated and owned by the caller. */
char *name_list(lsched_text *names, size_t n, size_t pieces_max);

/* Order of names with the numbers at their ends compared as numbers. */
int name_compare(const lsched_text *a, const lsched_text *b);

/* Bytes before what is counted at the end of a name: the number, or a single letter after one of
 * "-_.". All of the name if nothing is. */
size_t name_prefix(const lsched_text *name);

#endif
