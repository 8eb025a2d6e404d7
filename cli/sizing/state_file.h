/*
 * state_file.h -- a file that each run reads at its beginning and replaces at its end, such as the
 * file of `lsched advise --state`.
 *
 * What always holds: the file has the whole text of one run at each moment, also if a run is
 * killed or the disk is full, because the new text is written to another file beside it, which then
 * takes its name. From the opening on the file is locked, so that no run replaces what another one
 * wrote in the meantime; a second run is refused. Where a symbolic link stands, the file to which
 * the link leads is replaced. A file that was not there is made when it is opened, and is empty
 * until the end of the run; state_file_drop() removes it.
 *
 * Why the lock is on the file itself: a file for the lock alone would stay beside it for ever. The
 * file under a name changes, so whoever got the lock checks that the name still leads to it.
 *
 * Why a second run does not wait: runs by a timer would then pile up behind one that hangs.
 */
#ifndef LSCHED_CLI_STATE_FILE_H
#define LSCHED_CLI_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct state_file {
    const char *path; /* as the caller wrote it; not owned; NULL if the file is not open */
    char *target;     /* owned: the path without links */
    int lock;         /* the open file */
    unsigned mode;    /* who can read and write it */
    bool is_new;      /* this run made the file */
};

/* Opens and locks a file, which then can be read by its path; does nothing if `path` is NULL.
 * Returns an exit code; an error has been reported. The caller calls state_file_drop() in any
 * case. */
int state_file_open(struct state_file *f, const char *path);
/* Replaces the text of the file, if it is open, and closes it. Returns an exit code. */
int state_file_replace(struct state_file *f, const char *text, size_t len);
/* Closes a file that stays as it was; does nothing after state_file_replace(). */
void state_file_drop(struct state_file *f);

#endif
