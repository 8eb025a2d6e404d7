/*
 * job_runs.h -- the state of all jobs in a replay: which jobs wait, run or have been stopped, how
 * much run time each job still needs, and when the next event happens. These functions do not call
 * the library. job_simulation.c calls the library and tells these functions its decisions. A unit
 * is a GPU or a processor.
 *
 * Invariants: `held` is the sum of the units of running and releasing tasks. A job waits if it has
 * arrived, has not ended, and none of its tasks runs. A job makes progress only while the number of
 * its running tasks is at least its minimum. The minimum is all tasks, unless the policy sets a
 * smaller one in job_run.minimum. The speed of the progress is proportional to the units of the
 * running tasks.
 */
#ifndef LSCHED_CLI_JOB_RUNS_H
#define LSCHED_CLI_JOB_RUNS_H

#include "cli/support/event_heap.h"
#include "cli/replay/simulation_cluster.h"
#include "cli/replay/job_metrics.h"

#define NO_JOB UINT32_MAX

/* JOB_HOLDS: the job has running tasks. JOB_DROPPED: the job is left out, see
 * simulation_drops(). */
enum job_phase { JOB_TO_COME, JOB_DROPPED, JOB_WAITS, JOB_HOLDS, JOB_DONE };

/* what happened to a job in the replay; a time is LSCHED_NEVER_US if its event did not happen */
struct job_outcome {
    /* first time at which the job made progress, that is, at which its minimum of tasks ran */
    int64_t start_us;
    int64_t end_us;
    int64_t lost_us; /* run time that the job has lost by evictions and moves */
    uint32_t evictions, moves;
    bool dropped;
};

struct job_run {
    lsched_id id;         /* id of the job in the cluster; 0 if the job is not in the cluster */
    int64_t left_us;      /* run time that the job still needed when its current run began */
    int64_t done_us;      /* run time that the current run had done at the time run_since_us */
    int64_t run_since_us; /* time of the last change of `pace` */
    /* time for which the job was the first of its waiting line although it fitted into its queue's
     * unused quota; set to 0 when the job starts */
    int64_t head_wait_us;
    /* index of the last cycle that stopped a task of the job; if one cycle stops several tasks,
     * this counts as one eviction or move */
    uint64_t stopped_cycle;
    uint32_t running, releasing; /* numbers of running and of releasing tasks */
    /* number of running tasks that the job needs to make progress; 0 if it needs all */
    uint32_t minimum;
    uint32_t running_units;
    uint32_t pace; /* units that make progress: running_units if the minimum runs, otherwise 0 */
    /* counter that changes with `pace`; an EVENT_JOB_ENDS with an older value is not valid any
     * more */
    uint32_t run;
    enum job_phase phase;
    bool started;     /* true if the job has started at least once */
    bool was_partial; /* true if job_runs.partial counts the job */
};

enum job_event { EVENT_JOB_ENDS, EVENT_TASK_GONE }; /* values of heap_record.kind */

struct job_runs {
    const struct simulation_setup *setup;
    struct job_metrics *measure;
    struct job_run *jobs;         /* owned by this struct */
    struct job_outcome *outcomes; /* owned by the caller; one entry for each job of the list */
    /* heap_record.item is the job; detail is job_run.run of EVENT_JOB_ENDS, and the task of
     * EVENT_TASK_GONE */
    struct event_heap events;
    /* owned by this struct; one heap for each waiting line, with all waiting jobs of the line in
     * the order of the list; a heap can also have jobs that do not wait any more */
    struct event_heap *lines;
    int64_t *charged_by_queue; /* owned by this struct; units of running tasks by queue */
    /* owned by this struct; units of running and releasing tasks by queue */
    int64_t *held_by_queue;
    int64_t held; /* units of running and releasing tasks of all jobs */
    int64_t now_us;
    uint64_t waiting, /* number of jobs that wait */
        incomplete,   /* number of jobs that run with fewer tasks than their minimum */
        /* number of jobs that run with at least their minimum, but not with all of their tasks */
        partial, finished; /* number of jobs that have ended */
};

void job_runs_begin(struct job_runs *runs, const struct simulation_setup *setup,
                    struct job_metrics *measure, struct job_outcome *outcomes);
void job_runs_end(struct job_runs *runs);

/* Sets the virtual time to to_us and adds the passed time to the measures. */
void job_runs_pass(struct job_runs *runs, int64_t to_us);
void job_runs_arrive(struct job_runs *runs, uint32_t job);
void job_runs_task_starts(struct job_runs *runs, uint32_t job, uint32_t task);
/* Stops a running task, which then is releasing. If fewer running tasks than the minimum remain,
 * the job loses the work that it did after its last checkpoint. `moves` is true for a move and
 * false for an eviction. `cycle` is the index of the cycle that decided to stop the task. */
void job_runs_task_stops(struct job_runs *runs, uint32_t job, uint32_t task, bool moves,
                         uint64_t cycle);
void job_runs_task_gone(struct job_runs *runs, uint32_t job, uint32_t task);
/* Returns the run time that the job still needs. */
int64_t job_runs_left_us(const struct job_runs *runs, uint32_t job);
void job_runs_job_ends(struct job_runs *runs, uint32_t job);
/* Returns the number of jobs for which a cycle could start tasks: waiting jobs, and jobs that run
 * with some of their tasks. */
static inline uint64_t job_runs_wanting(const struct job_runs *runs) {
    return runs->waiting + runs->incomplete + runs->partial;
}
/* Returns false if the record is an EVENT_JOB_ENDS that is not valid any more, because the pace of
 * the job has changed. */
bool job_runs_holds(const struct job_runs *runs, const struct heap_record *event);
/* Returns the first job of the waiting line with this index, or NO_JOB if no job of the line waits.
 * simulation_line() returns the index of the line of a job. */
uint32_t job_runs_head(struct job_runs *runs, uint32_t line);

#endif
