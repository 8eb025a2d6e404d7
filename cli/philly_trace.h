/*
 * philly_trace.h -- the job list of Microsoft's Philly clusters (Jeon et al., USENIX ATC'19) and
 * the number of nodes of each of its virtual clusters (VCs).
 *
 * jobs: timestamp (submission, "2017-10-09 07:01:55"), duration (running time in seconds, up to six
 *   decimals), num_gpus, cluster (name of the VC); in any order
 * VCs: vc, node num
 * Other columns are not read. Jobs come out sorted by (timestamp, row), VCs by name, so that a
 * job's index is its place in first come, first served.
 */
#ifndef LSCHED_CLI_PHILLY_TRACE_H
#define LSCHED_CLI_PHILLY_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { PHILLY_VCS_MAX = 1024, PHILLY_JOB_GPUS_MAX = 65536 };

struct philly_job {
    int64_t submit_us, duration_us;
    uint32_t gpus;
    uint32_t vc; /* index into the VCs */
    uint32_t row;
};

struct philly_vc {
    lsched_text name; /* into the text of a file, which must stay */
    int64_t nodes;    /* 0: the VC list does not have it */
};

struct philly_list {
    struct philly_job *jobs; /* owned */
    size_t n_jobs;
    struct philly_vc *vcs; /* owned */
    size_t n_vcs;
};

/* Read the VCs first (or not at all), then the jobs, into a zeroed list. Return 0 or a negative
 * code with err filled (line, column, message). At least one job, and one node, are required. */
int32_t philly_vcs_read(const char *text, size_t len, struct philly_list *out, lsched_error *err);
int32_t philly_jobs_read(const char *text, size_t len, struct philly_list *out, lsched_error *err);
void philly_list_free(struct philly_list *list);

#endif
