/*
 * slurm_values.h -- reads the values that Slurm writes: amounts with a unit, times, durations, and
 * lists of trackable resources (TRES).
 */
#ifndef LSCHED_CLI_SLURM_VALUES_H
#define LSCHED_CLI_SLURM_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLURM_UNLIMITED   INT64_MAX
#define SLURM_AMOUNT_MAX  ((int64_t)1 << 60)
#define SLURM_SECONDS_MAX ((int64_t)253402300799) /* end of the year 9999 */

/* Reads a whole number that fills the text. Returns false if it is none, or too large. */
bool slurm_number(const char *text, int64_t *out);
/* Reads an amount of memory in MiB: "4000M", "16G", "0.5T", "4000" (MiB), "1024K" (rounded up). */
bool slurm_mebibytes(const char *text, int64_t *out);
/* Reads a count that may end with K, M, G or T (1024s). */
bool slurm_count(const char *text, size_t len, int64_t *out);
/* Reads a duration in seconds: "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours",
 * "days-hours:minutes" and "days-hours:minutes:seconds". "UNLIMITED" and "INFINITE" are
 * SLURM_UNLIMITED. */
bool slurm_duration(const char *text, int64_t *seconds);
/* Reads a time such as "2026-11-28T21:17:09", which counts as UTC, or seconds since 1970. */
bool slurm_time(const char *text, int64_t *seconds);

struct slurm_part {
    const char *text;
    size_t len;
};

bool slurm_part_is(struct slurm_part part, const char *word);
/* Returns the sum of the counts of a gres in a list; NULL has none. */
int64_t slurm_gres_count(const char *list, const char *gres);

/* Reads the next element of a list such as "cpu=16,mem=1600M,gres/gpu=2" or "gres:gpu:a100:4",
 * and moves *at behind it. The prefix "gres:" or "gres/" is removed, and so is a remark such as
 * "(S:0-1)". A count that is missing is 1; "1600M" is a count of 1600 * 1024 * 1024. Returns 1,
 * 0 at the end of the list, and -1 if the element cannot be read; then *name has the whole
 * element. */
int slurm_next_tres(const char **at, struct slurm_part *name, struct slurm_part *type,
                    int64_t *count);

#endif
