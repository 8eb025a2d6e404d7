/*
 * job_list.h -- lists of jobs with submit time, run time and size, for the replay in
 * job_simulation.h. philly_trace.h reads them from the job list of Philly, and swf_trace.h reads
 * them from logs of batch systems.
 *
 * The size of a job is counted in units; a unit is a GPU or a processor. Jobs are sorted by submit
 * time and then by row. Therefore the order of the indexes is first come, first served. Queues are
 * sorted by name. Names point into the text of the input file or into a table of the reader. Both
 * must live as long as the list.
 */
#ifndef LSCHED_CLI_JOB_LIST_H
#define LSCHED_CLI_JOB_LIST_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { JOB_QUEUES_MAX = 4096, JOB_UNITS_MAX = 1048576, JOB_DAYS_MAX = 100000 };
#define JOB_DAY_US ((int64_t)86400000000)

struct listed_job {
    int64_t submit_us, duration_us;
    int64_t estimate_us; /* run time that the job's owner estimated; 0 if there is no estimate */
    uint64_t number;     /* number that the trace gives the job */
    uint32_t units;
    uint32_t queue, user; /* indexes in job_list.queues and job_list.users */
    uint32_t row;         /* index of the job's row in the trace */
};

struct listed_queue {
    lsched_text name;
    int64_t nodes; /* number of nodes that belong to the queue; 0 if it is not known */
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
/* Returns the index of the queue with this name, or list->n_queues if no queue has this name. */
size_t job_list_find_queue(const struct job_list *list, lsched_text name);
/* Adds a queue and returns its index. Before the call, the caller has checked that list->n_queues <
 * JOB_QUEUES_MAX. */
size_t job_list_add_queue(struct job_list *list, lsched_text name, int64_t nodes);
size_t job_list_add_user(struct job_list *list, lsched_text name);
/* Sorts the jobs and the queues. The reader must call this function after it has added the last
 * job. */
void job_list_sort(struct job_list *list);
/* Removes all jobs except those with from_us <= submit time < to_us. If `most` is not 0, only the
 * first `most` of these jobs stay in the list. */
void job_list_cut(struct job_list *list, int64_t from_us, int64_t to_us, size_t most);
/* Reads the value of the option --window-days, such as "14:70", and writes both days. If `word` is
 * NULL, the days do not change. Returns an exit code. */
int job_list_days(const char *command, const char *word, int64_t days[2]);
void job_list_free(struct job_list *list);

#endif
