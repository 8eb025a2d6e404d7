/*
 * Waking bundles one after the other decides what waking all of them at once decides. Two clusters
 * get the same calls. In one of them, every node that gains room wakes all bundles that it fits; in
 * the other, no more bundles wake than are tried (engine/state/room_line.h). After each change:
 *   - both make the same decisions, in the same order;
 *   - with a budget that ends cycles in the middle of a pass, both make the same decisions in the
 *     cycles until the pass has ended;
 *   - if all parked bundles are woken by force, both make the same decisions, so no bundle of the
 *     second cluster sleeps that could start;
 *   - the lines of the second cluster are equal to rebuilt lines (engine/state/cache_check.h).
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include "api/calls/skip_check.h"
#include "engine/cycle/wake.h"
#include "engine/state/cache_check.h"
#include "property/random_checks.h"
#include "support/job_priority.h"
#include "support/settle.h"
#include "support/queue_update.h"

enum { WAKE_STEPS = 60, WAKE_BATCH = 8, DECISIONS_MAX = 4000, PLAIN_SHAPES = 4 };

static const char *const shares[] = {"drf", "fifo", "fair-tree", "quota", "cohort"};
static const char *const wake_pipelines[] = {
    "'allocate'", "'allocate', 'drain'", "'allocate', 'evict-stale-gangs', 'evict-overdue'",
    "'drain', 'allocate'", "'allocate', 'reclaim', 'preempt'"};

struct twins {
    struct where at;
    struct world w;
    struct chance chance; /* of what this test does beside the world */
    lsched_cluster *lazy, *eager;
    lsched_decision made[2][DECISIONS_MAX]; /* by the lazy and by the eager cluster */
    uint32_t n_made[2];
    lsched_task_event running[DECISIONS_MAX]; /* tasks that were started */
    uint32_t n_running;
    int is_plain; /* queues without parents, and jobs of these groups alone */
    lsched_group_desc plain[PLAIN_SHAPES];
    lsched_amount plain_request[PLAIN_SHAPES];
    uint64_t cycles, decisions, tried[2], cut, forced, skips;
};

static void twins_must(const struct twins *r, int64_t code, const lsched_error *err) {
    CHECK(&r->at, code >= 0, "%lld %s", (long long)code, err->message);
}

/* Runs cycles at one time until the pass has ended, and collects the decisions. */
static void run_pass(struct twins *r, int which, uint64_t budget) {
    lsched_cluster *c = which ? r->eager : r->lazy;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info, .flags = LSCHED_PLAN_PARTIAL};
    opts.now_us = r->w.now_us;
    opts.work_budget = budget;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    r->n_made[which] = 0;
    for (int i = 0; (info.flags & LSCHED_PLAN_PARTIAL) && i < 2000; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_plan *plan = NULL;
        twins_must(r, lsched_schedule(c, &opts, &plan, &err), &err);
        twins_must(r, lsched_plan_get(plan, &info, NULL), &err);
        for (size_t d = 0; d < lsched_plan_size(plan) && r->n_made[which] < DECISIONS_MAX; d++)
            r->made[which][r->n_made[which]++] = *lsched_plan_at(plan, d);
        r->tried[which] += info.jobs_tried;
        r->cut += (info.flags & LSCHED_PLAN_PARTIAL) != 0;
        lsched_plan_destroy(plan);
    }
}

static int is_same(const lsched_decision *a, const lsched_decision *b) {
    return a->kind == b->kind && a->job == b->job && a->task_index == b->task_index &&
           a->node == b->node && is_same_set(a->device_words, b->device_words) &&
           a->reason == b->reason && a->at_us == b->at_us && a->to_node == b->to_node &&
           a->alternative == b->alternative;
}

static uint64_t parked_of(const lsched_cluster *c) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    assert_true(lsched_cluster_stats_get(c, &stats, NULL) >= 0);
    return stats.jobs_parked;
}

/* On copies, right after a pass: if all bundles are woken by force, both clusters make the same
 * decisions again, so no bundle of the lazy one sleeps that could start. */
static void check_none_lost(struct twins *r) {
    lsched_plan_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
    for (int which = 0; which < 2; which++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_cluster *copy = NULL;
        lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        opts.now_us = r->w.now_us;
        twins_must(r, lsched_cluster_clone(which ? r->eager : r->lazy, &copy, &err), &err);
        cache_check_wake_all(copy);
        twins_must(r, lsched_schedule(copy, &opts, &plan, &err), &err);
        twins_must(r, lsched_plan_get(plan, &info[which], NULL), &err);
        lsched_plan_destroy(plan);
        lsched_cluster_destroy(copy);
    }
    CHECK(&r->at, parked_of(r->lazy) == parked_of(r->eager), "%llu jobs are parked, %llu",
          (unsigned long long)parked_of(r->lazy), (unsigned long long)parked_of(r->eager));
    CHECK(&r->at, info[0].decisions == info[1].decisions,
          "all woken by force: %llu decisions where few wake, %llu where all wake",
          (unsigned long long)info[0].decisions, (unsigned long long)info[1].decisions);
    r->forced++;
}

static void twins_start(struct twins *r);

static void schedule_both(struct twins *r) {
    struct chance *c = &r->chance;
    uint64_t budget = chance_one_in(c, 8) ? 100 + chance_below(c, 300) : 0;
    if (!chance_one_in(c, 4)) twins_start(r);
    r->w.now_us += chance_one_in(c, 3) ? chance_between(c, 1, 100) * 1000000 : 1;
    run_pass(r, 0, budget);
    run_pass(r, 1, budget);
    CHECK(&r->at, r->n_made[0] == r->n_made[1], "%u decisions when few wake, %u when all wake",
          r->n_made[0], r->n_made[1]);
    for (uint32_t i = 0; i < r->n_made[0]; i++)
        CHECK(&r->at, is_same(&r->made[0][i], &r->made[1][i]), "decision %u differs", i);
    check_none_lost(r);
    r->cycles++;
    r->decisions += r->n_made[0];
}

/* ---- changes ---- */

/* Makes a call for both clusters; both must give the same answer. */
#define BOTH(r, call)                                                                        \
    do {                                                                                     \
        lsched_cluster *c = (r)->lazy;                                                       \
        int64_t first = (call);                                                              \
        c = (r)->eager;                                                                      \
        int64_t second = (call);                                                             \
        CHECK(&(r)->at, first == second, "%lld, %lld", (long long)first, (long long)second); \
    } while (0)

static void twins_submit(struct twins *r) {
    uint32_t n = 1 + chance_below(&r->chance, WAKE_BATCH);
    for (uint32_t i = 0; i < n && r->w.n_jobs < WORLD_JOBS; i++) {
        struct world_job *j = &r->w.jobs[world_new_job(&r->w)];
        /* many jobs ask for the same */
        const struct world_job *like = &r->w.jobs[chance_below(&r->chance, 4)];
        if (r->w.n_jobs > 4 && !chance_one_in(&r->chance, 6)) {
            j->desc.groups = like->desc.groups;
            j->desc.n_groups = like->desc.n_groups;
        }
        if (r->is_plain) { /* one task of one of a few shapes: bundles that wait for room alone */
            lsched_group_desc *g = &r->plain[chance_below(&r->chance, PLAIN_SHAPES)];
            j->desc.groups = g;
            j->desc.n_groups = 1;
        }
        BOTH(r, lsched_jobs_submit(c, &j->desc, 1, sizeof j->desc, NULL, NULL, NULL, NULL));
        j->live = 1;
    }
}

static lsched_id drawn_job(struct twins *r) {
    uint64_t cursor = 0;
    lsched_id id = 0;
    for (uint32_t i = chance_below(&r->chance, 40) + 1; i > 0; i--) {
        lsched_id next = lsched_next(r->lazy, LSCHED_KIND_JOB, &cursor);
        if (!next) break;
        id = next;
    }
    return id;
}

static void twins_change_job(struct twins *r) {
    lsched_id id = drawn_job(r);
    int32_t priority = (int32_t)chance_below(&r->chance, 5), remove = chance_one_in(&r->chance, 3);
    if (!id) return;
    if (remove)
        BOTH(r, lsched_jobs_remove(c, &id, 1, NULL, NULL, NULL));
    else
        BOTH(r, job_priority_set(c, id, priority, NULL));
}

/* Tasks start, end and fail; a report that does not fit the state is refused by both. */
static void twins_report(struct twins *r) {
    for (int i = 0; i < 6; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = drawn_job(r);
        e.task_index = chance_below(&r->chance, 3);
        e.event = 1 + chance_below(&r->chance, 3);
        if (e.job) BOTH(r, lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL));
    }
}

/* All tasks that were placed last start, so that later reports can end them. */
static void twins_start(struct twins *r) {
    for (uint32_t i = 0; i < r->n_made[0]; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = r->made[0][i].job;
        e.task_index = r->made[0][i].task_index;
        e.event = LSCHED_EVENT_STARTED;
        BOTH(r, lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL));
        if (r->n_running < DECISIONS_MAX) r->running[r->n_running++] = e;
    }
}

/* One task ends, or a few do, and the room that they leave wakes others. */
static void twins_end(struct twins *r) {
    for (uint32_t n = 1 + chance_below(&r->chance, 3); n > 0 && r->n_running > 0; n--) {
        uint32_t i = chance_below(&r->chance, r->n_running);
        lsched_task_event e = r->running[i];
        r->running[i] = r->running[--r->n_running];
        e.event = chance_one_in(&r->chance, 6) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        BOTH(r, lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL));
    }
}

/* The winner of some room is refused, and the room must wake the others again. */
static void twins_settle(struct twins *r) {
    uint64_t cursor = 0;
    lsched_id id;
    for (int i = 0; i < 8 && (id = lsched_next(r->lazy, LSCHED_KIND_DECISION, &cursor)) != 0; i++) {
        lsched_outcome o =
            chance_one_in(&r->chance, 2) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        if (chance_one_in(&r->chance, 2)) BOTH(r, settle_each(c, &id, &o, 1, NULL, NULL));
    }
}

static void twins_change_node(struct twins *r) {
    struct chance *c_ = &r->chance;
    struct world_node *n = &r->w.nodes[chance_below(c_, r->w.n_nodes)];
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    lsched_amount amount = n->capacity[chance_below(c_, 2)];
    amount.amount = amount.amount * chance_between(c_, 1, 4) / 2;
    u.name = world_text(n->name);
    u.set = chance_one_in(c_, 2) ? LSCHED_NODE_SET_STATE : LSCHED_NODE_SET_CAPACITY;
    u.state = chance_below(c_, 3);
    u.capacity = &amount;
    u.n_capacity = 1;
    BOTH(r, lsched_nodes_update(c, &u, 1, sizeof u, NULL, NULL, NULL));
}

static void twins_change_queue(struct twins *r) {
    struct world_queue *q = &r->w.queues[chance_below(&r->chance, r->w.n_queues)];
    lsched_id id = find_by(r->lazy, LSCHED_KIND_QUEUE, q->name);
    int32_t priority = q->desc.priority;
    world_queue_numbers(&r->w, q);
    q->desc.priority = priority;
    BOTH(r, queue_update_all(c, id, &q->desc, NULL));
}

static void twins_load_policy(struct twins *r) {
    char text[1024];
    snprintf(
        text, sizeof text, "return { api = 1, name = 'p', fair_share = '%s', pipeline = { %s }%s }",
        shares[chance_below(&r->chance, 10) % 5], wake_pipelines[chance_below(&r->chance, 9) % 5],
        chance_one_in(&r->chance, 8)
            ? ", filter = function(job, node) return job.priority > 1 or node.tasks < 3 end"
            : "");
    BOTH(r, lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, NULL));
}

static const struct {
    const char *name;
    uint32_t weight;
    void (*run)(struct twins *r);
} twins_changes[] = {{"submit", 10, twins_submit},     {"report", 4, twins_report},
                     {"end", 24, twins_end},           {"settle", 6, twins_settle},
                     {"job", 4, twins_change_job},     {"node", 5, twins_change_node},
                     {"queue", 3, twins_change_queue}, {"policy", 1, twins_load_policy}};

/* ---- runs ---- */

static void plain_begin(struct twins *r, uint64_t seed) {
    r->is_plain = seed % 2 == 0;
    for (uint32_t i = 0; i < PLAIN_SHAPES; i++) {
        r->plain_request[i] = (lsched_amount){LSCHED_GPU, 0, i == 3 ? 500 : 1000 * (i + 1)};
        r->plain[i] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
        r->plain[i].request = &r->plain_request[i];
        r->plain[i].n_request = 1;
    }
}

static void twins_begin(struct twins *r, uint64_t seed) {
    static const lsched_text levels[] = {{"zone", 4}, {"rack", 4}};
    r->at = (struct where){seed, 0, "begin"};
    world_init(&r->w, seed);
    plain_begin(r, seed);
    r->chance.state = seed ^ 0x3a4e5;
    lsched_error err = LSCHED_ERROR_INIT;
    twins_must(r, lsched_cluster_create(NULL, &r->lazy, &err), &err);
    twins_must(r, lsched_cluster_create(NULL, &r->eager, &err), &err);
    wake_all_max(r->lazy, chance_one_in(&r->chance, 4) ? 3 : 0);
    wake_all_max(r->eager, UINT32_MAX);
    cache_check_on(r->lazy);
    skip_check_on(r->lazy, chance_skips());
    if (r->w.has_nic) BOTH(r, lsched_resource_add(c, LSCHED_TEXT("nic"), NULL));
    if (r->w.has_models) BOTH(r, world_add_parts(c, &err));
    lsched_topology_desc site = LSCHED_TOPOLOGY_DESC_INIT;
    site.name = world_text("site");
    site.levels = levels;
    site.n_levels = 2;
    if (r->w.has_topology)
        BOTH(r, lsched_topologies_add(c, &site, 1, sizeof site, NULL, NULL, NULL, NULL));
    for (uint32_t q = 0; q < r->w.n_queues; q++) {
        /* without different priorities, no order of shares forbids to wake in turn */
        if (seed % 4) r->w.queues[q].desc.priority = 0;
        if (r->is_plain && seed % 5) r->w.queues[q].desc.parent_name = (lsched_text){NULL, 0};
        BOTH(r, lsched_queues_add(c, &r->w.queues[q].desc, 1, sizeof r->w.queues[q].desc, NULL,
                                  NULL, NULL, NULL));
        r->w.queues[q].live = 1;
    }
    for (uint32_t n = 0; n < r->w.n_nodes; n++)
        BOTH(r, lsched_nodes_add(c, &r->w.nodes[n].desc, 1, sizeof r->w.nodes[n].desc, NULL, NULL,
                                 NULL, NULL));
    if (seed % 3) twins_load_policy(r);
    r->n_running = 0;
    r->n_made[0] = 0;
    for (int i = 0; i < 30; i++) twins_submit(r);
}

static void twins_run(struct twins *r, uint64_t seed) {
    uint32_t total = 0;
    for (size_t i = 0; i < sizeof twins_changes / sizeof *twins_changes; i++)
        total += twins_changes[i].weight;
    twins_begin(r, seed);
    schedule_both(r);
    for (r->at.step = 1; r->at.step <= WAKE_STEPS; r->at.step++) {
        uint32_t drawn = chance_below(&r->chance, total);
        size_t i = 0;
        while (drawn >= twins_changes[i].weight) drawn -= twins_changes[i++].weight;
        r->at.event = twins_changes[i].name;
        twins_changes[i].run(r);
        schedule_both(r);
    }
    r->skips += skip_check_compared(r->lazy);
    lsched_cluster_destroy(r->lazy);
    lsched_cluster_destroy(r->eager);
}

static void test_waking_in_turn_decides_the_same(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(60);
    struct twins *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (uint64_t seed = first; seed < first + rounds; seed++) twins_run(r, seed);
    print_message("seeds %llu .. +%u: %llu cycles, %llu decisions, %llu cycles cut, %llu forced; "
                  "jobs tried: %llu when few wake, %llu when all wake; "
                  "%llu skipped searches repeated\n",
                  (unsigned long long)first, rounds, (unsigned long long)r->cycles,
                  (unsigned long long)r->decisions, (unsigned long long)r->cut,
                  (unsigned long long)r->forced, (unsigned long long)r->tried[0],
                  (unsigned long long)r->tried[1], (unsigned long long)r->skips);
    assert_true(r->decisions >= rounds && (rounds < 30 || r->tried[0] < r->tried[1]));
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waking_in_turn_decides_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
