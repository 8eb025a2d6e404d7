/*
 * Order by right, not by action: in no plan does a job start on room before others are stopped for
 * a job with the better right that would need fewer of them without that start.
 *
 * Random trees of queues with guarantees, gangs, elastic and firm jobs, tasks of one GPU and of
 * several. After each cycle that stops work, each start that stands before an eviction in the plan
 * is judged by what the test knows of queues: does the job that the eviction is for keep within the
 * guarantees of its branch while the start brings each queue of the other branch above its own; or
 * has it the greater priority in the same queue? Then the cycle is repeated on a clone without the
 * job that was started, and nobody may be spared by that.
 *
 * By dominant shares the better right is that of the side that would be no larger than the other is
 * without one task of the start; where queues have quotas of parts (a model, a pool), that of who
 * keeps within its quota of the part where the start's queues are above theirs.
 *
 * And idle room is not kept from anybody: a job of one task that waits for room, with no reason but
 * that, fits on no node.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include "property/evict_world.h"

#include "engine/state/cluster.h"

#include <stdlib.h>

struct seen {
    struct ev_world *w;
    lsched_cluster *before;
    const lsched_plan *plan;
    uint64_t starts, judged;
    int by_shares;
};

static const struct ev_job *job_of(const struct ev_world *w, lsched_id id) {
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (w->job[j].live && w->job[j].id == id) return &w->job[j];
    return NULL;
}

static int is_above(const struct ev_world *w, uint32_t top, uint32_t queue) {
    for (; queue != EV_QUEUES; queue = w->queue[queue].parent)
        if (queue == top) return 1;
    return top == EV_QUEUES;
}

static lsched_queue_share share_of(struct ev_world *w, lsched_cluster *c, uint32_t q) {
    lsched_queue_share s = {.size = sizeof s};
    lsched_error err = LSCHED_ERROR_INIT;
    ev_must(w, lsched_queue_share_get(c, w->queue[q].id, LSCHED_GPU, &s, &err), &err);
    return s;
}

/* The task had a claim before the cycle, which its queue was charged for already. */
static int had_claim(const struct seen *s, const lsched_decision *d) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    while (lsched_tasks_next(s->before, d->job, 0, &cursor, &t, NULL) == 1)
        if (t.task_index == d->task_index && t.state == LSCHED_TASK_NOMINATED) return 1;
    return 0;
}

/* GPUs that the queue holds once the first n decisions of the plan are carried out. */
static int64_t used_after(const struct seen *s, uint32_t q, size_t n) {
    int64_t used = share_of(s->w, s->before, q).used;
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(s->plan, i);
        const struct ev_job *job = job_of(s->w, d->job);
        int takes = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
        if (job && is_above(s->w, q, job->queue) &&
            !(d->kind == LSCHED_DECIDE_PLACE && had_claim(s, d)))
            used += (takes ? 1000 : -1000) * (int64_t)job->gpus;
    }
    return used;
}

/* Of the plan, tasks that were stopped for the job; *seats: those that it gets. */
static uint32_t stopped_for(const lsched_plan *plan, lsched_id job, uint32_t *seats) {
    uint32_t n = 0;
    *seats = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        n += d->kind == LSCHED_DECIDE_EVICT && d->for_job == job;
        *seats +=
            (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE) && d->job == job;
    }
    return n;
}

/* ---- dominant shares: of GPUs, as tasks ask for next to no cores ---- */

/* The highest queue above the first that is not above the other. */
static uint32_t side_of(const struct ev_world *w, uint32_t queue, uint32_t other) {
    while (w->queue[queue].parent != EV_QUEUES && !is_above(w, w->queue[queue].parent, other))
        queue = w->queue[queue].parent;
    return queue;
}

static int64_t weight_of(const struct ev_world *w, uint32_t q) {
    return w->c->k.c[C_QUEUE_WEIGHT_NOW + LSCHED_GPU].i64[(uint32_t)w->queue[q].id];
}

static int32_t priority_of(const struct ev_world *w, uint32_t q) {
    return w->c->k.c[C_QUEUE_PRIORITY].i32[(uint32_t)w->queue[q].id];
}

static int has_smaller_side(const struct seen *s, const struct ev_job *owner, uint32_t seats,
                            const struct ev_job *started, size_t n) {
    const struct ev_world *w = s->w;
    uint32_t mine = side_of(w, owner->queue, started->queue),
             theirs = side_of(w, started->queue, owner->queue);
    size_t first = 0;
    if (w->queue[owner->queue].parent != EV_QUEUES ||
        w->queue[started->queue].parent != EV_QUEUES ||
        priority_of(w, mine) != priority_of(w, theirs))
        return 0; /* the order of shares is another then, and the start may come first by it */
    while (lsched_plan_at(s->plan, first)->job != started->id) first++;
    if ((used_after(s, mine, first) + (int64_t)seats * owner->gpus * 1000) * weight_of(w, theirs) >=
        used_after(s, theirs, first) * weight_of(w, mine))
        return 0;
    int64_t with = used_after(s, mine, n) + (int64_t)seats * owner->gpus * 1000,
            without = used_after(s, theirs, n) - (int64_t)started->gpus * 1000;
    return without * weight_of(w, mine) >= with * weight_of(w, theirs);
}

/* ---- parts of GPUs: of H100s, and of the pool's ---- */

enum { H100 = LSCHED_RESOURCE_KINDS_MAX + 1, SPOT = LSCHED_RESOURCE_KINDS_MAX };

/* What the decision's task holds of the part. */
static int64_t part_of(const struct ev_world *w, const lsched_decision *d, uint32_t part) {
    uint32_t node = 0;
    int64_t sum = 0;
    while (w->node[node] != d->node) node++;
    for (uint32_t i = 0; i < EV_GPUS; i++)
        if ((d->device_mask >> i & 1) && (part == SPOT ? w->spot[node] : i < w->h100[node]))
            sum += 1000;
    return sum;
}

struct part_use {
    int64_t used, quota;
};

static struct part_use part_after(const struct seen *s, uint32_t q, uint32_t part, size_t n) {
    struct part_use u = {0};
    lsched_queue_amount(s->before, s->w->queue[q].id, part, &u.used, &u.quota, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(s->plan, i);
        const struct ev_job *job = job_of(s->w, d->job);
        int takes = d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE;
        if (job && is_above(s->w, q, job->queue))
            u.used += (takes ? 1 : -1) * part_of(s->w, d, part);
    }
    return u;
}

static int has_part(const struct seen *s, const struct ev_job *owner, uint32_t seats,
                    const struct ev_job *started, size_t n, uint32_t part) {
    const struct ev_world *w = s->w;
    uint32_t mine = side_of(w, owner->queue, started->queue),
             theirs = side_of(w, started->queue, owner->queue);
    if (part_of(w, lsched_plan_at(s->plan, n - 1), part) == 0) return 0;
    if (part == H100 && !(owner->models & 1)) return 0; /* its quota is of no use to it */
    for (uint32_t q = owner->queue;; q = w->queue[q].parent) {
        struct part_use u = part_after(s, q, part, n);
        if (u.quota == 0 || u.used + (int64_t)seats * owner->gpus * 1000 > u.quota) return 0;
        if (q == mine) break;
    }
    for (uint32_t q = started->queue;; q = w->queue[q].parent) {
        struct part_use u = part_after(s, q, part, n);
        if (u.used <= u.quota) return 0;
        if (q == theirs) return 1;
    }
}

/* With the first n decisions, the n-th of which is of the start, carried out. */
static int has_better_right(const struct seen *s, const struct ev_job *owner, uint32_t seats,
                            const struct ev_job *started, size_t n) {
    struct ev_world *w = s->w;
    if (owner->queue == started->queue) return owner->priority > started->priority;
    if (s->by_shares) return has_smaller_side(s, owner, seats, started, n);
    if (w->o.parts)
        return has_part(s, owner, seats, started, n, H100) ||
               has_part(s, owner, seats, started, n, SPOT);
    uint32_t q = owner->queue;
    for (; !is_above(w, q, started->queue); q = w->queue[q].parent)
        if (used_after(s, q, n) + (int64_t)seats * owner->gpus * 1000 >
            share_of(w, w->c, q).guarantee)
            return 0;
    for (q = started->queue; !is_above(w, q, owner->queue); q = w->queue[q].parent)
        if (used_after(s, q, n) <= share_of(w, w->c, q).guarantee) return 0;
    return 1;
}

static void judge(struct seen *s, const struct ev_job *started, lsched_id owner, uint32_t stopped) {
    struct ev_world *w = s->w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *without = NULL;
    uint32_t seats;
    ev_must(w, lsched_cluster_clone(s->before, &without, &err), &err);
    ev_must(w, lsched_jobs_remove(without, &started->id, 1, NULL, NULL, &err), &err);
    lsched_plan *plan = ev_cycle(w, without);
    uint32_t fewer = stopped_for(plan, owner, &seats);
    s->judged++;
    if (seats && fewer < stopped) {
        ev_print(w, s->plan);
        print_message("without the start:\n");
        ev_print(w, plan);
        EV_CHECK(w, 0, "%u tasks are stopped, and %u would do without j%u", stopped, fewer,
                 (unsigned)(started - w->job));
    }
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(without);
}

/* The decision starts a job that had nothing before. */
static const struct ev_job *started_by(const struct seen *s, const lsched_decision *d) {
    lsched_job_info info = {.size = sizeof info};
    const struct ev_job *job = job_of(s->w, d->job);
    if (d->kind != LSCHED_DECIDE_PLACE || !job) return NULL;
    if (lsched_job_get(s->before, d->job, &info, NULL) < 0 || info.tasks_placed) return NULL;
    return job;
}

static void check_plan(struct seen *s) {
    for (size_t i = 0; i < lsched_plan_size(s->plan); i++) {
        const lsched_decision *d = lsched_plan_at(s->plan, i);
        const struct ev_job *started = started_by(s, d), *owner;
        lsched_id last = 0;
        if (!started) continue;
        s->starts++;
        for (size_t e = i + 1; e < lsched_plan_size(s->plan); e++) {
            const lsched_decision *x = lsched_plan_at(s->plan, e);
            uint32_t seats, stopped;
            if (x->kind != LSCHED_DECIDE_EVICT || x->for_job == last || x->for_job == started->id)
                continue;
            last = x->for_job;
            owner = job_of(s->w, last);
            if (!owner) continue;
            stopped = stopped_for(s->plan, last, &seats);
            if (has_better_right(s, owner, seats, started, i + 1)) judge(s, started, last, stopped);
        }
    }
}

/* ---- idle room ---- */

static int64_t idle_gpus(struct ev_world *w, uint32_t node) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    int64_t idle = EV_GPUS;
    while (lsched_tasks_next(w->c, 0, w->node[node], &cursor, &t, NULL) == 1) {
        const struct ev_job *job = job_of(w, t.job);
        if (job) idle -= job->gpus;
    }
    return idle;
}

static void check_idle(struct ev_world *w, const lsched_plan *plan) {
    int64_t most = 0;
    for (uint32_t n = 0; n < w->n_nodes; n++)
        if (idle_gpus(w, n) > most) most = idle_gpus(w, n);
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *why = lsched_plan_waiting_at(plan, i);
        const struct ev_job *job = job_of(w, why->job);
        EV_CHECK(w, why->code != LSCHED_WAIT_BUDGET, "somebody was not looked at");
        if (!job || job->max > 1) continue;
        EV_CHECK(w, why->code != LSCHED_WAIT_ROOM || job->gpus > most,
                 "j%u waits for room, and %lld GPUs of a node are idle", (unsigned)(job - w->job),
                 (long long)most);
    }
}

/* ---- worlds ---- */

static void some_end(struct ev_world *w) {
    lsched_task_info t[EV_TASKS];
    uint32_t n = ev_tasks(w, 1u << LSCHED_TASK_RUNNING, t, EV_TASKS);
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        lsched_error err = LSCHED_ERROR_INIT;
        if (!chance_one_in(&w->chance, 12)) continue;
        e.event = LSCHED_EVENT_ENDED;
        e.job = t[i].job;
        e.task_index = t[i].task_index;
        ev_must(w, lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, &err), &err);
    }
}

static void run_world(uint64_t seed, struct ev_options o, const char *share, const char *pipeline,
                      struct seen *sum) {
    struct ev_world *w = calloc(1, sizeof *w);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_non_null(w);
    ev_begin(w, seed, o);
    ev_policy(w, share, pipeline, "victims = 'fewest'");
    for (w->step = 0; w->step < 12; w->step++) {
        struct seen s = {.w = w, .by_shares = strcmp(share, "drf") == 0};
        for (uint32_t n = chance_below(&w->chance, 9); n > 0; n--) ev_random_job(w);
        some_end(w);
        w->now_us += INT64_C(60000000);
        ev_must(w, lsched_cluster_clone(w->c, &s.before, &err), &err);
        lsched_plan *plan = ev_cycle(w, w->c);
        s.plan = plan;
        ev_tally(w, plan);
        check_plan(&s);
        if (!o.parts) check_idle(w, plan); /* there tasks ask for models */
        sum->starts += s.starts;
        sum->judged += s.judged;
        ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
        lsched_plan_destroy(plan);
        lsched_cluster_destroy(s.before);
        ev_obey(w);
    }
    ev_end(w);
    free(w);
}

static void run_worlds_of(uint64_t first, struct ev_options o, const char *share,
                          const char *pipeline) {
    uint64_t n = chance_rounds(150);
    struct seen sum = {0};
    first = chance_seed(first);
    for (uint64_t i = 0; i < n; i++) run_world(first + i, o, share, pipeline, &sum);
    print_message("seeds %llu .. +%llu: %llu starts, %llu judged on a clone\n",
                  (unsigned long long)first, (unsigned long long)n, (unsigned long long)sum.starts,
                  (unsigned long long)sum.judged);
}

static void run_worlds(uint64_t first, struct ev_options o, const char *pipeline) {
    run_worlds_of(first, o, "quota", pipeline);
}

static void tasks_of_one_gpu(void **state) {
    (void)state;
    run_worlds(1, (struct ev_options){.one_gpu = 1}, EV_PIPELINE);
}

static void tasks_of_several(void **state) {
    (void)state;
    run_worlds(100001, (struct ev_options){0}, EV_PIPELINE);
}

static void firm_work_and_scarce_quotas(void **state) {
    (void)state;
    run_worlds(200001, (struct ev_options){.firm = 1, .scarce = 1}, EV_PIPELINE);
}

static void other_orders_of_actions(void **state) {
    (void)state;
    run_worlds(300001, (struct ev_options){0}, "'allocate', 'preempt', 'reclaim'");
    run_worlds(400001, (struct ev_options){0}, "'reclaim', 'allocate', 'preempt'");
}

static void dominant_shares(void **state) {
    (void)state;
    run_worlds_of(500001, (struct ev_options){.one_gpu = 1}, "drf", EV_PIPELINE);
    run_worlds_of(600001, (struct ev_options){0}, "drf", "'allocate', 'reclaim'");
}

/* Seeds at which this property failed once. */
static void seeds_that_failed(void **state) {
    struct seen sum = {0};
    (void)state;
    run_world(9100204, (struct ev_options){0}, "quota", EV_PIPELINE, &sum);
    run_world(9000017, (struct ev_options){.one_gpu = 1, .parts = 1}, "quota", EV_PIPELINE, &sum);
    run_world(9100166, (struct ev_options){.one_gpu = 1, .parts = 1}, "quota", EV_PIPELINE, &sum);
    assert_true(sum.starts > 0);
}

static void quotas_of_parts(void **state) {
    (void)state;
    run_worlds(700001, (struct ev_options){.one_gpu = 1, .parts = 1}, EV_PIPELINE);
    run_worlds(800001, (struct ev_options){.parts = 1}, "'allocate', 'reclaim'");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tasks_of_one_gpu),
                                       cmocka_unit_test(tasks_of_several),
                                       cmocka_unit_test(firm_work_and_scarce_quotas),
                                       cmocka_unit_test(other_orders_of_actions),
                                       cmocka_unit_test(dominant_shares),
                                       cmocka_unit_test(quotas_of_parts),
                                       cmocka_unit_test(seeds_that_failed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
