/*
 * tar_entries.h -- finds the plain files inside a tar archive in memory, because sets of packing
 * instances are distributed as archives.
 *
 * The format is that of POSIX (ustar). The extensions of GNU and pax for long names are not read,
 * because names are used only in messages.
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
/* Finds the next plain file; *at is 0 at first. Returns 1, 0 after the last file, or -1 if the
 * archive is damaged. */
int tar_next(const char *text, size_t len, size_t *at, struct tar_entry *out);

#endif
