/*
 * philly_trace.h -- reads the job list of Microsoft's Philly clusters (Jeon et al., USENIX ATC'19),
 * and a second file with the number of nodes of each virtual cluster (VC).
 *
 *   jobs: timestamp (submission, "2017-10-09 07:01:55"), duration (run time in seconds, up to six
 *         decimals), num_gpus, cluster (name of the VC). The rows can be in any order
 *   VCs:  vc, node num
 *
 * Other columns are ignored. Each VC becomes a queue of the list, and a unit is a GPU.
 */
#ifndef LSCHED_CLI_PHILLY_TRACE_H
#define LSCHED_CLI_PHILLY_TRACE_H

#include "cli/input/input_file.h"
#include "cli/traces/job_list.h"

/* Reads the jobs and adds them to *out. If the caller wants the nodes of VCs, it must call
 * philly_vcs_open() with the same list before. Returns 0 or a negative error code; after an error,
 * *err has the line, the column and a message. A job list without a job is an error. A VC that the
 * file of VCs does not list has 0 nodes. */
int32_t philly_jobs_read(const char *text, size_t len, struct job_list *out, lsched_error *err);

/* Reads the VCs and adds them to *out. The VCs are in the file `given`. If `given` is NULL, they
 * are in philly_vc.csv in the directory of the job list. The names of the queues point into `file`.
 * The job list is given, because a file that is no such list is the error to report, and not that
 * the second file is missing. If an error occurs, reports it and returns its exit code; otherwise
 * returns EXIT_OK. A file in which no VC has a node is an error. */
int philly_vcs_open(const char *given, const struct input_file *jobs, const char *jobs_path,
                    struct input_file *file, struct job_list *out);

#endif
