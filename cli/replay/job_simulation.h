/*
 * job_simulation.h -- a discrete-event simulation that replays a list of jobs in virtual time
 * through the public API.
 *
 * A job arrives at its submit time and ends when it has run for its duration. At each time of an
 * event, the simulation does three steps. First, jobs with no run time left end, and evicted tasks
 * release their units. Then jobs arrive. At last, cycles run until a cycle changes nothing. The
 * simulation carries out every decision. A job makes progress while its minimum of tasks runs. The
 * minimum is all tasks, unless the policy sets a smaller one. A stopped job continues later from
 * its last checkpoint; the work after that checkpoint is lost. The time between checkpoints counts
 * from the start of each run.
 *
 * Unless setup->overtake is true, the jobs of a queue start strictly in the order of the list. For
 * this purpose the simulation submits only the first waiting job of each queue to the cluster, and
 * submits the next job after that job has started. If all waiting jobs were in the cluster, the
 * library could start later jobs before a job that does not fit. The jobs would wait less, and
 * fewer units would be idle, but published results in the literature are for the strict order.
 */
#ifndef LSCHED_CLI_JOB_SIMULATION_H
#define LSCHED_CLI_JOB_SIMULATION_H

#include "cli/replay/job_runs.h"

struct simulation_result {
    struct job_metrics measure;
    struct job_outcome *outcomes; /* owned by this struct; one entry for each job of the list */
    uint64_t cycles, decisions;
    uint64_t plans_hash; /* hash over the plan hashes of all cycles in order */
    /* CPU time of the measured library calls, in nanoseconds */
    int64_t library_ns;
};

/* Replays the list. Returns 0 or a negative error code; fills *err after an error. */
int32_t job_simulation(const struct simulation_setup *setup, struct simulation_result *out,
                       lsched_error *err);
/* Frees the memory of the result. The caller must call this function also after an error. */
void job_simulation_free(struct simulation_result *result);

#endif
