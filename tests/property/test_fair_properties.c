/*
 * Five properties of a fair share that Armada states, of ours on random clusters. Queues are
 * roots, each with a weight and no quota; jobs are of one task of one GPU, all on equal nodes, so
 * that what a queue holds is a number. n(q) is what it holds at rest, d(q) what its jobs ask for,
 * w(q) its weight, G all GPUs.
 *
 *   sharing incentive       nobody is worse off than with machines of its own:
 *                           n(q) >= min(d(q), floor(G w(q) / sum of w))
 *   strategy-proofness      asking for more than one can use brings nothing: with d'(q) > d(q) the
 *                           queue still holds no more than before of what it can use (but for one
 *                           GPU, as GPUs are whole)
 *   envy-freeness           nobody would rather have what another has: if n(q) < d(q), no other
 *                           queue holds more per weight, but for the one GPU by which each may
 *                           miss its exact share: (n(p) - 1) / w(p) <= (n(q) + 1) / w(q); of
 *                           equal weights none holds two more
 *   Pareto efficiency       nobody could have more without somebody having less: while a job waits
 *                           no GPU is free
 *   preemption stability    who was stopped and asks again does not stop others again
 *
 * With policies "quota" (weights divide all) and "drf" (equal weights by dominant share); jobs
 * come in random order over several cycles, so that early queues hold too much at first and give
 * it back by eviction. With a guarantee besides: whoever asks for it holds min(d(q), guarantee).
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include "property/evict_world.h"

#define FAIR_QUEUES 6u

struct fair {
    struct ev_world w;
    const char *share;
    uint32_t weight[FAIR_QUEUES];
    uint32_t demand[FAIR_QUEUES];
    uint32_t names;
};

static void add_queue(struct fair *f, uint32_t q) {
    char name[8];
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount weight = {LSCHED_ANY_RESOURCE, 0, f->weight[q] * 1000};
    lsched_amount quota = {LSCHED_GPU, 0, f->w.queue[q].quota * 1000};
    snprintf(name, sizeof name, "q%u", q);
    d.name = (lsched_text){name, strlen(name)};
    d.weight_milli = &weight;
    d.n_weight = 1;
    d.quota = &quota;
    d.n_quota = quota.amount > 0;
    d.created_us = 1 + q;
    ev_must(&f->w, lsched_queues_add(f->w.c, &d, 1, sizeof d, NULL, &f->w.queue[q].id, NULL, &err),
            &err);
}

static void submit(struct fair *f, uint32_t q) {
    char name[16];
    struct ev_world *w = &f->w;
    if (w->n_jobs == EV_JOBS) return;
    w->job[w->n_jobs] = (struct ev_job){.queue = q, .max = 1, .min = 1, .gpus = 1};
    snprintf(name, sizeof name, "j%u", f->names++);
    ev_submit(w, &w->job[w->n_jobs++], name);
    f->demand[q]++;
}

static void begin(struct fair *f, uint64_t seed, const char *share, int quotas) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct ev_world *w = &f->w;
    memset(f, 0, sizeof *f);
    f->share = share;
    w->seed = seed;
    w->chance.state = seed;
    w->now_us = INT64_C(1700000000000000);
    ev_must(w, lsched_cluster_create(NULL, &w->c, &err), &err);
    for (uint32_t n = 1 + chance_below(&w->chance, 3); n > 0; n--) ev_add_node(w);
    w->n_queues = 2 + chance_below(&w->chance, FAIR_QUEUES - 1);
    int64_t left = quotas ? (int64_t)w->n_nodes * EV_GPUS : 0;
    for (uint32_t q = 0; q < w->n_queues; q++) {
        f->weight[q] = strcmp(share, "drf") == 0 ? 1 : 1 + chance_below(&w->chance, 3);
        w->queue[q].limit = -1;
        w->queue[q].parent = EV_QUEUES;
        w->queue[q].quota = left > 0 ? chance_between(&w->chance, 0, left / 2) : 0;
        left -= w->queue[q].quota;
        add_queue(f, q);
    }
    ev_policy(w, share, EV_PIPELINE, "");
}

/* Jobs in random order, a cycle now and then. */
static void load(struct fair *f, const uint32_t *demand) {
    struct ev_world *w = &f->w;
    uint32_t left[FAIR_QUEUES], all = 0;
    memcpy(left, demand, sizeof left);
    for (uint32_t q = 0; q < w->n_queues; q++) all += left[q];
    for (; all > 0; all--) {
        uint32_t q = chance_below(&w->chance, w->n_queues);
        while (left[q] == 0) q = (q + 1) % w->n_queues;
        left[q]--;
        submit(f, q);
        w->now_us += 1000000;
        if (chance_one_in(&w->chance, 5)) ev_settle_down(w, 1, 1000000);
    }
    ev_settle_down(w, 2, 1000000);
}

static void random_demand(struct fair *f, uint32_t *demand) {
    memset(demand, 0, FAIR_QUEUES * sizeof *demand);
    for (uint32_t q = 0; q < f->w.n_queues; q++)
        demand[q] = chance_below(&f->w.chance, f->w.n_nodes * EV_GPUS + 4);
}

static uint32_t holds(const struct fair *f, uint32_t q) {
    int64_t used = 0;
    assert_true(
        lsched_queue_amount(f->w.c, f->w.queue[q].id, LSCHED_GPU, &used, NULL, NULL, NULL) >= 0);
    return (uint32_t)(used / 1000);
}

static uint32_t all_weights(const struct fair *f) {
    uint32_t sum = 0;
    for (uint32_t q = 0; q < f->w.n_queues; q++) sum += f->weight[q];
    return sum;
}

static uint32_t gpus(const struct fair *f) {
    return f->w.n_nodes * EV_GPUS;
}

/* ---- the five ---- */

static void check_incentive(struct fair *f) {
    for (uint32_t q = 0; q < f->w.n_queues; q++) {
        uint32_t own = gpus(f) * f->weight[q] / all_weights(f);
        uint32_t least = f->demand[q] < own ? f->demand[q] : own;
        EV_CHECK(&f->w, holds(f, q) >= least, "%s: q%u holds %u of %u wanted; %u would be its own",
                 f->share, q, holds(f, q), f->demand[q], own);
    }
}

static void check_envy(struct fair *f) {
    for (uint32_t q = 0; q < f->w.n_queues; q++)
        for (uint32_t p = 0; p < f->w.n_queues; p++) {
            uint32_t mine = holds(f, q), theirs = holds(f, p);
            if (p == q || mine >= f->demand[q] || theirs == 0) continue;
            EV_CHECK(&f->w,
                     (theirs - 1) * f->weight[q] <= (mine + 1) * f->weight[p] &&
                         (f->weight[p] != f->weight[q] || theirs <= mine + 1),
                     "%s: q%u (weight %u) holds %u of %u, q%u (weight %u) holds %u", f->share, q,
                     f->weight[q], mine, f->demand[q], p, f->weight[p], theirs);
        }
}

static void check_pareto(struct fair *f) {
    uint32_t held = 0, asked = 0;
    for (uint32_t q = 0; q < f->w.n_queues; q++) {
        held += holds(f, q);
        asked += f->demand[q];
    }
    EV_CHECK(&f->w, held == (asked < gpus(f) ? asked : gpus(f)), "%s: %u of %u GPUs, %u asked for",
             f->share, held, gpus(f), asked);
}

static void check_guarantees(struct fair *f) {
    for (uint32_t q = 0; q < f->w.n_queues; q++) {
        uint32_t own = (uint32_t)f->w.queue[q].quota;
        EV_CHECK(&f->w, holds(f, q) >= (f->demand[q] < own ? f->demand[q] : own),
                 "%s: q%u holds %u of %u wanted, %u guaranteed", f->share, q, holds(f, q),
                 f->demand[q], own);
    }
}

/* A job that waits is taken out and comes again. */
static void check_stability(struct fair *f) {
    struct ev_world *w = &f->w;
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0, n = w->n_jobs; j < n; j++) {
        lsched_job_info info = ev_info(w, &w->job[j]);
        if (info.tasks_wanted == 0 || info.tasks_placed || chance_one_in(&w->chance, 2)) continue;
        ev_must(w, lsched_jobs_remove(w->c, &w->job[j].id, 1, NULL, NULL, &err), &err);
        w->job[j].live = 0;
        f->demand[w->job[j].queue]--;
        submit(f, w->job[j].queue);
        w->now_us += 1000000;
        lsched_plan *plan = ev_cycle(w, w->c);
        EV_CHECK(w, lsched_plan_size(plan) == 0, "%s: job %u of q%u comes again and %zu decisions",
                 f->share, j, w->job[j].queue, lsched_plan_size(plan));
        lsched_plan_destroy(plan);
    }
}

/* The same cluster and the same jobs, but that one queue asks for more than it can use. */
static void check_strategy(uint64_t seed, const char *share) {
    struct fair f;
    uint32_t demand[FAIR_QUEUES], honest = 0, liar;
    for (int lies = 0; lies < 2; lies++) {
        begin(&f, seed, share, 0);
        random_demand(&f, demand);
        liar = chance_below(&f.w.chance, f.w.n_queues);
        uint32_t can_use = demand[liar];
        if (lies) demand[liar] += 1 + chance_below(&f.w.chance, gpus(&f));
        load(&f, demand);
        uint32_t has = holds(&f, liar) < can_use ? holds(&f, liar) : can_use;
        if (lies)
            EV_CHECK(&f.w, has <= honest + 1, "%s: q%u says %u, can use %u, and gets %u for %u",
                     share, liar, demand[liar], can_use, has, honest);
        honest = has;
        ev_end(&f.w);
    }
}

/* ---- runs ---- */

static const char *const shares[] = {"quota", "drf"};

static void each(uint32_t rounds, int quotas, void (*check)(struct fair *f)) {
    uint64_t first = chance_seed(1), evictions = 0;
    uint32_t n = chance_rounds(rounds);
    print_message("seeds %llu .. +%u\n", (unsigned long long)first, n);
    for (uint64_t seed = first; seed < first + n; seed++)
        for (int s = 0; s < (quotas ? 1 : 2); s++) {
            struct fair f;
            uint32_t demand[FAIR_QUEUES];
            begin(&f, seed, shares[s], quotas);
            random_demand(&f, demand);
            load(&f, demand);
            check(&f);
            evictions += f.w.evictions;
            ev_end(&f.w);
        }
    assert_true(n < 20 || evictions > 0);
}

static void sharing_incentive(void **unused) {
    (void)unused;
    each(120, 0, check_incentive);
}

static void strategy_proofness(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1);
    for (uint64_t seed = first; seed < first + chance_rounds(60); seed++)
        for (int s = 0; s < 2; s++) check_strategy(seed, shares[s]);
}

static void envy_freeness(void **unused) {
    (void)unused;
    each(120, 0, check_envy);
}

static void pareto_efficiency(void **unused) {
    (void)unused;
    each(120, 0, check_pareto);
}

static void preemption_stability(void **unused) {
    (void)unused;
    each(80, 0, check_stability);
}

static void guarantees_come_before_weights(void **unused) {
    (void)unused;
    each(120, 1, check_guarantees);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing_incentive),    cmocka_unit_test(strategy_proofness),
        cmocka_unit_test(envy_freeness),        cmocka_unit_test(pareto_efficiency),
        cmocka_unit_test(preemption_stability), cmocka_unit_test(guarantees_come_before_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
