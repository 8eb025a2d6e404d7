/* cluster_play.c -- see cluster_play.h. */
#include "cli/virtual/cluster_play.h"

#include <stdlib.h>

#include "cli/support/cli_errors.h"

/* ---- ids ---- */

static int compare_ids(lsched_id a, lsched_id b) {
    return (a > b) - (a < b);
}

static int play_compare_jobs(const void *a, const void *b) {
    return compare_ids(((const struct played_job *)a)->id, ((const struct played_job *)b)->id);
}

static int play_compare_nodes(const void *a, const void *b) {
    return compare_ids(((const struct watched_node *)a)->id, ((const struct watched_node *)b)->id);
}

static int play_compare_ready(const void *a, const void *b) {
    const struct ready_node *x = a, *y = b;
    if (x->at_us != y->at_us) return x->at_us < y->at_us ? -1 : 1;
    return compare_ids(x->id, y->id);
}

void cluster_play_sort(struct cluster_play *play) {
    if (play->n_jobs > 0) qsort(play->jobs, play->n_jobs, sizeof play->jobs[0], play_compare_jobs);
    if (play->n_nodes > 0)
        qsort(play->nodes, play->n_nodes, sizeof play->nodes[0], play_compare_nodes);
    if (play->n_ready > 0)
        qsort(play->ready, play->n_ready, sizeof play->ready[0], play_compare_ready);
}

struct played_job *cluster_play_job(const struct cluster_play *play, lsched_id id) {
    const struct played_job key = {.id = id};
    if (play->n_jobs == 0) return NULL;
    return bsearch(&key, play->jobs, play->n_jobs, sizeof key, play_compare_jobs);
}

struct watched_node *cluster_play_node(const struct cluster_play *play, lsched_id id) {
    const struct watched_node key = {.id = id};
    if (play->n_nodes == 0) return NULL;
    return bsearch(&key, play->nodes, play->n_nodes, sizeof key, play_compare_nodes);
}

/* ---- runs ---- */

/* True if the play still waits for something of the job. */
static bool play_awaits(const struct cluster_play *play, const struct played_job *job) {
    if (job->stopped) return true;
    if (!job->awaited) return false;
    if (job->start_us == LSCHED_NEVER_US && job->since_us == 0) return true;
    return play->to_ends && job->run_us > 0 && job->end_us == LSCHED_NEVER_US;
}

static void play_expect_end(struct cluster_play *play, struct played_job *job, int64_t from_us) {
    job->runs = true;
    job->begun_us = from_us;
    job->from_us = job->counted_us = play->now_us;
    job->task_us = 0;
    job->tasks = 0;
    job->run++;
    if (job->run_us <= 0) return;
    int64_t end_us =
        job->run_us < LSCHED_NEVER_US - from_us ? from_us + job->run_us : LSCHED_NEVER_US - 1;
    event_heap_push(&play->ends,
                    (struct heap_record){.key = end_us > play->now_us ? end_us : play->now_us + 1,
                                         .item = (uint32_t)(job - play->jobs),
                                         .detail = job->run});
}

static bool play_holds(const struct cluster_play *play, const struct heap_record *end) {
    const struct played_job *job = &play->jobs[end->item];
    return job->runs && job->run == end->detail;
}

static void play_start(struct cluster_play *play, struct played_job *job, lsched_id node) {
    struct watched_node *watched = cluster_play_node(play, node);
    if (watched != NULL) watched->used = true;
    if (watched != NULL && watched->marks) job->marked = true;
    if (job->runs) return;
    bool awaited = play_awaits(play, job);
    if (job->stopped) job->lost_us += play->now_us - job->begun_us;
    job->stopped = false;
    if (job->start_us == LSCHED_NEVER_US) job->start_us = play->now_us;
    play->awaited -= awaited && !play_awaits(play, job);
    play_expect_end(play, job, play->now_us);
}

/* Adds the tasks that a run has held since the latest count, and counts its tasks again. */
static void play_count(const struct cluster_play *play, struct played_job *job) {
    lsched_job_info info = {.size = sizeof info};
    if (!job->runs) return;
    job->task_us += (double)job->tasks * (double)(play->now_us - job->counted_us);
    job->counted_us = play->now_us;
    job->tasks = lsched_job_get(play->cluster, job->id, &info, NULL) < 0 ? 0 : info.tasks_running;
}

static void play_leave(const struct cluster_play *play, lsched_id node) {
    struct watched_node *watched = cluster_play_node(play, node);
    if (watched != NULL) watched->left_us = play->now_us;
}

static void play_leave_all(const struct cluster_play *play, lsched_id job) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    while (lsched_tasks_next(play->cluster, job, 0, &cursor, &task, NULL) == 1)
        play_leave(play, task.node);
}

double cluster_play_width(const struct cluster_play *play, const struct played_job *job,
                          int64_t *span_us) {
    int64_t end_us = job->end_us;
    *span_us = 0;
    if (job->run == 0 || job->stopped) return 0;
    if (job->runs)
        end_us = job->run_us > 0 && job->run_us < LSCHED_NEVER_US - job->begun_us
                     ? job->begun_us + job->run_us
                     : play->horizon_us;
    if (end_us > play->horizon_us) end_us = play->horizon_us;
    if (end_us <= job->from_us) return 0;
    *span_us = end_us - job->from_us;
    double task_us = job->task_us;
    if (job->runs) task_us += (double)job->tasks * (double)(end_us - job->counted_us);
    return task_us / (double)*span_us;
}

/* ---- carrying out ---- */

static void play_keep_decisions(struct cluster_play *play, const lsched_plan *plan) {
    play->n_decisions = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        play->decisions = must_grow(play->decisions, play->n_decisions, &play->decisions_capacity,
                                    sizeof play->decisions[0]);
        play->decisions[play->n_decisions++] = *lsched_plan_at(plan, i);
    }
}

static void play_report(struct cluster_play *play, uint32_t event, const lsched_decision *d) {
    play->reports =
        must_grow(play->reports, play->n_reports, &play->reports_capacity, sizeof play->reports[0]);
    lsched_task_event *out = &play->reports[play->n_reports++];
    *out = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
    out->event = event;
    out->job = d->job;
    out->task_index = d->task_index;
    out->at_us = play->now_us;
}

static int32_t play_flush(struct cluster_play *play, lsched_error *err) {
    if (play->n_reports == 0) return LSCHED_OK;
    int32_t rc = lsched_tasks_report(play->cluster, play->reports, play->n_reports,
                                     sizeof play->reports[0], NULL, NULL, err);
    play->work += play->n_reports;
    play->n_reports = 0;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t play_confirm(struct cluster_play *play, lsched_error *err) {
    for (size_t i = 0; i < play->n_decisions; i++) {
        play->answers =
            must_grow(play->answers, i, &play->answers_capacity, sizeof play->answers[0]);
        play->answers[i] = (lsched_settlement){.size = sizeof play->answers[i],
                                               .outcome = LSCHED_OUTCOME_CONFIRMED,
                                               .decision = play->decisions[i].id};
    }
    int32_t rc = lsched_settle(play->cluster, play->answers, play->n_decisions,
                               sizeof play->answers[0], NULL, NULL, NULL, err);
    return rc < 0 ? rc : LSCHED_OK;
}

static bool play_stops(const lsched_decision *d) {
    return d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
}

/* True if the job is held after the stop, until somebody lets it be tried again. */
static bool play_holds_after(const lsched_decision *d) {
    return d->reason == LSCHED_FOR_TIME_LIMIT || d->reason == LSCHED_FOR_IDLE;
}

/* A job without a task no longer runs; its end is not expected. If the job is held, its run has
 * ended so. */
static void play_note_stops(struct cluster_play *play) {
    for (size_t i = 0; i < play->n_decisions; i++) {
        const lsched_decision *d = &play->decisions[i];
        lsched_job_info info = {.size = sizeof info};
        struct played_job *job = play_stops(d) ? cluster_play_job(play, d->job) : NULL;
        if (job == NULL || !job->runs) continue;
        if (lsched_job_get(play->cluster, d->job, &info, NULL) < 0 || info.tasks_running > 0)
            continue;
        bool awaited = play_awaits(play, job);
        job->runs = false;
        job->stopped = !play_holds_after(d);
        if (!job->stopped) job->end_us = play->now_us;
        play->awaited -= awaited;
        play->awaited += play_awaits(play, job);
    }
}

/* Carries out the decisions. What stops comes first, because what starts can need its room. */
static int32_t play_carry_out(struct cluster_play *play, bool *again, lsched_error *err) {
    bool stops = false;
    if (play->n_decisions == 0) return LSCHED_OK;
    if (play->on_decisions != NULL) play->on_decisions(play->user, play);
    int32_t rc = play_confirm(play, err);
    for (size_t i = 0; i < play->n_decisions; i++) {
        const lsched_decision *d = &play->decisions[i];
        struct played_job *job = play_stops(d) ? cluster_play_job(play, d->job) : NULL;
        if (!play_stops(d)) continue;
        if (job != NULL && !play_holds_after(d)) job->evictions++;
        play_leave(play, d->node);
        play_report(play, LSCHED_EVENT_FAILED, d);
        stops = true;
    }
    if (stops && rc >= 0) rc = play_flush(play, err);
    if (stops && rc >= 0) play_note_stops(play);
    *again = *again || stops;
    for (size_t i = 0; i < play->n_decisions; i++) {
        const lsched_decision *d = &play->decisions[i];
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        struct played_job *job = cluster_play_job(play, d->job);
        if (job != NULL) play_start(play, job, d->node);
        play_report(play, LSCHED_EVENT_STARTED, d);
    }
    if (rc >= 0) rc = play_flush(play, err);
    for (size_t i = 0; i < play->n_decisions && rc >= 0; i++) {
        struct played_job *job = cluster_play_job(play, play->decisions[i].job);
        if (job != NULL) play_count(play, job);
    }
    play->vain = 0;
    return rc;
}

static int32_t play_cycle(struct cluster_play *play, bool *again, lsched_error *err) {
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    play->schedule.now_us = play->now_us;
    int32_t rc = lsched_schedule(play->cluster, &play->schedule, &plan, err);
    if (rc < 0) return rc;
    lsched_plan_get(plan, &info, NULL);
    if (info.policy_error != LSCHED_OK)
        rc = error_at(err, LSCHED_E_POLICY, 0, 0, "%s", lsched_plan_policy_error(plan));
    play_keep_decisions(play, plan);
    lsched_plan_destroy(plan);
    if (rc < 0) return rc;
    play->cycles++;
    play->work += info.work_spent + 1;
    play->wake_us = info.next_wake_us;
    rc = play_carry_out(play, again, err);
    /* a plan that is cut leaves work, and the decisions themselves can make room */
    if ((info.decisions > 0 && lsched_next_wake(play->cluster) <= play->now_us) ||
        (info.flags & LSCHED_PLAN_PARTIAL) != 0)
        *again = true;
    return rc;
}

/* Carries out the decisions that are open at the begin. *any: there are some. */
static int32_t play_open_decisions(struct cluster_play *play, bool *any, bool *again,
                                   lsched_error *err) {
    uint64_t cursor = 0;
    lsched_decision decision = {.size = sizeof decision};
    int32_t rc = 1;
    play->n_decisions = 0;
    play->wake_us = LSCHED_NEVER_US;
    while ((rc = lsched_decisions_next(play->cluster, &cursor, &decision, err)) == 1) {
        play->decisions = must_grow(play->decisions, play->n_decisions, &play->decisions_capacity,
                                    sizeof play->decisions[0]);
        play->decisions[play->n_decisions++] = decision;
    }
    *any = play->n_decisions > 0;
    return rc < 0 ? rc : play_carry_out(play, again, err);
}

/* Reports the tasks that were asked to stop before the begin as gone. *again: there are some. */
static int32_t play_open_stops(struct cluster_play *play, bool *again, lsched_error *err) {
    uint64_t jobs = 0;
    for (lsched_id id; (id = lsched_next(play->cluster, LSCHED_KIND_JOB, &jobs)) != 0;) {
        uint64_t cursor = 0;
        lsched_task_info task = {.size = sizeof task};
        while (lsched_tasks_next(play->cluster, id, 0, &cursor, &task, NULL) == 1) {
            if (task.state != LSCHED_TASK_RELEASING) continue;
            play_leave(play, task.node);
            play_report(play, LSCHED_EVENT_FAILED,
                        &(lsched_decision){.job = id, .task_index = task.task_index});
        }
    }
    *again = *again || play->n_reports > 0;
    return play_flush(play, err);
}

/* ---- time ---- */

/* Ends one running task of a job now, because a report sets the time until which the end of a job
 * is charged; lsched_jobs_complete() has no time, and lsched_clock_set() drops caches. */
static int32_t play_end_task(struct cluster_play *play, lsched_id job, lsched_error *err) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    while (lsched_tasks_next(play->cluster, job, 0, &cursor, &task, NULL) == 1) {
        if (task.state != LSCHED_TASK_RUNNING) continue;
        play_report(play, LSCHED_EVENT_ENDED,
                    &(lsched_decision){.job = job, .task_index = task.task_index});
        return play_flush(play, err);
    }
    return LSCHED_OK;
}

/* Ends a job that the report of its last task has not ended already. */
static int32_t play_complete(const struct cluster_play *play, lsched_id job, lsched_error *err) {
    const lsched_batch_opts gone = {.size = sizeof gone, .flags = LSCHED_BATCH_IDEMPOTENT};
    lsched_job_info info = {.size = sizeof info};
    /* asked first: to complete a job that is gone costs the text of an error */
    if (lsched_job_get(play->cluster, job, &info, NULL) < 0) return LSCHED_OK;
    return lsched_jobs_complete(play->cluster, &job, 1, &gone, NULL, err);
}

static int32_t play_end_jobs(struct cluster_play *play, lsched_error *err) {
    while (play->ends.n > 0 && play->ends.records[0].key <= play->now_us) {
        struct heap_record end = event_heap_pop(&play->ends);
        if (!play_holds(play, &end)) continue;
        struct played_job *job = &play->jobs[end.item];
        bool awaited = play_awaits(play, job);
        play_count(play, job);
        play_leave_all(play, job->id);
        job->runs = false;
        job->end_us = play->now_us;
        play->awaited -= awaited;
        play->vain = 0;
        play->work++;
        int32_t rc = play_end_task(play, job->id, err);
        if (rc >= 0) rc = play_complete(play, job->id, err);
        if (rc < 0) return rc;
    }
    return LSCHED_OK;
}

static int32_t play_make_ready(struct cluster_play *play, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (; rc >= 0 && play->next_ready < play->n_ready; play->next_ready++) {
        const struct ready_node *ready = &play->ready[play->next_ready];
        if (ready->at_us > play->now_us) break;
        lsched_node_update update = {.size = sizeof update,
                                     .set = LSCHED_NODE_SET_STATE,
                                     .node = ready->id,
                                     .state = LSCHED_NODE_READY};
        play->work++;
        play->vain = 0;
        rc = lsched_nodes_update(play->cluster, &update, 1, sizeof update, NULL, NULL, err);
    }
    return rc < 0 ? rc : LSCHED_OK;
}

static int64_t play_next_time(struct cluster_play *play) {
    while (play->ends.n > 0 && !play_holds(play, &play->ends.records[0]))
        event_heap_pop(&play->ends);
    int64_t next_us = play->ends.n > 0 ? play->ends.records[0].key : LSCHED_NEVER_US;
    if (play->next_ready < play->n_ready && play->ready[play->next_ready].at_us < next_us)
        next_us = play->ready[play->next_ready].at_us;
    int64_t wake_us = lsched_next_wake(play->cluster);
    if (wake_us <= play->now_us) wake_us = play->wake_us;
    if (next_us == LSCHED_NEVER_US && play->vain_max > 0 && play->vain++ >= play->vain_max) {
        play->cut = play->cut_by_cycles = true;
        return next_us;
    }
    return wake_us > play->now_us && wake_us < next_us ? wake_us : next_us;
}

static void play_begin(struct cluster_play *play) {
    play->awaited = play->next_ready = 0;
    for (size_t i = 0; i < play->n_jobs; i++) {
        struct played_job *job = &play->jobs[i];
        job->start_us = job->end_us = LSCHED_NEVER_US;
        job->lost_us = 0;
        job->evictions = job->run = 0;
        job->marked = job->runs = job->stopped = false;
        if (job->since_us > 0) play_expect_end(play, job, job->since_us);
        play_count(play, job);
        play->awaited += play_awaits(play, job);
    }
    for (size_t i = 0; i < play->n_nodes; i++) {
        play->nodes[i].used = false;
        play->nodes[i].left_us = play->now_us;
    }
}

static bool play_spent(struct cluster_play *play) {
    if (play->work_max > 0 && play->work >= play->work_max)
        play->cut = true;
    else if (play->cycles >= CLUSTER_PLAY_CYCLES_MAX)
        play->cut = play->cut_by_cycles = true;
    return play->cut;
}

/* Goes to the time of the next event. *done: there is none before the horizon. */
static int32_t play_advance(struct cluster_play *play, bool *done, lsched_error *err) {
    int64_t next_us = play_next_time(play);
    int32_t rc = LSCHED_OK;
    *done = next_us == LSCHED_NEVER_US || next_us > play->horizon_us;
    if (*done) return rc;
    if (next_us - play->now_us > LSCHED_REPORT_AHEAD_US)
        rc = lsched_clock_set(play->cluster, next_us, err);
    play->now_us = next_us;
    if (rc >= 0) rc = play_make_ready(play, err);
    return rc < 0 ? rc : play_end_jobs(play, err);
}

static int32_t play_all(struct cluster_play *play, lsched_error *err) {
    bool again = false, done = false, any = false;
    int32_t rc = play_make_ready(play, err);
    if (rc >= 0) rc = play_open_decisions(play, &any, &again, err);
    if (rc >= 0) rc = play_open_stops(play, &again, err);
    if (rc >= 0 && !any) rc = play_cycle(play, &again, err);
    for (uint32_t round = 0; rc >= 0 && !done && play->awaited > 0 && !play_spent(play);) {
        if (!again || ++round > CLUSTER_PLAY_ROUNDS_MAX) {
            rc = play_advance(play, &done, err);
            if (done && again) play->cut = play->cut_by_cycles = true;
            round = 0;
        }
        again = false;
        if (rc >= 0 && !done) rc = play_cycle(play, &again, err);
    }
    return rc;
}

int32_t cluster_play_run(struct cluster_play *play, lsched_error *err) {
    play->cycles = play->work = 0;
    play->cut = play->cut_by_cycles = false;
    play->vain = 0;
    play_begin(play);
    int32_t rc = play_all(play, err);
    free(play->decisions);
    free(play->reports);
    free(play->answers);
    event_heap_free(&play->ends);
    play->decisions = NULL;
    play->reports = NULL;
    play->answers = NULL;
    play->decisions_capacity = play->reports_capacity = play->answers_capacity = 0;
    play->n_decisions = play->n_reports = 0;
    return rc < 0 ? rc : LSCHED_OK;
}
