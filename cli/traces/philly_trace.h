/*
 * philly_trace.h -- reads the job list of Microsoft's Philly clusters (Jeon et al., USENIX ATC'19)
 * and the number of nodes of each of its virtual clusters (VCs).
 *
 *   jobs: timestamp (submission, "2017-10-09 07:01:55"), duration (running time in seconds, up to
 *         six decimals), num_gpus, cluster (name of the VC); in any order
 *   VCs:  vc, node num
 *
 * Other columns are not read. A VC becomes a queue of the list, and a GPU a unit.
 */
#ifndef LSCHED_CLI_PHILLY_TRACE_H
#define LSCHED_CLI_PHILLY_TRACE_H

#include "cli/traces/job_list.h"

/* The VCs are read first (or not at all), then the jobs, into the same zeroed list. Return 0 or a
 * negative code with err filled (line, column, message). At least one job is required, and at
 * least one node in the list of VCs. A VC without a row has no nodes. */
int32_t philly_vcs_read(const char *text, size_t len, struct job_list *out, lsched_error *err);
int32_t philly_jobs_read(const char *text, size_t len, struct job_list *out, lsched_error *err);

#endif
