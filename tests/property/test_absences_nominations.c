/*
 * test_absences_nominations.c -- no work is stopped for a nomination that an absence bars when
 * its room is free, as far as the absence is known at the eviction; and no nomination is lost whose
 * room is free in time.
 *
 * Owners have the quota of all nodes; guests run there until an owner comes. Nodes leave and
 * come back. The orchestrator does what it is told, and a stopped task is gone at the time that its
 * decision says, or some time before. The outside model knows all absences, written out one by one.
 * For each nomination it proves that the task ends before the node leaves if it starts at the
 * expected time, which for a gang is the time of its last task. A nomination stays until that time,
 * unless an absence changes; also then, a task starts if its room is free in time. Some worlds plan
 * over time, always or when a hook says so, and some jobs can run for longer than their estimate.
 * Every cycle is verified, and its state is saved and loaded. No cache decides: each cycle decides
 * what it decides in a cluster that was just loaded, whatever came before: a clone or a loaded
 * state in the place of the cluster, another policy, predictions, a clock that was set back.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/plans.h>
#include <libsched/policies.h>

#include "property/chance.h"

enum { NODES = 3, JOBS = 60, WINDOWS = 256, CORES = 4, STOPS = 256 };
#define MINUTE INT64_C(60000000)

struct window {
    int64_t from, to;
};

struct stop {
    lsched_id job;
    uint32_t task;
    int64_t at;
    lsched_id node;
};

struct owner {
    int64_t starts;         /* when the first nominated task should have room; 0: not nominated */
    uint32_t version;       /* number of changes of absences when it was nominated */
    int borrows;            /* 1: a guest, whose nomination others can take away */
    uint32_t node, n_tasks; /* the node of the latest nomination; the tasks of the job */
};

struct vain_world {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    lsched_id node[NODES], job[JOBS];
    struct window window[NODES][WINDOWS];
    uint32_t n_windows[NODES], n_jobs, n_stops, version;
    /* runs: the longest time for which the job can run; ends: 0: not started */
    int64_t runs[JOBS], ends[JOBS];
    struct owner owner[JOBS];
    struct stop stop[STOPS];
    int64_t now;
    uint32_t nominated, seated, lost;
    int keeps; /* 0: tasks stop late, or the clock or the policy changes, so nominations can end */
};

static void random_windows(struct vain_world *w, uint32_t n, int64_t *leaves, int64_t *back,
                           int64_t *every) {
    struct chance *c = &w->chance;
    *leaves = *back = *every = 0;
    w->n_windows[n] = 0;
    if (chance_one_in(c, 4)) return;
    *leaves = w->now + chance_between(c, 1, 150) * MINUTE;
    *back = *leaves + chance_between(c, 1, 60) * MINUTE;
    *every = chance_one_in(c, 2) ? 0 : *back - *leaves + chance_between(c, 1, 200) * MINUTE;
    for (uint32_t i = 0; i < (*every ? (uint32_t)WINDOWS : 1u); i++)
        w->window[n][w->n_windows[n]++] = (struct window){*leaves + i * *every, *back + i * *every};
}

static int is_barred(const struct vain_world *w, uint32_t n, int64_t runs, int64_t at) {
    for (uint32_t i = 0; i < w->n_windows[n]; i++)
        if (w->window[n][i].to > at && w->window[n][i].from < at + runs) return 1;
    return 0;
}

static const char plans_over_time[] =
    "return { api = 1, name = 'planned', fair_share = 'quota', pipeline = { 'backfill', 'reclaim' } }";
static const char plans_now_and_then[] =
    "return { api = 1, name = 'planned', fair_share = 'quota', pipeline = function(cluster, now)\n"
    "  if now % 180 < 60 then return { 'allocate', 'reclaim' } end\n"
    "  return { 'backfill', 'reclaim' } end }";

static void load_policy(struct vain_world *w) {
    static const char *const texts[] = {NULL, plans_over_time, plans_now_and_then,
                                        plans_now_and_then};
    const char *text = texts[chance_below(&w->chance, 4)];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text none = {NULL, 0};
    int32_t rc =
        lsched_policy_load(w->c, text ? LSCHED_TEXT("planned") : LSCHED_TEXT("guaranteed-quota"),
                           text ? lsched_cstr(text) : none, NULL, &err);
    if (rc != LSCHED_OK) fail_msg("%s", err.message);
}

static void begin(struct vain_world *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = CORES * 1000},
                  all = {.kind = LSCHED_CPU, .amount = INT64_C(1000) * CORES * NODES};
    lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    assert_int_equal(lsched_cluster_create(NULL, &w->c, &err), LSCHED_OK);
    load_policy(w);
    q[0].name = LSCHED_TEXT("owners");
    q[0].quota = &all;
    q[0].n_quota = 1;
    q[1].name = LSCHED_TEXT("guests");
    assert_int_equal(lsched_queues_add(w->c, q, 2, sizeof q[0], NULL, NULL, NULL, &err), 2);
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", n);
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = &cores;
        d.n_capacity = 1;
        random_windows(w, n, &d.leaves_us, &d.back_us, &d.leaves_every_us);
        assert_int_equal(lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, &w->node[n], NULL, &err), 1);
    }
}

static void change_absence(struct vain_world *w) {
    uint32_t n = chance_below(&w->chance, NODES);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w->node[n];
    u.set = LSCHED_NODE_SET_ABSENCE;
    random_windows(w, n, &u.leaves_us, &u.back_us, &u.leaves_every_us);
    assert_int_equal(lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, NULL), 1);
    w->version++;
}

static void submit(struct vain_world *w) {
    struct chance *c = &w->chance;
    int owner = chance_one_in(c, 2);
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 1000 * chance_between(c, 1, CORES)};
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t j = w->n_jobs++;
    char name[8];
    snprintf(name, sizeof name, "j%u", j);
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.max_count = owner ? (uint32_t)chance_between(c, 1, 2) : 1;
    g.request = &cores;
    g.n_request = 1;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue_name = owner ? LSCHED_TEXT("owners") : LSCHED_TEXT("guests");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.duration_us = chance_between(c, 1, 90) * MINUTE;
    d.release_us = chance_between(c, 1, 30) * MINUTE;
    if (chance_one_in(c, 2)) d.time_limit_us = d.duration_us + chance_between(c, 0, 90) * MINUTE;
    w->runs[j] = d.time_limit_us ? d.time_limit_us : d.duration_us;
    w->owner[j].borrows = !owner;
    w->owner[j].n_tasks = g.max_count;
    int32_t rc = lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &w->job[j], NULL, &err);
    if (rc != 1) fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
}

static void report(struct vain_world *w, uint32_t event, lsched_id job, uint32_t task) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = task;
    e.at_us = w->now;
    assert_true(lsched_tasks_report(w->c, &e, 1, sizeof e, NULL, NULL, NULL) >= 0);
}

/* Tasks that were told to stop are gone now, and work that has run for its time has ended. */
static void pass_time(struct vain_world *w) {
    for (uint32_t i = 0; i < w->n_stops;) {
        if (w->stop[i].at > w->now) {
            i++;
            continue;
        }
        report(w, LSCHED_EVENT_FAILED, w->stop[i].job, w->stop[i].task);
        w->stop[i] = w->stop[--w->n_stops];
    }
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        if (!w->job[j] || !w->ends[j] || w->ends[j] > w->now) continue;
        assert_int_equal(lsched_jobs_remove(w->c, &w->job[j], 1, NULL, NULL, NULL), 1);
        w->job[j] = 0;
    }
}

static uint32_t job_of(const struct vain_world *w, lsched_id id) {
    uint32_t j = 0;
    while (j < w->n_jobs && w->job[j] != id) j++;
    assert_true(j < w->n_jobs);
    return j;
}

static void check_nomination(struct vain_world *w, const lsched_decision *d, uint32_t j) {
    uint32_t n = 0;
    while (w->node[n] != d->node) n++;
    int64_t at = d->at_us > w->now ? d->at_us : w->now;
    if (is_barred(w, n, w->runs[j], at))
        fail_msg("seed %llu: at %lld, j%u is nominated for n%u at %lld, where an absence bars it",
                 (unsigned long long)w->seed, (long long)(w->now / MINUTE), j, n,
                 (long long)(at / MINUTE));
    if (w->owner[j].starts == 0 || at < w->owner[j].starts) w->owner[j].starts = at;
    w->owner[j].version = w->version;
    w->owner[j].node = n;
    w->nominated++;
}

/* Carries out the plan. */
static void obey(struct vain_world *w, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = LSCHED_SETTLEMENT_INIT;
        s.decision = d->id;
        s.outcome = LSCHED_OUTCOME_CONFIRMED;
        uint32_t j = job_of(w, d->job);
        if (d->kind == LSCHED_DECIDE_NOMINATE) {
            check_nomination(w, d, j);
            continue;
        }
        assert_int_equal(lsched_settle(w->c, &s, 1, sizeof s, NULL, NULL, NULL, NULL), 1);
        if (d->kind == LSCHED_DECIDE_PLACE) {
            report(w, LSCHED_EVENT_STARTED, d->job, d->task_index);
            w->ends[j] = w->now + w->runs[j];
            w->seated += w->owner[j].starts != 0;
            w->owner[j].starts = 0;
        }
        if (d->kind != LSCHED_DECIDE_EVICT && d->kind != LSCHED_DECIDE_MIGRATE) continue;
        assert_true(w->n_stops < STOPS);
        int64_t gone = d->at_us;
        if (gone > w->now && chance_one_in(&w->chance, 3))
            gone = chance_between(&w->chance, w->now, gone);
        else if (!w->keeps && chance_one_in(&w->chance, 2))
            gone += chance_between(&w->chance, 1, 60) * MINUTE;
        w->stop[w->n_stops++] = (struct stop){d->job, d->task_index, gone, d->node};
        w->ends[j] = 0;
    }
}

/* True if the only task of the job can start where it was nominated: no work is being stopped
 * there, and the job has left its old place if it moves. */
static int could_start(const struct vain_world *w, uint32_t j) {
    const struct owner *o = &w->owner[j];
    for (uint32_t i = 0; i < w->n_stops; i++)
        if (w->stop[i].node == w->node[o->node] || w->stop[i].job == w->job[j]) return 0;
    return o->n_tasks == 1 && !is_barred(w, o->node, w->runs[j], w->now);
}

/* A job that was nominated keeps its nomination until its time. Later, other work can have taken
 * its room. */
static void check_kept(struct vain_world *w) {
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        lsched_job_info job = {.size = sizeof job};
        if (!w->job[j] || !w->owner[j].starts || w->owner[j].borrows) continue;
        assert_int_equal(lsched_job_get(w->c, w->job[j], &job, NULL), LSCHED_OK);
        if (job.tasks_placed) continue;
        if (w->owner[j].version == w->version && w->now < w->owner[j].starts)
            fail_msg("seed %llu: at %lld, j%u loses its nomination, for which work was stopped",
                     (unsigned long long)w->seed, (long long)(w->now / MINUTE), j);
        if (w->now < w->owner[j].starts && could_start(w, j))
            fail_msg("seed %llu: at %lld, j%u loses its nomination, but its room is free",
                     (unsigned long long)w->seed, (long long)(w->now / MINUTE), j);
        w->lost += w->owner[j].version != w->version;
        w->owner[j].starts = 0;
    }
}

/* Goes on to the next time at which a task is gone, or by a few minutes if that is earlier. */
static void next_time(struct vain_world *w) {
    int64_t at = w->now + chance_between(&w->chance, 1, 10) * MINUTE;
    for (uint32_t i = 0; i < w->n_stops; i++)
        if (w->stop[i].at > w->now && w->stop[i].at < at) at = w->stop[i].at;
    w->now = at;
}

struct image {
    char *bytes;
    size_t n, cap;
};

static int32_t image_write(void *user, const void *bytes, size_t n) {
    struct image *image = user;
    if (n > image->cap - image->n) {
        image->cap = 2 * image->cap + n;
        image->bytes = realloc(image->bytes, image->cap);
        assert_non_null(image->bytes);
    }
    memcpy(image->bytes + image->n, bytes, n);
    image->n += n;
    return 0;
}

static lsched_cluster *loaded_copy(const struct vain_world *w, struct image *image) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy;
    image->n = 0;
    assert_int_equal(lsched_cluster_save(w->c, image_write, image, &err), LSCHED_OK);
    if (lsched_cluster_load(NULL, image->bytes, image->n, &copy, &err) != LSCHED_OK)
        fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
    return copy;
}

/* The state is one that a load accepts, and its next cycle is not due in the past. */
static void check_state(const struct vain_world *w, struct image *image) {
    lsched_cluster_destroy(loaded_copy(w, image));
    if (lsched_next_wake(w->c) < w->now)
        fail_msg("seed %llu: the next cycle was due at %lld, before %lld",
                 (unsigned long long)w->seed, (long long)(lsched_next_wake(w->c) / MINUTE),
                 (long long)(w->now / MINUTE));
}

/* ---- what must not decide ---- */

static void predict(struct vain_world *w) {
    uint32_t j = w->n_jobs ? chance_below(&w->chance, w->n_jobs) : 0;
    if (w->n_jobs == 0 || !w->job[j] || w->ends[j]) return;
    for (uint32_t times = 2; times > 0; times--) {
        lsched_would_start_answer answer = {.size = sizeof answer};
        lsched_error err = LSCHED_ERROR_INIT;
        if (lsched_would_start(w->c, w->job[j], NULL, NULL, &answer, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
    }
}

/* Changes caches, and now and then the policy or the clock. */
static void disturb(struct vain_world *w, struct image *image) {
    struct chance *c = &w->chance;
    lsched_cluster *other = NULL;
    if (chance_one_in(c, 8)) {
        assert_int_equal(lsched_cluster_clone(w->c, &other, NULL), LSCHED_OK);
    } else if (chance_one_in(c, 8)) {
        other = loaded_copy(w, image);
    }
    if (other) {
        lsched_cluster_destroy(w->c);
        w->c = other;
    }
    if (chance_one_in(c, 4)) predict(w);
    if (w->keeps || !chance_one_in(c, 8)) return;
    if (chance_one_in(c, 2)) load_policy(w);
    if (chance_one_in(c, 2)) return;
    w->now -= chance_between(c, 0, w->now < 20 * MINUTE ? 0 : 20) * MINUTE;
    assert_int_equal(lsched_clock_set(w->c, w->now, NULL), LSCHED_OK);
}

static lsched_plan *plan_of(const struct vain_world *w, lsched_cluster *c) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan;
    o.now_us = w->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    if (lsched_schedule(c, &o, &plan, &err) != LSCHED_OK)
        fail_msg("seed %llu: %s", (unsigned long long)w->seed, err.message);
    return plan;
}

/* Runs the cycle, now and then also in a cluster that was just loaded, which must decide alike. */
static lsched_plan *plan_as_loaded(struct vain_world *w, struct image *image) {
    if (chance_one_in(&w->chance, 2)) return plan_of(w, w->c);
    lsched_cluster *cold = loaded_copy(w, image);
    lsched_plan *plan = plan_of(w, w->c), *other = plan_of(w, cold);
    int same = lsched_plan_size(plan) == lsched_plan_size(other);
    for (size_t i = 0; same && i < lsched_plan_size(plan); i++) {
        const lsched_decision *a = lsched_plan_at(plan, i), *b = lsched_plan_at(other, i);
        same = a->kind == b->kind && a->job == b->job && a->task_index == b->task_index &&
               a->node == b->node && a->at_us == b->at_us;
    }
    if (!same || lsched_next_wake(w->c) != lsched_next_wake(cold))
        fail_msg("seed %llu: at %lld, a cluster that was just loaded decides otherwise",
                 (unsigned long long)w->seed, (long long)(w->now / MINUTE));
    lsched_plan_destroy(other);
    lsched_cluster_destroy(cold);
    return plan;
}

static void run_world(struct vain_world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->chance.state = seed ^ 0x5ab07;
    w->keeps = chance_one_in(&w->chance, 2);
    struct image image = {NULL, 0, 0};
    begin(w);
    for (uint32_t step = 0; step < 60; step++) {
        next_time(w);
        pass_time(w);
        if (chance_one_in(&w->chance, 12)) change_absence(w);
        for (uint32_t n = chance_below(&w->chance, 3); n > 0 && w->n_jobs < JOBS; n--) submit(w);
        disturb(w, &image);
        lsched_plan *plan = plan_as_loaded(w, &image);
        check_state(w, &image);
        obey(w, plan);
        if (w->keeps) check_kept(w);
        lsched_plan_destroy(plan);
    }
    free(image.bytes);
    lsched_cluster_destroy(w->c);
}

static void no_work_is_stopped_in_vain(void **unused) {
    static struct vain_world w;
    uint64_t seed = chance_seed(1), n = chance_rounds(60);
    uint32_t nominated = 0, seated = 0, lost = 0;
    (void)unused;
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) {
        run_world(&w, seed + i);
        nominated += w.nominated;
        seated += w.seated;
        lost += w.lost;
    }
    print_message("%u nominations, %u jobs started by one, %u lost after a change\n", nominated,
                  seated, lost);
    if (n > 10) assert_true(nominated > 0 && seated > 0 && lost > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_work_is_stopped_in_vain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
