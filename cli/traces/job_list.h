/*
 * job_list.h -- lists of jobs with submit time, run time and size. The readers of traces make them
 * for the replay (list_replay.h): Philly's list (philly_trace.h) and logs of batch systems
 * (swf_trace.h).
 *
 * Sizes are counted in units; a unit is a GPU or a processor. Jobs are sorted by (submit time,
 * row) and queues by name, therefore the index of a job is its place in first come, first served
 * order. Names point into the text of a file, which must stay valid, or into a table of the
 * reader.
 */
#ifndef LSCHED_CLI_JOB_LIST_H
#define LSCHED_CLI_JOB_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { JOB_QUEUES_MAX = 4096, JOB_UNITS_MAX = 1048576 };

struct listed_job {
    int64_t submit_us, duration_us;
    int64_t estimate_us; /* run time that the owner estimated; 0: no estimate */
    uint64_t number;     /* the trace's own number of the job */
    uint32_t units;
    uint32_t queue, user; /* indexes of the job's queue and user in the lists below */
    uint32_t row;         /* row of the trace */
};

struct listed_queue {
    lsched_text name;
    int64_t nodes; /* nodes that the queue contributed to the cluster; 0: unknown */
};

struct job_list {
    struct listed_job *jobs; /* owned by this struct */
    size_t n_jobs, capacity;
    struct listed_queue *queues; /* owned by this struct */
    size_t n_queues;
    lsched_text *users; /* owned by this struct */
    size_t n_users, users_capacity;
};

void job_list_add(struct job_list *list, const struct listed_job *job);
/* Returns the index of the queue of that name; n_queues if there is none. */
size_t job_list_find_queue(const struct job_list *list, lsched_text name);
/* Adds a queue and returns its index. The caller checks that n_queues < JOB_QUEUES_MAX. */
size_t job_list_add_queue(struct job_list *list, lsched_text name, int64_t nodes);
size_t job_list_add_user(struct job_list *list, lsched_text name);
/* Sorts the list; called after the last job was added. */
void job_list_sort(struct job_list *list);
/* Keeps the jobs with from_us <= submit time < to_us, and of these only the first `most` (0:
 * all). */
void job_list_cut(struct job_list *list, int64_t from_us, int64_t to_us, size_t most);
void job_list_free(struct job_list *list);

#endif
