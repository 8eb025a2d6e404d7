/*
 * tar_entries.h -- the plain files inside a tar archive in memory: sets of instances come as one.
 *
 * The format of POSIX (ustar), with the long names of GNU and pax left to those who have none: a
 * name serves messages only.
 */
#ifndef LSCHED_CLI_TAR_ENTRIES_H
#define LSCHED_CLI_TAR_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

enum { TAR_NAME_BYTES = 257 };

struct tar_entry {
    char name[TAR_NAME_BYTES];
    const char *text; /* into the archive */
    size_t len;
};

bool tar_is(const char *text, size_t len);
/* *at: 0 first. 1, 0 after the last, -1: the archive is damaged. */
int tar_next(const char *text, size_t len, size_t *at, struct tar_entry *out);

#endif
