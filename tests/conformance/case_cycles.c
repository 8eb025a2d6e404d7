/*
 * case_cycles.c -- see case_cycles.h.
 *
 * The host of a case is an unusual one: what is placed runs at once, what is evicted is gone at once, and every nomination
 * is refused, so that the next cycle has to find its way from the resources alone. Evictions are confirmed before
 * nominations are refused, else the refusal would take them back. With play_choice.keep nominations are confirmed, as most
 * hosts do, and must become placements.
 */
#include "case_cycles.h"

#include <stdio.h>
#include <string.h>

#include "case_explain.h"
#include "../support/settle.h"

struct play {
    struct case_form *c;
    struct pool *pool;
    lsched_cluster *cluster;
    lsched_plan *plan;
    lsched_error err;
    struct play_choice choice;
    int64_t now_us;
};

static struct task_form *task_at(struct job_form *job, uint32_t index) {
    for (uint32_t i = 0; i < job->n_tasks; i++)
        if (job->tasks[i].index == index) return &job->tasks[i];
    return NULL;
}

static struct task_form *task_of(const struct play *p, const lsched_decision *d) {
    return d->job_tag < p->c->n_jobs ? task_at(&p->c->jobs[d->job_tag], d->task_index) : NULL;
}

/* ---- one cycle ------------------------------------------------------------------------------- */

static int is_eviction(const lsched_decision *d) {
    return d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE;
}

/* What the decisions make of the tasks: evictions first, so that a task that is evicted and nominated counts as nominated. */
static void take_decisions(struct play *p) {
    uint32_t evictions = 0;
    size_t n = lsched_plan_size(p->plan);
    for (int evicting = 1; evicting >= 0; evicting--)
        for (size_t i = 0; i < n; i++) {
            const lsched_decision *d = lsched_plan_at(p->plan, i);
            struct task_form *task = task_of(p, d);
            if (!task || is_eviction(d) != evicting) continue;
            task->now = evicting ? TASK_EVICTED
                                 : (d->kind == LSCHED_DECIDE_PLACE ? TASK_PLACED : TASK_NOMINATED);
            task->now_at = p->c->nodes[d->node_tag].name;
            task->nomination = d->kind == LSCHED_DECIDE_NOMINATE ? d->id : 0;
            evictions += (uint32_t)evicting;
        }
    if (evictions > p->c->evictions_max) p->c->evictions_max = evictions;
}

static void stop_waiting_there(struct task_form *task) {
    task->now = TASK_PENDING;
    task->now_at = NULL;
    task->nomination = 0;
}

/* Nominations that the cycle itself gave up: what they waited for did not come, or went to others. */
static void take_withdrawn(struct play *p) {
    size_t n = lsched_plan_withdrawn_size(p->plan);
    for (uint32_t j = 0; j < p->c->n_jobs; j++)
        for (uint32_t i = 0; i < p->c->jobs[j].n_tasks; i++) {
            struct task_form *task = &p->c->jobs[j].tasks[i];
            for (size_t k = 0; k < n && task->nomination; k++)
                if (lsched_plan_withdrawn_at(p->plan, k) == task->nomination)
                    stop_waiting_there(task);
        }
}

static int32_t cycle(struct play *p) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = p->now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    lsched_plan_destroy(p->plan);
    p->plan = NULL;
    int32_t rc = lsched_schedule(p->cluster, &opts, &p->plan, &p->err);
    if (rc < 0) return rc;
    if (*lsched_plan_policy_error(p->plan)) {
        lsched_init(&p->err, sizeof p->err);
        snprintf(p->err.message, sizeof p->err.message, "%s", lsched_plan_policy_error(p->plan));
        return LSCHED_E_POLICY;
    }
    if (p->choice.explain) explain_plan(p->cluster, p->plan);
    take_withdrawn(p);
    take_decisions(p);
    return 0;
}

/* ---- between cycles -------------------------------------------------------------------------- */

/* Settle all decisions that are nominations, or all that are not. */
static int32_t settle(struct play *p, int nominations, lsched_outcome outcome) {
    size_t n = lsched_plan_size(p->plan), count = 0;
    lsched_id *ids = pool_take(p->pool, n, sizeof *ids);
    lsched_outcome *outcomes = pool_take(p->pool, n, sizeof *outcomes);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(p->plan, i);
        if ((d->kind == LSCHED_DECIDE_NOMINATE) != nominations) continue;
        ids[count] = d->id;
        outcomes[count++] = outcome;
    }
    return settle_each(p->cluster, ids, outcomes, count, NULL, &p->err);
}

static int32_t report(struct play *p, const struct job_form *job, const struct task_form *task,
                      uint32_t what) {
    lsched_task_event event = LSCHED_TASK_EVENT_INIT;
    event.event = what;
    event.job = job->id;
    event.task_index = task->index;
    return lsched_tasks_report(p->cluster, &event, 1, 0, NULL, NULL, &p->err);
}

/* What was asked to stop before the case begins is gone after the first cycle. */
static int32_t stop_releasing(struct play *p) {
    int32_t rc = 0;
    for (uint32_t j = 0; j < p->c->n_jobs; j++) {
        struct job_form *job = &p->c->jobs[j];
        for (uint32_t i = 0; rc >= 0 && !job->deleted_when_evicted && i < job->n_tasks; i++) {
            if (job->tasks[i].now != TASK_RELEASING) continue;
            rc = report(p, job, &job->tasks[i], LSCHED_EVENT_FAILED);
            stop_waiting_there(&job->tasks[i]);
        }
    }
    return rc;
}

/* Placed tasks start and evicted ones stop. */
static int32_t carry_out(struct play *p) {
    int32_t rc = 0;
    for (size_t i = 0; rc >= 0 && i < lsched_plan_size(p->plan); i++) {
        const lsched_decision *d = lsched_plan_at(p->plan, i);
        struct task_form *task = task_of(p, d);
        if (!task || d->kind == LSCHED_DECIDE_NOMINATE) continue;
        const struct job_form *job = &p->c->jobs[d->job_tag];
        if (d->kind == LSCHED_DECIDE_PLACE) {
            rc = report(p, job, task, LSCHED_EVENT_STARTED);
            task->now = TASK_RUNNING;
        } else if (job->deleted_when_evicted) {
            task->now = TASK_RELEASING;
            task->now_at = p->c->nodes[d->node_tag].name;
        } else {
            rc = report(p, job, task, LSCHED_EVENT_FAILED);
            if (task->now == TASK_EVICTED) stop_waiting_there(task);
        }
    }
    return rc;
}

static void forget_nominations(struct play *p) {
    for (uint32_t j = 0; j < p->c->n_jobs; j++)
        for (uint32_t i = 0; i < p->c->jobs[j].n_tasks; i++) {
            struct task_form *task = &p->c->jobs[j].tasks[i];
            if (task->now == TASK_NOMINATED) stop_waiting_there(task);
        }
}

static int32_t between_cycles(struct play *p) {
    int32_t rc = settle(p, 0, LSCHED_OUTCOME_CONFIRMED);
    if (rc >= 0) rc = stop_releasing(p);
    if (rc >= 0) rc = carry_out(p);
    if (rc >= 0)
        rc = settle(p, 1, p->choice.keep ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED);
    if (rc >= 0 && !p->choice.keep) forget_nominations(p);
    return rc;
}

/* ---- the library's state against ours -------------------------------------------------------- */

static int holds_a_place(enum task_state state) {
    return state == TASK_RUNNING || state == TASK_PLACED;
}

/* Exactly our running and placed tasks hold a place, on the same nodes. */
static int32_t compare_job(struct play *p, struct job_form *job) {
    uint32_t ours = 0, theirs = 0, finished = 0;
    for (uint32_t i = 0; i < job->n_tasks; i++) {
        ours += (uint32_t)holds_a_place(job->tasks[i].now);
        finished += job->tasks[i].now == TASK_FINISHED;
    }
    /* the library has removed it, or never saw it */
    if (finished == job->n_tasks || job->id == 0) return 0;
    uint64_t cursor = 0;
    lsched_task_info info = {.size = sizeof info};
    while (lsched_tasks_next(p->cluster, job->id, 0, &cursor, &info, NULL) == 1) {
        if (info.state < LSCHED_TASK_PROPOSED || info.state > LSCHED_TASK_RUNNING) continue;
        const struct task_form *task = task_at(job, info.task_index);
        size_t len = 0;
        const char *node = lsched_name(p->cluster, info.node, &len);
        theirs++;
        if (task && holds_a_place(task->now) && node && task->now_at &&
            len == strlen(task->now_at) && memcmp(node, task->now_at, len) == 0)
            continue;
        snprintf(p->err.message, sizeof p->err.message,
                 "%s-%u is on node %.*s for the library, %s for its decisions", job->name,
                 info.task_index, (int)len, node ? node : "",
                 task ? task_state_name(task->now) : "unknown");
        return LSCHED_E_VERIFY;
    }
    if (ours == theirs) return 0;
    snprintf(p->err.message, sizeof p->err.message,
             "the library says that %u tasks of %s hold a place, its decisions %u", theirs,
             job->name, ours);
    return LSCHED_E_VERIFY;
}

static int32_t compare(struct play *p) {
    int32_t rc = lsched_verify(p->cluster, NULL, &p->err);
    for (uint32_t i = 0; rc >= 0 && i < p->c->n_jobs; i++) rc = compare_job(p, &p->c->jobs[i]);
    return rc;
}

/* ---- the case -------------------------------------------------------------------------------- */

struct place {
    enum task_state state;
    const char *node;
};

static uint32_t count_tasks(const struct case_form *c) {
    uint32_t n = 0;
    for (uint32_t j = 0; j < c->n_jobs; j++) n += c->jobs[j].n_tasks;
    return n;
}

/* Keeps the states of all tasks; returns whether one is another than what was kept. */
static int keep_states(const struct case_form *c, struct place *kept) {
    int changed = 0;
    for (uint32_t j = 0; j < c->n_jobs; j++)
        for (uint32_t i = 0; i < c->jobs[j].n_tasks; i++, kept++) {
            const struct task_form *task = &c->jobs[j].tasks[i];
            changed |= kept->state != task->now || kept->node != task->now_at;
            *kept = (struct place){task->now, task->now_at};
        }
    return changed;
}

/* Results are those after `until` cycles: later ones only tell whether anything flaps. */
static int32_t play_rounds(struct play *p) {
    struct case_form *c = p->c;
    struct place *kept = pool_take(p->pool, count_tasks(c), sizeof *kept), *first = NULL;
    int32_t rc = 0;
    for (uint32_t i = 0; rc >= 0 && i < c->until + c->after; i++, p->now_us++) {
        if (p->choice.explain) fprintf(stderr, "  cycle %u\n", i);
        rc = cycle(p);
        if (rc >= 0) rc = between_cycles(p);
        if (rc >= 0) rc = compare(p);
        int changed = keep_states(c, kept);
        if (i >= c->until) c->flapped |= changed;
        if (i + 1 == c->until) {
            first = pool_take(p->pool, count_tasks(c), sizeof *first);
            memcpy(first, kept, count_tasks(c) * sizeof *first);
        }
    }
    for (uint32_t j = 0; first && j < c->n_jobs; j++)
        for (uint32_t i = 0; i < c->jobs[j].n_tasks; i++, first++) {
            c->jobs[j].tasks[i].now = first->state;
            c->jobs[j].tasks[i].now_at = first->node;
        }
    return rc;
}

int case_play(struct case_form *c, struct pool *pool, lsched_cluster *cluster,
              struct play_choice choice) {
    struct play p = {.c = c,
                     .pool = pool,
                     .cluster = cluster,
                     .err = LSCHED_ERROR_INIT,
                     .choice = choice,
                     .now_us = CASE_NOW_US};
    int32_t rc;
    if (c->rounds) {
        rc = play_rounds(&p);
    } else {
        rc = cycle(&p);
        if (rc >= 0) rc = compare(&p);
    }
    lsched_plan_destroy(p.plan);
    if (rc < 0) fprintf(stderr, "%s: %s: %s\n", c->id, lsched_error_name(rc), p.err.message);
    return rc >= 0;
}
