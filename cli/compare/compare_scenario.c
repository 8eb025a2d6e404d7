/*
 * compare_scenario.c -- compares two policies on a scenario.
 *
 * A scenario says at which times its jobs start and end, therefore it fits the decisions of one
 * policy. In the first run the decisions of A are carried out, and B plans every cycle on a clone.
 * In the second run the decisions of B are carried out. The second run ends early if a step is
 * impossible under B, for example if a job is to end that B has not started. The measures of both
 * runs are the waits until the first start, the evictions, and the resources that tasks hold
 * between cycles.
 */
#include "cli/compare/compare_scenario.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/number_text.h"
#include "cli/replay/job_metrics.h"
#include "cli/plan/scenario_session.h"
#include "cli/plan/plan_words.h"

/* data about a job of the scenario in both runs; the array has the job at the index of its name */
struct seen_job {
    bool seen[SIDES];
    int64_t submit_us;
    /* time of the first start; LSCHED_NEVER_US if the job has not started */
    int64_t start_us[SIDES];
    uint32_t tasks, evictions[SIDES];
    uint32_t queue; /* index of the queue's name */
};

struct scenario_side {
    uint64_t decisions, evictions, moves;
    int64_t last_us;
    /* sums over the time since the first cycle, in milli-GPUs or milli-CPUs x microseconds */
    double held, capacity;
    double held_now, capacity_now;
};

struct scenario_input {
    struct comparison *of;
    struct seen_job *jobs; /* owned by this struct */
    size_t n_jobs;
    struct name_table queues;
    struct scenario_side sides[SIDES];
    struct plan_watch watch; /* watch of the side that is running: the log, or the shadow */
    struct plan_watch log;
    lsched_error failure; /* error of watch.before */
    bool gpus;            /* true if held GPUs are measured; false if held CPU cores are measured */
};

/* ---- what each cycle records ---- */

static struct seen_job *job_of(struct scenario_input *in, const lsched_cluster *cluster,
                               lsched_id id) {
    uint32_t number = name_table_add(&in->of->names.jobs, name_of(cluster, id));
    if (number >= in->n_jobs) {
        size_t n = 2 * (size_t)number + 64;
        in->jobs = must_resize(in->jobs, n * sizeof in->jobs[0]);
        for (size_t i = in->n_jobs; i < n; i++)
            in->jobs[i] = (struct seen_job){.start_us = {LSCHED_NEVER_US, LSCHED_NEVER_US}};
        in->n_jobs = n;
    }
    return &in->jobs[number];
}

static void see_jobs(struct scenario_input *in, const lsched_cluster *cluster) {
    uint64_t cursor = 0;
    size_t side = in->of->side_now;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_job_info info = {.size = sizeof info};
        struct seen_job *job = job_of(in, cluster, id);
        if (job->seen[side] || lsched_job_get(cluster, id, &info, NULL) != LSCHED_OK) continue;
        job->seen[side] = true;
        job->submit_us = info.submit_us;
        job->tasks = info.tasks_wanted;
        job->queue = name_table_add(&in->queues, name_of(cluster, info.queue));
        /* a job that already runs when it is first seen counts as started at its submission */
        if (info.tasks_running > 0) job->start_us[side] = info.submit_us;
    }
}

static void see_plan(struct scenario_input *in, const lsched_scenario_cycle *cycle) {
    size_t side = in->of->side_now;
    struct scenario_side *numbers = &in->sides[side];
    for (size_t i = 0; i < lsched_plan_size(cycle->plan); i++) {
        const lsched_decision *decision = lsched_plan_at(cycle->plan, i);
        struct seen_job *job = job_of(in, cycle->cluster, decision->job);
        if (decision->kind == LSCHED_DECIDE_PLACE && job->start_us[side] == LSCHED_NEVER_US)
            job->start_us[side] = cycle->now_us;
        if (decision->kind == LSCHED_DECIDE_EVICT) {
            numbers->evictions++;
            job->evictions[side]++;
        }
        numbers->moves += decision->kind == LSCHED_DECIDE_MIGRATE;
    }
}

/* Adds the resources that tasks hold on all nodes. The amounts after a cycle are counted for the
 * whole time until the next cycle. */
static void see_use(struct scenario_input *in, const lsched_scenario_cycle *cycle) {
    struct scenario_side *side = &in->sides[in->of->side_now];
    double passed =
        in->of->cycles[in->of->side_now] > 1 ? (double)(cycle->now_us - side->last_us) : 0;
    uint64_t cursor = 0;
    side->held += passed * side->held_now;
    side->capacity += passed * side->capacity_now;
    side->held_now = side->capacity_now = 0;
    side->last_us = cycle->now_us;
    for (lsched_id id; (id = lsched_next(cycle->cluster, LSCHED_KIND_NODE, &cursor)) != 0;) {
        lsched_node_info info = {.size = sizeof info};
        if (lsched_node_get(cycle->cluster, id, &info, NULL) != LSCHED_OK) continue;
        int64_t all = in->gpus ? info.gpu_milli : info.cpu_milli;
        int64_t unused = in->gpus ? info.gpu_free_milli : info.cpu_free_milli;
        side->held_now += (double)(all - unused);
        side->capacity_now += (double)all;
    }
}

static int32_t before_cycle(void *user, const lsched_cluster *cluster,
                            const lsched_schedule_opts *opts) {
    struct scenario_input *in = user;
    if (in->of->cycles[SIDE_A] == 0) in->gpus = cluster_has_gpus(cluster);
    see_jobs(in, cluster);
    if (in->watch.before == NULL) return 0;
    return in->watch.before(in->watch.user, cluster, opts, &in->failure) < 0;
}

static int32_t on_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct scenario_input *in = user;
    in->log.after(in->log.user, cycle->cluster, cycle->plan);
    if (in->watch.after != NULL) in->watch.after(in->watch.user, cycle->cluster, cycle->plan);
    see_plan(in, cycle);
    see_use(in, cycle);
    return 0;
}

/* ---- playing ---- */

static int play(struct scenario_input *in, size_t side, struct session *session) {
    struct comparison *of = in->of;
    lsched_error err = LSCHED_ERROR_INIT;
    of->side_now = side;
    in->log = comparison_watch(of, side);
    int32_t rc = session_play(session, before_cycle, on_cycle, in, &err);
    if (rc >= 0) return EXIT_OK;
    if (in->failure.code < 0)
        return policy_source_error(&of->policies[SIDE_B], of->file.name, &in->failure);
    if (of->cycles[side] == 0) return library_error(of->file.name, &err);
    of->ended_early[side] = must_copy(err.message, strlen(err.message));
    return EXIT_OK;
}

static int play_side(struct scenario_input *in, size_t side) {
    struct session session;
    struct comparison *of = in->of;
    int rc = session_open_text(&of->file, &of->policies[side], &session);
    in->watch = (struct plan_watch){0};
    if (side == SIDE_A) in->watch = shadow_watch(&of->shadow);
    if (rc == EXIT_OK) rc = play(in, side, &session);
    if (in->watch.end != NULL) in->watch.end(in->watch.user);
    session_close(&session);
    return rc;
}

/* ---- results ---- */

static double waited_s(const struct seen_job *job, size_t side) {
    return (double)(job->start_us[side] - job->submit_us) * 1e-6;
}

static struct metric_summary waits_of(const struct scenario_input *in, size_t side,
                                      uint64_t *unstarted) {
    struct metric_samples waits = {must_alloc(in->n_jobs * sizeof(double)), 0};
    *unstarted = 0;
    for (size_t i = 0; i < in->n_jobs; i++) {
        const struct seen_job *job = &in->jobs[i];
        if (!job->seen[side]) continue;
        if (job->start_us[side] == LSCHED_NEVER_US) {
            ++*unstarted;
        } else {
            waits.seconds[waits.n++] = waited_s(job, side);
        }
    }
    struct metric_summary summary = metric_summarize(&waits);
    free(waits.seconds);
    return summary;
}

static void measure_sides(struct scenario_input *in) {
    struct comparison *of = in->of;
    const struct scenario_side *a = &in->sides[SIDE_A], *b = &in->sides[SIDE_B];
    uint64_t unstarted[SIDES];
    struct metric_summary x = waits_of(in, SIDE_A, &unstarted[SIDE_A]);
    struct metric_summary y = waits_of(in, SIDE_B, &unstarted[SIDE_B]);
    comparison_measure(of, "wait_mean_s", "wait, mean", MEASURE_SECONDS, x.mean, y.mean);
    comparison_measure(of, "wait_median_s", "wait, median", MEASURE_SECONDS, x.p50, y.p50);
    comparison_measure(of, "wait_max_s", "wait, longest", MEASURE_SECONDS, x.max, y.max);
    if (a->capacity > 0 && b->capacity > 0)
        comparison_measure(of, "utilization_percent", in->gpus ? "GPUs in use" : "cores in use",
                           MEASURE_PERCENT, 100 * a->held / a->capacity,
                           100 * b->held / b->capacity);
    comparison_measure(of, "unstarted", "jobs that never started", MEASURE_COUNT,
                       (double)unstarted[SIDE_A], (double)unstarted[SIDE_B]);
    comparison_measure(of, "tasks_evicted", "tasks evicted", MEASURE_COUNT, (double)a->evictions,
                       (double)b->evictions);
    comparison_measure(of, "tasks_moved", "tasks moved", MEASURE_COUNT, (double)a->moves,
                       (double)b->moves);
}

static void compare_waits(struct scenario_input *in) {
    struct comparison *of = in->of;
    for (size_t i = 0; i < in->n_jobs && i < of->names.jobs.n; i++) {
        const struct seen_job *job = &in->jobs[i];
        struct compared_job out = {0};
        if (!job->seen[SIDE_A] || !job->seen[SIDE_B]) continue;
        of->jobs_compared++;
        if (job->start_us[SIDE_A] == job->start_us[SIDE_B]) continue;
        of->jobs_differ++;
        for (size_t side = 0; side < SIDES; side++) {
            bool never = job->start_us[side] == LSCHED_NEVER_US;
            out.wait_us[side] = never ? LSCHED_NEVER_US : job->start_us[side] - job->submit_us;
            out.evictions[side] = job->evictions[side];
        }
        out.weight = fabs((double)out.wait_us[SIDE_A] - (double)out.wait_us[SIDE_B]);
        lsched_text queue = in->queues.names[job->queue];
        out.name = comparison_job_name(of, (uint32_t)i);
        out.queue = must_copy(queue.ptr, (size_t)queue.len);
        snprintf(out.size, sizeof out.size, "%" PRIu32, job->tasks);
        comparison_keep(of, &out);
    }
}

int compare_scenario(struct comparison *of) {
    struct scenario_input in = {.of = of, .failure = LSCHED_ERROR_INIT};
    of->unit = "task";
    of->shadowed = true;
    shadow_begin(&of->shadow, &of->policies[SIDE_B], &of->names, (size_t)of->args->show);
    int rc = play_side(&in, SIDE_A);
    if (rc == EXIT_OK && !of->args->shadow) rc = play_side(&in, SIDE_B);
    if (rc == EXIT_OK && !of->args->shadow) {
        measure_sides(&in);
        compare_waits(&in);
        comparison_logs(of);
    }
    if (rc == EXIT_OK)
        snprintf(of->heading[0], sizeof of->heading[0], "%s: %" PRIu64 " cycle%s, %zu job%s",
                 of->file.name, of->cycles[SIDE_A], plural(of->cycles[SIDE_A]), of->names.jobs.n,
                 plural(of->names.jobs.n));
    name_table_free(&in.queues);
    free(in.jobs);
    return rc;
}
