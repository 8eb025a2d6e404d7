/*
 * sacct_log.h -- reads an accounting dump, made by `sacct -P` or `sacct --json`, as a list of jobs.
 *
 * The text form begins with a line of names of columns, with '|' between them. The reader uses
 * JobID, Submit, Eligible, Start, Elapsed or ElapsedRaw (otherwise End), Timelimit or TimelimitRaw,
 * AllocTRES (otherwise AllocCPUS or NCPUS, and AllocNodes or NNodes), Account, User and Partition.
 * Steps, whose numbers have a dot, are left out. A job arrives when it was eligible: holds,
 * dependencies and begin times are no wait of the scheduler. Jobs that never started, and jobs that
 * still run, are counted and left out.
 */
#ifndef LSCHED_CLI_SACCT_LOG_H
#define LSCHED_CLI_SACCT_LOG_H

#include "cli/support/name_table.h"
#include "cli/traces/job_list.h"

/* What a unit of a job is. */
enum sacct_unit { SACCT_CPUS, SACCT_NODES, SACCT_GPUS };
/* The column that becomes the queue of a job. */
enum sacct_queues { SACCT_BY_ACCOUNT, SACCT_BY_USER, SACCT_BY_PARTITION, SACCT_ONE };

struct sacct_log {
    struct job_list list;
    struct name_table queue_names, user_names;
    uint64_t never_ran, /* jobs that never started */
        still_runs,     /* jobs that run, whose run time is not known */
        without_units;  /* jobs without a unit of the kind */
};

/* Reads a dump; the function changes the text. Returns 0 or a negative error code with the line in
 * *err; a dump without a job that ran is an error. The caller calls sacct_free() in any case. */
int32_t sacct_read(char *text, size_t len, enum sacct_unit unit, enum sacct_queues queues,
                   struct sacct_log *out, lsched_error *err);
void sacct_free(struct sacct_log *log);

#endif
