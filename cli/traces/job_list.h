/*
 * job_list.h -- jobs with a time of submission, a time to run and a size, as the readers of traces
 * hand them to the replay (list_replay.h): Philly's list (philly_trace.h), logs of batch systems
 * (swf_trace.h).
 *
 * A unit is what sizes are counted in: a GPU, or a processor. Jobs come out sorted by (time of
 * submission, row) and queues by name, so that a job's index is its place in first come, first
 * served. Names point into the text of a file, which must stay, or into a table of the reader.
 */
#ifndef LSCHED_CLI_JOB_LIST_H
#define LSCHED_CLI_JOB_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { JOB_QUEUES_MAX = 4096, JOB_UNITS_MAX = 1048576 };

struct listed_job {
    int64_t submit_us, duration_us;
    int64_t estimate_us; /* what its owner says that it will run; 0: says nothing */
    uint64_t number;     /* that the trace gives it */
    uint32_t units;
    uint32_t queue, user; /* indexes */
    uint32_t row;         /* of the trace, in its order */
};

struct listed_queue {
    lsched_text name;
    int64_t nodes; /* that it brought in; 0: unknown */
};

struct job_list {
    struct listed_job *jobs; /* owned */
    size_t n_jobs, capacity;
    struct listed_queue *queues; /* owned */
    size_t n_queues;
    lsched_text *users; /* owned */
    size_t n_users, users_capacity;
};

void job_list_add(struct job_list *list, const struct listed_job *job);
/* Index of the queue of that name; n_queues if there is none. */
size_t job_list_find_queue(const struct job_list *list, lsched_text name);
/* There must be room: n_queues < JOB_QUEUES_MAX. */
size_t job_list_add_queue(struct job_list *list, lsched_text name, int64_t nodes);
size_t job_list_add_user(struct job_list *list, lsched_text name);
/* Brings all into order, after the last has been added. */
void job_list_sort(struct job_list *list);
/* Keeps jobs submitted in from_us <= t < to_us, and of these the first `most` (0: all). */
void job_list_cut(struct job_list *list, int64_t from_us, int64_t to_us, size_t most);
void job_list_free(struct job_list *list);

#endif
