/*
 * job_simulation.c -- see job_simulation.h. The measured CPU time of the library has only library
 * calls, not the code of the simulation.
 */
#include "cli/replay/job_simulation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/job_ranks.h"
#include "cli/support/command.h"
#include "cli/support/host_allocator.h"
#include "cli/support/terminal.h"

/* size of the change feed of a cluster that is watched: no cycle has more changes than that */
#define WATCHED_BYTES (UINT64_C(64) << 20)

enum { ROUNDS_MAX = 1000000, VAIN_WAKES_MAX = 100000, STEP_EVERY = 64 };

/* The waiting jobs of a waiting line that are in the cluster. The list is used only if
 * setup->overtake is false. */
struct shown {
    uint32_t *jobs; /* owned by this struct */
    size_t n, capacity;
};

struct simulation {
    const struct simulation_setup *setup;
    struct simulation_result *result;
    struct job_runs runs;
    struct host_allocator memory;
    lsched_cluster *cluster;
    lsched_id *queues;   /* owned by this struct; id in the cluster of each queue of the list */
    struct shown *shown; /* owned by this struct; one entry for each waiting line */
    uint32_t next_arrival;
    uint64_t vain_wakes;
    struct job_ranks ranks;
    /* owned by this struct; events that the next call of flush_reports() reports */
    lsched_task_event *reports;
    size_t n_reports, reports_capacity;
};

/* ---- reports and submissions ---- */

static void report(struct simulation *sim, uint32_t event, uint32_t job, uint32_t task) {
    sim->reports =
        must_grow(sim->reports, sim->n_reports, &sim->reports_capacity, sizeof sim->reports[0]);
    lsched_task_event *out = &sim->reports[sim->n_reports++];
    *out = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    out->event = event;
    out->job = sim->runs.jobs[job].id;
    out->task_index = task;
    out->at_us = sim->runs.now_us;
}

static int32_t flush_reports(struct simulation *sim, lsched_error *err) {
    if (sim->n_reports == 0) return LSCHED_OK;
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_tasks_report(sim->cluster, sim->reports, sim->n_reports,
                                     sizeof sim->reports[0], NULL, NULL, err);
    sim->result->library_ns += clock_core_ns() - begun_ns;
    sim->n_reports = 0;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t submit(struct simulation *sim, uint32_t job, lsched_error *err) {
    struct simulation_request request;
    struct job_run *own = &sim->runs.jobs[job];
    simulation_describe(sim->setup, job, sim->queues[sim->setup->list->jobs[job].queue],
                        own->left_us, &request);
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_jobs_submit(sim->cluster, &request.desc, 1, sizeof request.desc, NULL,
                                    &own->id, NULL, err);
    sim->result->library_ns += clock_core_ns() - begun_ns;
    job_ranks_add(&sim->ranks, job);
    return rc < 0 ? rc : LSCHED_OK;
}

/* ---- strict order ---- */

static bool has_claim(const struct simulation *sim, uint32_t job) {
    lsched_job_info info = {.size = sizeof info};
    const struct job_run *own = &sim->runs.jobs[job];
    return own->releasing > 0 || (lsched_job_get(sim->cluster, own->id, &info, NULL) == LSCHED_OK &&
                                  info.tasks_placed > 0);
}

/* Removes from the cluster all waiting jobs of a waiting line except `head`, the first job of the
 * line. Other jobs of the line are in the cluster if `head` was evicted: an evicted job waits
 * before all jobs that come later in the list. A job with a nomination or with releasing tasks
 * stays in the cluster. */
static int32_t hide_others(struct simulation *sim, struct shown *shown, uint32_t head,
                           lsched_error *err) {
    size_t kept = 0;
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < shown->n; i++) {
        uint32_t job = shown->jobs[i];
        struct job_run *own = &sim->runs.jobs[job];
        if (own->phase != JOB_WAITS) continue;
        if (rc < 0 || job == head || has_claim(sim, job)) {
            shown->jobs[kept++] = job;
            continue;
        }
        rc = lsched_jobs_remove(sim->cluster, &own->id, 1, NULL, NULL, err);
        if (rc >= 0) own->id = 0;
    }
    shown->n = kept;
    return rc < 0 ? rc : LSCHED_OK;
}

static void add_shown(struct shown *shown, uint32_t job) {
    shown->jobs = must_grow(shown->jobs, shown->n, &shown->capacity, sizeof shown->jobs[0]);
    shown->jobs[shown->n++] = job;
}

/* Submits the first job of each waiting line if it is not yet in the cluster. Sets *news to true if
 * at least one job was submitted. */
static int32_t show_heads(struct simulation *sim, bool *news, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (uint32_t line = 0; rc >= 0 && line < sim->setup->list->n_queues; line++) {
        struct shown *shown = &sim->shown[line];
        uint32_t head = job_runs_head(&sim->runs, line);
        if (shown->n > 0) rc = hide_others(sim, shown, head, err);
        if (rc < 0 || head == NO_JOB || sim->runs.jobs[head].id != 0) continue;
        rc = submit(sim, head, err);
        add_shown(shown, head);
        *news = true;
    }
    return rc;
}

/* Reads the minimum of a job with several tasks from the library, because the policy can set it. */
static void learn_minimum(struct simulation *sim, uint32_t job) {
    lsched_job_info info = {.size = sizeof info};
    struct job_run *own = &sim->runs.jobs[job];
    if (simulation_tasks(sim->setup, &sim->setup->list->jobs[job]) > 1 &&
        lsched_job_get(sim->cluster, own->id, &info, NULL) == LSCHED_OK)
        own->minimum = info.tasks_min;
}

/* ---- carrying out a plan ---- */

static int32_t confirm_all(struct simulation *sim, const lsched_plan *plan, lsched_error *err) {
    size_t n = lsched_plan_size(plan);
    lsched_settlement *answers = must_alloc(n * sizeof answers[0]);
    for (size_t i = 0; i < n; i++) {
        lsched_id id = lsched_plan_at(plan, i)->id;
        answers[i] = (lsched_settlement){
            .size = sizeof answers[i], .outcome = LSCHED_OUTCOME_CONFIRMED, .decision = id};
    }
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_settle(sim->cluster, answers, n, sizeof answers[0], NULL, NULL, NULL, err);
    sim->result->library_ns += clock_core_ns() - begun_ns;
    free(answers);
    return rc < 0 ? rc : LSCHED_OK;
}

static void stop_task(struct simulation *sim, const lsched_decision *decision, bool *again) {
    uint32_t job = (uint32_t)decision->job_tag, task = decision->task_index;
    struct job_runs *runs = &sim->runs;
    job_runs_task_stops(runs, job, task, decision->kind == LSCHED_DECIDE_MIGRATE,
                        sim->result->cycles);
    if (!sim->setup->overtake && runs->jobs[job].phase == JOB_WAITS)
        add_shown(&sim->shown[simulation_line(sim->setup, &sim->setup->list->jobs[job])], job);
    if (sim->setup->release_us > 0) {
        event_heap_push(&runs->events,
                        (struct heap_record){.key = runs->now_us + sim->setup->release_us,
                                             .kind = EVENT_TASK_GONE,
                                             .item = job,
                                             .detail = task});
        return;
    }
    report(sim, LSCHED_EVENT_FAILED, job, task);
    job_runs_task_gone(runs, job, task);
    *again = true; /* another cycle can use the free units at the same virtual time */
}

static int32_t carry_out(struct simulation *sim, const lsched_plan *plan, bool *again,
                         lsched_error *err) {
    size_t n = lsched_plan_size(plan);
    if (n == 0) return LSCHED_OK;
    int32_t rc = confirm_all(sim, plan, err);
    /* decisions that stop tasks are carried out first, because tasks that start can need the units
     * of these tasks */
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        const lsched_decision *decision = lsched_plan_at(plan, i);
        if (decision->kind == LSCHED_DECIDE_EVICT || decision->kind == LSCHED_DECIDE_MIGRATE)
            stop_task(sim, decision, again);
    }
    for (size_t i = 0; rc >= 0 && i < n; i++) {
        const lsched_decision *decision = lsched_plan_at(plan, i);
        if (decision->kind != LSCHED_DECIDE_PLACE) continue;
        learn_minimum(sim, (uint32_t)decision->job_tag);
        report(sim, LSCHED_EVENT_STARTED, (uint32_t)decision->job_tag, decision->task_index);
        job_runs_task_starts(&sim->runs, (uint32_t)decision->job_tag, decision->task_index);
    }
    sim->result->decisions += n;
    sim->vain_wakes = 0;
    return rc < 0 ? rc : flush_reports(sim, err);
}

/* Runs one cycle and carries out its plan. Sets *again to true if another cycle at the same virtual
 * time could make more decisions. */
static int32_t cycle(struct simulation *sim, bool *again, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    opts.now_us = sim->runs.now_us;
    opts.flags = sim->setup->verify ? LSCHED_SCHEDULE_VERIFY : 0;
    opts.release_us = sim->setup->release_us > 0 ? sim->setup->release_us : 1;
    const struct plan_watch *watch = sim->setup->watch;
    int32_t rc = LSCHED_OK;
    if (watch != NULL && watch->before != NULL)
        rc = watch->before(watch->user, sim->cluster, &opts, err);
    if (rc < 0) return rc;
    int64_t begun_ns = clock_core_ns();
    rc = lsched_schedule(sim->cluster, &opts, &plan, err);
    sim->result->library_ns += clock_core_ns() - begun_ns;
    if (rc < 0) return rc;
    if (watch != NULL) watch->after(watch->user, sim->cluster, plan);
    lsched_plan_get(plan, &info, NULL);
    sim->result->plans_hash = (sim->result->plans_hash ^ info.plan_hash) * 0x100000001b3u;
    if (info.policy_error != LSCHED_OK) {
        rc = error_at(err, LSCHED_E_POLICY, 0, 0, "%s", lsched_plan_policy_error(plan));
    } else {
        rc = carry_out(sim, plan, again, err);
    }
    bool left_over = (info.flags & LSCHED_PLAN_PARTIAL) != 0 ||
                     lsched_next_wake(sim->cluster) <= sim->runs.now_us;
    if (left_over && info.decisions > 0) *again = true;
    lsched_plan_destroy(plan);
    sim->result->cycles++;
    return rc;
}

/* ---- time ---- */

/* Runs cycles at the current virtual time until another cycle could not change anything. */
static int32_t decide(struct simulation *sim, lsched_error *err) {
    bool again = true;
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        bool news = false;
        int32_t rc = LSCHED_OK;
        if (!sim->setup->overtake) rc = show_heads(sim, &news, err);
        if (rc < 0 || (!again && !news)) return rc;
        if (job_runs_wanting(&sim->runs) == 0) return LSCHED_OK;
        again = false;
        rc = job_ranks_update(&sim->ranks, &sim->runs, sim->cluster, err);
        if (rc < 0) return rc;
        rc = cycle(sim, &again, err);
        if (rc < 0) return rc;
    }
    return error_at(err, LSCHED_E_STATE, 0, 0, "the cycles at one time do not come to an end");
}

/* Writes and returns the error for jobs that wait when there are no more events. */
static int32_t stuck(struct simulation *sim, lsched_error *err) {
    const struct job_list *list = sim->setup->list;
    for (uint32_t line = 0; line < list->n_queues; line++) {
        uint32_t head = job_runs_head(&sim->runs, line);
        if (head == NO_JOB) continue;
        const struct listed_queue *queue = &list->queues[list->jobs[head].queue];
        return error_at(
            err, LSCHED_E_STATE, 0, 0,
            "%" PRIu64
            " jobs wait for ever, because no job arrives or ends any more; the first one "
            "in queue %.*s is that of row %" PRIu32 ", with %" PRIu32 " units",
            sim->runs.waiting, (int)queue->name.len, queue->name.ptr, list->jobs[head].row + 1,
            list->jobs[head].units);
    }
    return error_at(err, LSCHED_E_STATE, 0, 0,
                    "no event is left, but a running job has fewer tasks than its minimum");
}

/* Returns the time of the next event, or LSCHED_NEVER_US if there are no more events. */
static int64_t next_time(struct simulation *sim) {
    struct job_runs *runs = &sim->runs;
    int64_t next_us = LSCHED_NEVER_US;
    while (runs->events.n > 0 && !job_runs_holds(runs, &runs->events.records[0]))
        event_heap_pop(&runs->events);
    if (runs->events.n > 0) next_us = runs->events.records[0].key;
    if (sim->next_arrival < sim->setup->list->n_jobs) {
        int64_t arrival_us = sim->setup->list->jobs[sim->next_arrival].submit_us;
        if (arrival_us < next_us) next_us = arrival_us;
    }
    if (job_runs_wanting(runs) == 0) return next_us;
    int64_t wake_us = lsched_next_wake(sim->cluster);
    if (next_us == LSCHED_NEVER_US && ++sim->vain_wakes > VAIN_WAKES_MAX) return next_us;
    return wake_us > runs->now_us && wake_us < next_us ? wake_us : next_us;
}

/* Reports to the library that a job has ended. If not all tasks of the job run, the whole job is
 * removed from the cluster instead. */
static int32_t end_job(struct simulation *sim, uint32_t job, lsched_error *err) {
    struct job_run *own = &sim->runs.jobs[job];
    uint32_t tasks = simulation_tasks(sim->setup, &sim->setup->list->jobs[job]);
    if (own->running == tasks) {
        for (uint32_t task = 0; task < tasks; task++) report(sim, LSCHED_EVENT_ENDED, job, task);
        return LSCHED_OK;
    }
    int32_t rc = flush_reports(sim, err);
    if (rc >= 0) rc = lsched_jobs_remove(sim->cluster, &own->id, 1, NULL, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t apply_events(struct simulation *sim, lsched_error *err) {
    struct job_runs *runs = &sim->runs;
    while (runs->events.n > 0 && runs->events.records[0].key <= runs->now_us) {
        struct heap_record event = event_heap_pop(&runs->events);
        if (!job_runs_holds(runs, &event)) continue;
        if (event.kind == EVENT_TASK_GONE) {
            /* if the job has ended before its task was gone, the library does not have the job any
             * more */
            if (runs->jobs[event.item].id != 0)
                report(sim, LSCHED_EVENT_FAILED, event.item, event.detail);
            job_runs_task_gone(runs, event.item, event.detail);
            continue;
        }
        int32_t rc = end_job(sim, event.item, err);
        if (rc < 0) return rc;
        job_runs_job_ends(runs, event.item);
    }
    return flush_reports(sim, err);
}

static int32_t take_arrivals(struct simulation *sim, lsched_error *err) {
    const struct job_list *list = sim->setup->list;
    int32_t rc = LSCHED_OK;
    while (rc >= 0 && sim->next_arrival < list->n_jobs &&
           list->jobs[sim->next_arrival].submit_us <= sim->runs.now_us) {
        uint32_t job = sim->next_arrival++;
        job_runs_arrive(&sim->runs, job);
        if (sim->setup->overtake && sim->runs.jobs[job].phase == JOB_WAITS)
            rc = submit(sim, job, err);
    }
    return rc;
}

static void tell_progress(const struct simulation *sim, uint64_t instant) {
    const struct simulation_setup *setup = sim->setup;
    if (setup->step == NULL || instant % STEP_EVERY != 0) return;
    setup->step(setup->user, sim->next_arrival + sim->runs.finished + sim->result->measure.dropped,
                2 * (uint64_t)setup->list->n_jobs);
}

static int32_t play(struct simulation *sim, lsched_error *err) {
    int64_t now_us = 0;
    for (uint64_t instant = 0; (now_us = next_time(sim)) != LSCHED_NEVER_US; instant++) {
        int32_t rc = LSCHED_OK;
        if (instant > 0 && now_us - sim->runs.now_us > LSCHED_REPORT_AHEAD_US)
            rc = lsched_clock_set(sim->cluster, now_us, err);
        job_runs_pass(&sim->runs, now_us);
        if (rc >= 0) rc = apply_events(sim, err);
        if (rc >= 0) rc = take_arrivals(sim, err);
        if (rc >= 0) rc = decide(sim, err);
        if (rc < 0) return rc;
        tell_progress(sim, instant);
    }
    bool waits = sim->runs.waiting + sim->runs.incomplete > 0;
    if (waits && !sim->setup->may_end_waiting) return stuck(sim, err);
    return lsched_verify(sim->cluster, NULL, err);
}

static void free_simulation(struct simulation *sim) {
    const struct plan_watch *watch = sim->setup->watch;
    if (watch != NULL && watch->end != NULL) watch->end(watch->user);
    lsched_cluster_destroy(sim->cluster);
    host_allocator_end(&sim->memory);
    job_runs_end(&sim->runs);
    job_ranks_end(&sim->ranks);
    for (size_t i = 0; i < sim->setup->list->n_queues; i++) free(sim->shown[i].jobs);
    free(sim->shown);
    free(sim->queues);
    free(sim->reports);
}

int32_t job_simulation(const struct simulation_setup *setup, struct simulation_result *out,
                       lsched_error *err) {
    struct simulation sim = {.setup = setup, .result = out};
    size_t n_queues = setup->list->n_queues;
    memset(out, 0, sizeof *out);
    out->plans_hash = 0xcbf29ce484222325u;
    job_metrics_begin(&out->measure, setup->list, setup->units, setup->window_us);
    out->outcomes = must_alloc(setup->list->n_jobs * sizeof out->outcomes[0]);
    job_runs_begin(&sim.runs, setup, &out->measure, out->outcomes);
    job_ranks_begin(&sim.ranks, setup);
    sim.queues = must_alloc(n_queues * sizeof sim.queues[0]);
    sim.shown = must_alloc_zero(n_queues * sizeof sim.shown[0]);
    for (size_t i = 0; setup->quota_units != NULL && i < n_queues; i++)
        out->measure.queues[i].quota_units = setup->quota_units[i];
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = host_allocator_begin(&sim.memory);
    if (setup->watch != NULL) opts.changes_bytes = WATCHED_BYTES;
    int32_t rc = lsched_cluster_create(&opts, &sim.cluster, err);
    if (rc >= 0) rc = simulation_cluster_fill(setup, sim.cluster, sim.queues, err);
    if (rc >= 0) rc = play(&sim, err);
    free_simulation(&sim);
    return rc < 0 ? rc : LSCHED_OK;
}

void job_simulation_free(struct simulation_result *result) {
    job_metrics_end(&result->measure);
    free(result->outcomes);
    result->outcomes = NULL;
}
