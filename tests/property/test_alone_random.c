/*
 * A job that waits alone starts under ts-dpbp at the instant when it starts under allocate. ts-dpbp
 * knows a job by amounts of resources and hands what amounts cannot say (selectors of devices,
 * alternatives, domains, parts of devices, demand that follows the day ...) to what allocate does;
 * a job that it takes for simpler than it is would be planned for nodes that cannot take it.
 *
 * Both sides are clones of a random cluster on which random work runs. Jobs come one at a time;
 * what a side places for a job is compared by the number of tasks, since the nodes may differ.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "engine/state/cache_check.h"
#include "property/random_world.h"
#include "support/settle.h"

enum { BUSY = 12, ALONE = 12 };

static uint64_t seed_now;
static uint64_t started, waited, special;

static void must(int64_t code, const lsched_error *err) {
    if (code < 0)
        fail_msg("seed %llu: %lld %s", (unsigned long long)seed_now, (long long)code, err->message);
}

static void load(lsched_cluster *c, const char *text) {
    lsched_error err = LSCHED_ERROR_INIT;
    must(lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err), &err);
}

/* Plans use no nodes with several sorts of devices; attributes make none. */
static lsched_node_desc *new_node(struct world *w) {
    struct world_node *node = &w->nodes[world_new_node(w)];
    if (node->desc.n_devices == 0) return &node->desc;
    node->desc.n_devices = 2;
    if (node->devices[0].count > LSCHED_DEVICES_PER_NODE_MAX / 2)
        node->devices[0].count = LSCHED_DEVICES_PER_NODE_MAX / 2;
    node->devices[1] = node->devices[0];
    for (uint32_t i = 0; i < 2; i++) random_claim_device(&w->claims, &node->devices[i]);
    return &node->desc;
}

/* The world with few nodes, and one queue without limits: who waits, waits for nodes. */
static void build(struct world *w, lsched_cluster **c) {
    static const lsched_text levels[] = {{"zone", 4}, {"rack", 4}};
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t nodes = 2 + chance_below(&w->chance, 6);
    must(lsched_cluster_create(NULL, c, &err), &err);
    cache_check_on(*c);
    if (w->has_nic) must(lsched_resource_add(*c, LSCHED_TEXT("nic"), &err), &err);
    if (w->has_models) must(world_add_parts(*c, &err), &err);
    lsched_topology_desc site = LSCHED_TOPOLOGY_DESC_INIT;
    site.name = world_text("site");
    site.levels = levels;
    site.n_levels = 2;
    if (w->has_topology)
        must(lsched_topologies_add(*c, &site, 1, sizeof site, NULL, NULL, NULL, &err), &err);
    w->n_nodes = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        lsched_node_desc *node = new_node(w);
        must(lsched_nodes_add(*c, node, 1, sizeof *node, NULL, NULL, NULL, &err), &err);
    }
    lsched_queue_desc *queue = &w->queues[0].desc;
    queue->n_limit = 0;
    w->queues[0].n_children = 0;
    w->queues[0].live = 1;
    w->n_queues = 1;
    must(lsched_queues_add(*c, queue, 1, sizeof *queue, NULL, NULL, NULL, &err), &err);
}

/* Tasks that a cycle places; all of them start. */
static uint32_t cycle(lsched_cluster *c, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    uint32_t placed = 0;
    opts.now_us = now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    must(lsched_schedule(c, &opts, &plan, &err), &err);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        must(settle_each(c, &d->id, &how, 1, NULL, &err), &err);
        placed += d->kind == LSCHED_DECIDE_PLACE;
    }
    lsched_plan_destroy(plan);
    return placed;
}

static lsched_id submit(lsched_cluster *c, const struct world_job *job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id id = 0;
    must(lsched_jobs_submit(c, &job->desc, 1, sizeof job->desc, NULL, &id, NULL, &err), &err);
    return id;
}

static uint32_t tasks_placed(const lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_info info = {.size = sizeof info};
    must(lsched_job_get(c, job, &info, NULL), &err);
    return info.tasks_placed;
}

/* One more job beside what runs, on a clone: tasks of it that start in the first cycle. */
static uint32_t starts(const lsched_cluster *c, const struct world_job *job, int64_t now,
                       const char *policy) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    must(lsched_cluster_clone(c, &copy, &err), &err);
    load(copy, policy);
    lsched_id id = submit(copy, job);
    cycle(copy, now);
    uint32_t n = tasks_placed(copy, id);
    lsched_cluster_destroy(copy);
    return n;
}

/* Often a job of one group that asks for devices in one way that amounts do not say, and in no
 * other. */
static const struct world_job *job_of(struct world *w) {
    static const char *const selectors[] = {"device.memory >= 40", "device.model:starts_with('H')",
                                            "device.attributes['gen'] ~= nil",
                                            ("type(device.attributes['gen']) == 'number' and "
                                             "device.attributes['gen'] > 3")};
    static const lsched_text same = {"memory", 6};
    struct world_job *job = &w->jobs[world_new_job(w)];
    struct chance *c = &w->claims;
    if (!chance_one_in(c, 2)) return job;
    lsched_group_desc *g = &job->groups[0];
    lsched_device_request *claim = &job->claim[0][0];
    job->desc.n_groups = 1;
    lsched_init(g, sizeof *g);
    g->max_count = 1 + chance_below(c, 3);
    g->request = job->request[0];
    g->n_request = 1;
    job->request[0][0] = (lsched_amount){LSCHED_CPU, 0, chance_between(c, 1, 16) * 500};
    lsched_init(claim, sizeof *claim);
    claim->devices = 1 + chance_below(c, 2);
    switch (chance_below(c, 3)) {
    case 0: claim->share_milli = chance_between(c, 1, 3) * 250; break;
    case 1:
        claim->match = &same;
        claim->n_match = 1;
        break;
    default:
        claim->selector = lsched_cstr(selectors[chance_below(c, 4)]);
        claim->selector.len = strlen(claim->selector.ptr);
    }
    g->device_requests = claim;
    g->n_device_requests = 1;
    return job;
}

static const char allocates[] =
    "return { api = 1, name = 'a', order = 'fifo', pipeline = { 'allocate' } }";
static const char plans[] =
    "return { api = 1, name = 't', order = 'fifo', pipeline = { 'ts-dpbp' } }";

static void play(uint64_t seed) {
    static struct world w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c;
    seed_now = seed;
    world_init(&w, seed);
    build(&w, &c);
    load(c, allocates);
    for (uint32_t j = 0; j < BUSY; j++) {
        lsched_id id = submit(c, &w.jobs[world_new_job(&w)]);
        cycle(c, ++w.now_us);
        if (tasks_placed(c, id) == 0) must(lsched_jobs_remove(c, &id, 1, NULL, NULL, &err), &err);
    }
    for (uint32_t j = 0; j < ALONE; j++) {
        const struct world_job *job = job_of(&w);
        uint32_t a = starts(c, job, w.now_us + 1, allocates);
        uint32_t t = starts(c, job, w.now_us + 1, plans);
        if (!a != !t)
            fail_msg("seed %llu: job %u: allocate starts %u tasks, ts-dpbp %u",
                     (unsigned long long)seed, j, a, t);
        started += a > 0;
        waited += a == 0;
        special += job->groups[0].n_device_requests > 0;
    }
    lsched_cluster_destroy(c);
}

static void test_alone_it_starts_as_under_allocate(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1);
    uint32_t rounds = chance_rounds(120);
    for (uint32_t i = 0; i < rounds; i++) play(seed + i);
    print_message("%llu started, %llu waited, %llu asked for devices one by one\n",
                  (unsigned long long)started, (unsigned long long)waited,
                  (unsigned long long)special);
    if (rounds >= 20) assert_true(started > 20 && waited > 20 && special > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_it_starts_as_under_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
