/*
 * progress_rows.h -- what `lsched slowdowns` reads: the progress of jobs alone and beside others.
 *
 * A row has the columns job, kind, beside, rate and seconds: the job, its kind of work, the kinds
 * of the other tasks on its device with '+' between them (empty: none), its progress in a second,
 * and how long that was. Tables of pairs know nothing of three tasks on a device, so rows with
 * several neighbours are counted and left out.
 *
 * What always holds: kinds are in the order of their names, so that the order of the rows has no
 * meaning. A row that cannot be read, and a job with two kinds, is an error with its line.
 */
#ifndef LSCHED_CLI_PROGRESS_ROWS_H
#define LSCHED_CLI_PROGRESS_ROWS_H

#include <libsched/slowdowns.h>

#include "cli/support/name_table.h"

/* A name of a kind has at most as many bytes as the table of a policy allows. */
enum { PROGRESS_KIND_BYTES_MAX = 31 };

struct progress_rows {
    struct name_table jobs, kinds;
    uint32_t *kind_of; /* owned; kind of each job */
    size_t jobs_capacity;
    lsched_forecast_progress *samples; /* owned */
    size_t n, capacity;                /* of samples */
    uint64_t rows, crowded;            /* all rows; rows with several neighbours */
};

/* Adds the rows of a file. Returns 0 or a negative error code; fills *err after an error. */
int32_t progress_rows_read(const char *text, size_t len, struct progress_rows *rows,
                           lsched_error *err);
/* Puts the kinds in the order of their names. Call it once, after the last file. */
void progress_rows_sort_kinds(struct progress_rows *rows);
void progress_rows_free(struct progress_rows *rows);

#endif
