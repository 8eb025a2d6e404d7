/*
 * tar_entries.h -- finds the regular files in a tar archive that is in memory. Sets of packing
 * instances are published as such archives.
 *
 * The format is that of POSIX (ustar). The functions ignore the extensions of GNU and pax for long
 * names, because names are used only in messages.
 */
#ifndef LSCHED_CLI_TAR_ENTRIES_H
#define LSCHED_CLI_TAR_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>

enum { TAR_NAME_BYTES = 257 };

struct tar_entry {
    char name[TAR_NAME_BYTES];
    const char *text; /* points into the archive */
    size_t len;
};

bool tar_is(const char *text, size_t len);
/* Finds the next regular file. Before the first call, the caller sets *at to 0. Returns 1, or 0 if
 * there are no more files, or -1 if the archive is damaged. */
int tar_next(const char *text, size_t len, size_t *at, struct tar_entry *out);

#endif
