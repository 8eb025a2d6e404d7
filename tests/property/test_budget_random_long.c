/*
 * Work budgets change when something is decided, never what: at fixed time and state the decisions
 * of all cycles with a budget, for budgets from 1 upward, are those of one cycle without, in that
 * order; so in random trees of queues with guarantees, gangs, limits, firm work and minimum run
 * times, with the pipeline that evicts and moves. Between two cycles the cluster is now and then
 * replaced by its clone, or by what was saved and loaded.
 *
 * While work is left each plan is partial and says so by next_wake. All cycles together look at no
 * more than twice what they were given, and end within six times as many cycles as the work of one
 * cycle takes. With an event between each pair of cycles, which also moves the clock, whoever
 * waited at the beginning is finished looking at within as many cycles as the work takes: no action
 * starves the next.
 */
#include "property/evict_world.h"

#include <stdlib.h>

struct made {
    lsched_id job, node;
    uint32_t kind, task;
};

struct seen {
    struct made made[4096];
    uint32_t n;
    uint64_t cycles, spent;
};

static void note(struct ev_world *w, struct seen *s, const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    s->cycles++;
    s->spent += info.work_spent;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        EV_CHECK(w, s->n < 4096, "too many decisions for the test");
        s->made[s->n++] = (struct made){d->job, d->node, d->kind, d->task_index};
    }
}

static lsched_plan *cycle(struct ev_world *w, lsched_cluster *c, uint64_t budget) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us;
    opts.work_budget = budget;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    ev_must(w, lsched_schedule(c, &opts, &plan, &err), &err);
    return plan;
}

static uint32_t flags_of(const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    return info.flags;
}

struct bytes {
    uint8_t *data;
    size_t n, capacity;
};

static int32_t append(void *user, const void *data, size_t n) {
    struct bytes *b = user;
    if (b->n + n > b->capacity) {
        b->capacity = (b->n + n) * 2;
        b->data = realloc(b->data, b->capacity);
        if (!b->data) return -1;
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return 0;
}

static lsched_cluster *clone_of(struct ev_world *w, const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    ev_must(w, lsched_cluster_clone(c, &copy, &err), &err);
    return copy;
}

/* Another that is in the same state, with cold caches. */
static lsched_cluster *renewed(struct ev_world *w, lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    struct bytes b = {0};
    if (chance_one_in(&w->chance, 2)) {
        copy = clone_of(w, c);
    } else {
        ev_must(w, lsched_cluster_save(c, append, &b, &err), &err);
        ev_must(w, lsched_cluster_load(NULL, b.data, b.n, &copy, &err), &err);
        free(b.data);
    }
    lsched_cluster_destroy(c);
    return copy;
}

/* Cycles of a budget until the plan is not partial. */
static void exhaust(struct ev_world *w, uint64_t budget, uint64_t work, struct seen *s) {
    lsched_cluster *c = clone_of(w, w->c);
    uint64_t most = 6 * (work / budget + 1); /* pass.h derives it; measured: 2.3 */
    for (int left = 1; left;) {
        lsched_plan *plan = cycle(w, c, budget);
        note(w, s, plan);
        left = (flags_of(plan) & LSCHED_PLAN_PARTIAL) != 0;
        lsched_plan_destroy(plan);
        EV_CHECK(w, s->cycles <= most, "budget %llu: %llu cycles, and work is left",
                 (unsigned long long)budget, (unsigned long long)s->cycles);
        if (left)
            EV_CHECK(w, lsched_next_wake(c) <= w->now_us, "work is left, and next_wake is later");
        if (chance_one_in(&w->chance, 40)) c = renewed(w, c);
    }
    EV_CHECK(w, s->spent <= 2 * budget * s->cycles + budget, "budget %llu, %llu cycles: %llu units",
             (unsigned long long)budget, (unsigned long long)s->cycles,
             (unsigned long long)s->spent);
    lsched_cluster_destroy(c);
}

static void print_made(const struct ev_world *w, const char *what, const struct seen *s) {
    print_message("%s:\n", what);
    for (uint32_t i = 0; i < s->n; i++) {
        size_t a = 0, b = 0;
        const char *job = lsched_name(w->c, s->made[i].job, &a),
                   *node = lsched_name(w->c, s->made[i].node, &b);
        print_message("  kind %u job %.*s task %u node %.*s\n", s->made[i].kind, (int)a, job,
                      s->made[i].task, (int)b, node);
    }
}

static void compare(struct ev_world *w, uint64_t budget, const struct seen *a,
                    const struct seen *b) {
    for (uint32_t i = 0; i < a->n || i < b->n; i++) {
        if (i < a->n && i < b->n && a->made[i].job == b->made[i].job &&
            a->made[i].kind == b->made[i].kind && a->made[i].task == b->made[i].task &&
            a->made[i].node == b->made[i].node)
            continue;
        print_made(w, "without a bound", a);
        print_made(w, "with it", b);
        fail_msg("seed %llu step %u: with budget %llu decision %u of %u is another (%u)",
                 (unsigned long long)w->seed, w->step, (unsigned long long)budget, i, a->n, b->n);
    }
}

static void check_budgets(struct ev_world *w) {
    static const uint64_t budgets[] = {1, 2, 3, 5, 8, 21, 55, 144, 1000, 20000};
    struct seen *whole = calloc(1, sizeof *whole), *parts = calloc(1, sizeof *parts);
    assert_true(whole && parts);
    exhaust(w, UINT64_MAX / 4, 0, whole);
    EV_CHECK(w, whole->cycles == 1, "a cycle without a bound was partial");
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        if (whole->spent / budgets[i] > 2000) continue; /* too slow for a test */
        memset(parts, 0, sizeof *parts);
        exhaust(w, budgets[i], whole->spent, parts);
        compare(w, budgets[i], whole, parts);
    }
    free(whole);
    free(parts);
}

/* ---- worlds ---- */

static void go_on(struct ev_world *w, const lsched_plan *plan) {
    ev_settle_all(w, plan, LSCHED_OUTCOME_CONFIRMED);
    ev_obey(w);
}

static void finish_some(struct ev_world *w) {
    lsched_task_info t[EV_TASKS];
    uint32_t n = ev_tasks(w, 1u << LSCHED_TASK_RUNNING, t, EV_TASKS);
    for (uint32_t i = 0; i < n; i++)
        if (chance_one_in(&w->chance, 10))
            ev_report(w, t[i].job, t[i].task_index, LSCHED_EVENT_ENDED);
}

static struct ev_options random_options(struct chance *c) {
    struct ev_options o = {0};
    o.no_gangs = chance_one_in(c, 4);
    o.one_gpu = chance_one_in(c, 4);
    o.limits = chance_one_in(c, 3);
    o.waits = chance_one_in(c, 3);
    o.firm = chance_one_in(c, 3);
    o.trees = chance_one_in(c, 3);
    o.scarce = chance_one_in(c, 3);
    o.lend = chance_one_in(c, 4);
    o.parts = chance_one_in(c, 5);
    return o;
}

static void begin(struct ev_world *w, uint64_t seed) {
    struct chance c = {seed};
    ev_begin(w, seed, random_options(&c));
    ev_policy(w, "quota", EV_PIPELINE, "");
}

static void run_seed(struct ev_world *w, uint64_t seed) {
    begin(w, seed);
    for (w->step = 0; w->step < 5; w->step++) {
        for (uint32_t n = 2 + chance_below(&w->chance, 12); n > 0; n--) ev_random_job(w);
        check_budgets(w);
        lsched_plan *plan = cycle(w, w->c, 0);
        go_on(w, plan);
        lsched_plan_destroy(plan);
        if (chance_one_in(&w->chance, 2)) finish_some(w);
        w->now_us += chance_between(&w->chance, 1, 400) * 1000000;
    }
    ev_end(w);
}

static void budgets_change_no_decision(void **unused) {
    (void)unused;
    struct ev_world *w = malloc(sizeof *w);
    assert_non_null(w);
    uint64_t from = chance_seed(700000), n = chance_rounds(8);
    for (uint64_t i = 0; i < n; i++) run_seed(w, from + i);
    free(w);
}

/* ---- a stream of events ---- */

static void add(struct ev_world *w, uint32_t queue, const char *name, int64_t gpus, lsched_id *id) {
    lsched_amount ask = {LSCHED_GPU, 0, gpus * 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    g.request = &ask;
    g.n_request = 1;
    d.name = (lsched_text){name, strlen(name)};
    d.queue = w->queue[queue].id;
    d.groups = &g;
    d.n_groups = 1;
    d.submit_us = w->now_us;
    ev_must(w, lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, id, NULL, &err), &err);
}

/* Guests fill two nodes, the owner waits for one of them; and in each cycle a job comes for which there is no room. */
static void events_starve_nobody(void **unused) {
    static const uint64_t budgets[] = {8, 30, 200, 2000};
    (void)unused;
    for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
        struct ev_world *w = calloc(1, sizeof *w);
        lsched_error err = LSCHED_ERROR_INIT;
        char name[24];
        assert_non_null(w);
        w->now_us = INT64_C(1700000000000000);
        ev_must(w, lsched_cluster_create(NULL, &w->c, &err), &err);
        ev_add_node(w);
        ev_add_node(w);
        lsched_amount quota = {LSCHED_GPU, 0, 16000};
        lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
        q[0].name = LSCHED_TEXT("owner");
        q[0].quota = &quota;
        q[0].n_quota = 1;
        q[1].name = LSCHED_TEXT("guest");
        lsched_id ids[2], job;
        ev_must(w, lsched_queues_add(w->c, q, 2, sizeof q[0], NULL, ids, NULL, &err), &err);
        w->queue[0].id = ids[0];
        w->queue[1].id = ids[1];
        ev_policy(w, "quota", EV_PIPELINE, "");
        for (uint32_t i = 0; i < 16; i++) {
            snprintf(name, sizeof name, "g%u", i);
            add(w, 1, name, 1, &job);
        }
        lsched_plan *plan = cycle(w, w->c, 0);
        go_on(w, plan);
        lsched_plan_destroy(plan);
        w->now_us += 600000000;
        add(w, 0, "own", 8, &job);
        uint64_t evicted = 0, cycles = 0, most = 20000 / budgets[b] + 40;
        for (; evicted < 8 && cycles < most; cycles++) {
            snprintf(name, sizeof name, "late%llu", (unsigned long long)cycles);
            add(w, 1, name, 4, &job);
            plan = cycle(w, w->c, budgets[b]);
            evicted += ev_stops(plan);
            lsched_plan_destroy(plan);
            w->now_us++;
        }
        if (evicted < 8)
            fail_msg("budget %llu: %llu cycles, each with an event, and %llu of 8 evictions",
                     (unsigned long long)budgets[b], (unsigned long long)cycles,
                     (unsigned long long)evicted);
        ev_end(w);
        free(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_change_no_decision),
        cmocka_unit_test(events_starve_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
