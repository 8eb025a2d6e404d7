/*
 * host_list.h -- expands the notation of Slurm for many hosts: "n[001-200,300],login".
 *
 * Several brackets in one name stand for all combinations, and the last bracket changes fastest. A
 * number keeps the digits of the lower bound: "n[08-10]" is n08, n09, n10.
 */
#ifndef LSCHED_CLI_HOST_LIST_H
#define LSCHED_CLI_HOST_LIST_H

#include <stddef.h>
#include <stdint.h>

enum {
    HOST_LIST_MAX = 200000, /* most hosts of one list */
    HOST_NAME_MAX_BYTES = 255,
    HOST_BRACKETS_MAX = 4 /* most brackets in one name */
};

/* Calls `host` with each name of the list, in the order of the list. Returns NULL; or, if the text
 * is wrong, a message that says what was expected; hosts before the error may have been called. The
 * message is a constant. If `host` returns other than 0, the expansion ends. */
const char *host_list_expand(const char *text, int (*host)(void *user, const char *name),
                             void *user);

#endif
