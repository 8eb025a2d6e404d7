/* test_reserved.c -- every reserved word of every public struct: one that goes in must be 0, or
 * the call is refused with a text that names the field and the element, and changes nothing. The
 * headers are read for words that the table below does not have, so a new struct cannot be
 * forgotten. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/algorithm.h>
#include <libsched/libsched.h>
#include <libsched/pack.h>
#include <libsched/scenario.h>

#include "support/api_world.h"
#include "support/settle.h"

#define HEADERS "libsched/include/libsched"

/* One call that is right but for the reserved word. It returns the call's answer. */
typedef int32_t (*trial_fn)(struct api_world *w, uint32_t word, lsched_error *err);

/* ---- elements of batches --------------------------------------------------------------------- */

static int32_t node_update(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w->nodes[0];
    u.set = LSCHED_NODE_SET_TAG;
    u.reserved_zero = word;
    return lsched_nodes_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t job_hold(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.reserved_zero = word;
    h.job = w->later;
    return lsched_jobs_hold(w->cluster, &h, 1, sizeof h, NULL, NULL, err);
}

static int32_t supply_desc(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_supply_desc d = LSCHED_SUPPLY_DESC_INIT;
    d.reserved_zero = word;
    d.name = LSCHED_TEXT("fresh");
    return lsched_supplies_add(w->cluster, &d, 1, sizeof d, NULL, NULL, err);
}

/* A supply that only a call without a fault needs. */
static void add_supply(struct api_world *w, const char *name) {
    lsched_supply_desc d = LSCHED_SUPPLY_DESC_INIT;
    d.name = lsched_cstr(name);
    assert_int_equal(lsched_supplies_add(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL), 1);
}

static int32_t supply_update(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_supply_update u = LSCHED_SUPPLY_UPDATE_INIT;
    u.supply = LSCHED_TEXT("changed");
    if (word == 0) add_supply(w, "changed");
    u.reserved_zero = word;
    u.set = LSCHED_SUPPLY_SET_AMOUNT;
    return lsched_supplies_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t allowance_desc(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    lsched_amount price = {LSCHED_GPU, 0, 1000000};
    d.queue = w->org;
    d.price = &price;
    d.n_price = 1;
    d.reserved_zero = word;
    return lsched_allowances_set(w->cluster, &d, 1, sizeof d, NULL, NULL, err);
}

static int32_t allowance_spent(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    lsched_amount price = {LSCHED_GPU, 0, 1000000};
    d.queue = w->org;
    d.price = &price;
    d.n_price = 1;
    d.reserved2_zero = word;
    return lsched_allowances_set(w->cluster, &d, 1, sizeof d, NULL, NULL, err);
}

static int32_t reservation_desc(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = LSCHED_TEXT("r");
    d.queue = w->org;
    d.nodes = w->nodes;
    d.n_nodes = 1;
    d.start_us = INT64_C(1) << 60;
    d.reserved_zero = word;
    return lsched_reservations_set(w->cluster, &d, 1, sizeof d, NULL, NULL, err);
}

static int32_t reservation_lists(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    d.name = LSCHED_TEXT("r");
    d.queue = w->org;
    d.nodes = w->nodes;
    d.n_nodes = 1;
    d.start_us = INT64_C(1) << 60;
    d.reserved2_zero = word;
    return lsched_reservations_set(w->cluster, &d, 1, sizeof d, NULL, NULL, err);
}

static int32_t supply_need(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_supply_need need = LSCHED_SUPPLY_NEED_INIT;
    lsched_group_desc group = api_group(1);
    need.supply = LSCHED_TEXT("needed");
    if (word == 0) add_supply(w, "needed");
    need.amount = 1;
    need.reserved_zero = word;
    group.supplies = &need;
    group.n_supplies = 1;
    lsched_job_desc job = api_job("fresh", &group, 1);
    return lsched_jobs_submit(w->cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
}

static int32_t task_resize(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 1};
    z.reserved_zero = word;
    z.job = w->busy;
    z.request = &cpu;
    z.n_request = 1;
    return lsched_tasks_resize(w->cluster, &z, 1, sizeof z, NULL, NULL, err);
}

static int32_t queue_desc(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_queue_desc q = api_queue("fresh", NULL);
    q.reserved_zero = word;
    return lsched_queues_add(w->cluster, &q, 1, sizeof q, NULL, NULL, NULL, err);
}

static int32_t submit(struct api_world *w, const lsched_job_desc *j, lsched_error *err) {
    return lsched_jobs_submit(w->cluster, j, 1, sizeof *j, NULL, NULL, NULL, err);
}

static int32_t job_desc(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("fresh", &g, 1);
    j.reserved_zero = word;
    return submit(w, &j, err);
}

static int32_t job_desc_2(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("fresh", &g, 1);
    j.reserved2_zero = word;
    return submit(w, &j, err);
}

static int32_t job_desc_3(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("fresh", &g, 1);
    j.reserved3_zero = word;
    return submit(w, &j, err);
}

static int32_t job_desc_4(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("fresh", &g, 1);
    j.reserved4_zero = word;
    return submit(w, &j, err);
}

static int32_t job_update(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = w->later;
    u.set = LSCHED_JOB_SET_TAG;
    u.reserved_zero = word;
    return lsched_jobs_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t foreign_use(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_foreign_use u = LSCHED_FOREIGN_USE_INIT;
    u.node = w->nodes[0];
    u.reserved_zero = word;
    return lsched_foreign_set(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t device_update(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    u.node = w->nodes[0];
    u.set = LSCHED_DEVICE_SET_HEALTH;
    u.health = LSCHED_HEALTH_CORDONED;
    u.reserved_zero = word;
    return lsched_devices_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t device_update_2(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    u.node = w->nodes[0];
    u.set = LSCHED_DEVICE_SET_HEALTH;
    u.health = LSCHED_HEALTH_CORDONED;
    u.reserved2_zero = word;
    return lsched_devices_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t task_event(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = w->open;
    e.event = LSCHED_EVENT_STARTED;
    e.reserved_zero = word;
    return lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

static int32_t task_event_second(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = w->open;
    e.event = LSCHED_EVENT_STARTED;
    e.reserved2_zero = word;
    return lsched_tasks_report(w->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

static int32_t task_import(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = w->later;
    m.node = w->nodes[1];
    m.reserved_zero = word;
    return lsched_tasks_import(w->cluster, &m, 1, sizeof m, NULL, NULL, err);
}

static int32_t usage_sample(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = w->busy;
    s.kind = LSCHED_GPU;
    s.amount = 500;
    s.reserved_zero = word;
    return lsched_usage_report(w->cluster, &s, 1, sizeof s, NULL, NULL, err);
}

static int32_t mix_entry(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    lsched_mix_entry e = LSCHED_MIX_ENTRY_INIT;
    e.task = &g;
    e.count = 1;
    e.reserved_zero = word;
    return lsched_task_mix_set(w->cluster, &e, 1, sizeof e, err);
}

static int32_t collision(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_collision m = {.size = sizeof m, .node = w->nodes[0], .reserved_zero = word};
    return lsched_collisions_report(w->cluster, &m, 1, sizeof m, NULL, NULL, err);
}

/* The name of the first MIG table. */
static lsched_text some_table(void) {
    return lsched_cstr(lsched_mig_tables_at(0));
}

/* ---- lists of elements ----------------------------------------------------------------------- */

static int32_t add_node(struct api_world *w, lsched_node_desc d, lsched_error *err) {
    d.name = LSCHED_TEXT("fresh");
    return lsched_nodes_add(w->cluster, &d, 1, sizeof d, NULL, NULL, NULL, err);
}

static int32_t amount_of_node(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_amount a = {LSCHED_CPU, word, 1000};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.capacity = &a;
    d.n_capacity = 1;
    return add_node(w, d, err);
}

static int32_t amount_of_update(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_amount a = {LSCHED_CPU, word, 128000};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w->nodes[0];
    u.set = LSCHED_NODE_SET_CAPACITY;
    u.capacity = &a;
    u.n_capacity = 1;
    return lsched_nodes_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t amount_of_task(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_amount a = {LSCHED_CPU, word, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &a;
    g.n_request = 1;
    lsched_job_desc j = api_job("fresh", &g, 1);
    return submit(w, &j, err);
}

/* In list `which` of a queue's. */
static int32_t amount_of_queue(struct api_world *w, uint32_t which, uint32_t word,
                               lsched_error *err) {
    lsched_amount a[2] = {{LSCHED_CPU, 0, 1000}, {LSCHED_GPU, word, 1000}};
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    const lsched_amount **lists[] = {&q.quota,      &q.limit,      &q.weight_milli,
                                     &q.lend_limit, &q.user_limit, &q.group_limit};
    uint32_t *n[] = {&q.n_quota,      &q.n_limit,      &q.n_weight,
                     &q.n_lend_limit, &q.n_user_limit, &q.n_group_limit};
    q.name = LSCHED_TEXT("fresh");
    *lists[which] = a;
    *n[which] = 2;
    return lsched_queues_add(w->cluster, &q, 1, sizeof q, NULL, NULL, NULL, err);
}

#define QUEUE_LIST(name, which)                                                  \
    static int32_t name(struct api_world *w, uint32_t word, lsched_error *err) { \
        return amount_of_queue(w, which, word, err);                             \
    }
QUEUE_LIST(amount_of_quota, 0)
QUEUE_LIST(amount_of_limit, 1)
QUEUE_LIST(amount_of_weight, 2)
QUEUE_LIST(amount_of_lend, 3)
QUEUE_LIST(amount_of_user, 4)
QUEUE_LIST(amount_of_group, 5)

static int32_t mig_instance(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_mig_instance in[2] = {{LSCHED_TEXT("3g.40gb"), 0, 0}, {LSCHED_TEXT("3g.40gb"), 4, word}};
    lsched_device_desc v = {.size = sizeof v,
                            .model = LSCHED_TEXT("H100-80GB"),
                            .memory_bytes = INT64_C(80) << 30,
                            .share_mode = LSCHED_SHARING_MIG,
                            .instances = in,
                            .n_instances = 2};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.devices = &v;
    d.n_devices = 1;
    return add_node(w, d, err);
}

static int32_t mig_request(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_text t = some_table();
    lsched_mig_profile p = {.size = sizeof p};
    assert_int_equal(lsched_mig_profiles_at(t, 0, &p, err), LSCHED_OK);
    lsched_mig_request wish = {p.name, 1, word};
    lsched_mig_device device = {NULL, 0, 0};
    (void)w;
    return lsched_mig_plan(t, &device, 1, &wish, 1, NULL, NULL, NULL, 0, NULL, err);
}

static int32_t taint(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_taint t = {LSCHED_TEXT("k"), LSCHED_TEXT("v"), LSCHED_TAINT_NO_START, word};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.taints = &t;
    d.n_taints = 1;
    return add_node(w, d, err);
}

static int32_t slice(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_slice s = {LSCHED_TEXT("rack"), 2, word};
    lsched_group_desc g = api_group(4);
    g.slices = &s;
    g.n_slices = 1;
    lsched_job_desc j = api_job("fresh", &g, 1);
    return submit(w, &j, err);
}

static int32_t job_term(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_label l = {LSCHED_TEXT("app"), LSCHED_TEXT("x")};
    lsched_job_affinity t = {&l, 1, 1, 0, word, {NULL, 0}, {NULL, 0}};
    lsched_group_desc g = api_group(1);
    g.job_affinities = &t;
    g.n_job_affinities = 1;
    lsched_job_desc j = api_job("fresh", &g, 1);
    return submit(w, &j, err);
}

static int32_t group(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_desc g = api_group(1);
    g.reserved_zero = word;
    lsched_job_desc j = api_job("fresh", &g, 1);
    return submit(w, &j, err);
}

static int32_t group_count(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_group_count n = LSCHED_GROUP_COUNT_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    n.max_count = 40;
    n.reserved2_zero = word;
    u.job = w->later;
    u.set = LSCHED_JOB_SET_COUNTS;
    u.counts = &n;
    u.n_counts = 1;
    return lsched_jobs_update(w->cluster, &u, 1, sizeof u, NULL, NULL, err);
}

static int32_t device_request(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_device_request q = {.size = sizeof q, .devices = 1, .reserved_zero = word};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.device_requests = &q;
    g.n_device_requests = 1;
    lsched_job_desc j = api_job("fresh", &g, 1);
    return submit(w, &j, err);
}

/* ---- options --------------------------------------------------------------------------------- */

static int32_t would_start_opts(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    opts.reserved_zero = word;
    return lsched_would_start(w->cluster, w->later, NULL, &opts, &answer, err);
}

static int32_t settle_report(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_settle_report r = LSCHED_SETTLE_REPORT_INIT;
    lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
    r.reserved_zero = word;
    return settle_each(w->cluster, &w->proposed, &how, 1, &r, err);
}

static int32_t sync_report(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_sync_report r = {.size = sizeof r, .reserved_zero = word};
    return lsched_sync(w->cluster, LSCHED_KIND_NODE, NULL, 0, &r, err);
}

static int32_t policy_opts(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_policy_opts o = LSCHED_POLICY_OPTS_INIT;
    o.reserved_zero = word;
    return lsched_policy_load(w->cluster, LSCHED_TEXT("fifo"), (lsched_text){NULL, 0}, &o, err);
}

static int32_t create(const lsched_cluster_opts *o, lsched_error *err) {
    lsched_cluster *c = NULL;
    int32_t rc = lsched_cluster_create(o, &c, err);
    lsched_cluster_destroy(c);
    return rc;
}

static void *take(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}
static void *grow(void *user, void *old, size_t old_bytes, size_t new_bytes) {
    (void)user;
    (void)old_bytes;
    return realloc(old, new_bytes);
}
static void give(void *user, void *old, size_t bytes) {
    (void)user;
    (void)bytes;
    free(old);
}

static lsched_allocator hooks(uint32_t word) {
    return (lsched_allocator){sizeof(lsched_allocator), word, NULL, take, grow, give};
}

static int32_t cluster_opts(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    (void)w;
    o.reserved_zero = word;
    return create(&o, err);
}

static int32_t allocator_of_cluster(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_allocator a = hooks(word);
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    (void)w;
    o.allocator = &a;
    return create(&o, err);
}

static int32_t allocator_of_mig(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_allocator a = hooks(word);
    lsched_text t = some_table();
    (void)w;
    return lsched_mig_plan(t, NULL, 0, NULL, 0, NULL, &a, NULL, 0, NULL, err);
}

static int32_t scenario_opts(struct api_world *w, uint32_t word, lsched_error *err) {
    lsched_scenario_opts o = LSCHED_SCENARIO_OPTS_INIT;
    lsched_scenario *s = NULL;
    static const char text[] = "nodes: [{name: n, cpu: 1}]";
    (void)w;
    o.reserved_zero = word;
    int32_t rc = lsched_scenario_parse(&o, (lsched_text){text, sizeof text - 1},
                                       (lsched_text){NULL, 0}, &s, err);
    lsched_scenario_destroy(s);
    return rc;
}

/* ---- algorithms ------------------------------------------------------------------------------ */

static int32_t act_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    (void)self;
    (void)act;
    (void)cycle;
    return LSCHED_OK;
}

/* A table of a role: the world keeps a pointer to it. */
static int32_t add_algorithm(struct api_world *w, uint32_t role, uint32_t of_table, uint32_t of_ops,
                             lsched_error *err) {
    static lsched_algorithm a;
    static lsched_share_ops share;
    static lsched_place_ops place;
    static lsched_act_ops act;
    static lsched_advise_ops advise;
    memset(&a, 0, sizeof a);
    share = (lsched_share_ops){.size = sizeof share};
    place = (lsched_place_ops){.size = sizeof place, .reserved_zero = of_ops};
    act = (lsched_act_ops){.size = sizeof act, .run = act_run};
    advise = (lsched_advise_ops){.size = sizeof advise, .reserved_zero = of_ops};
    a.size = sizeof a;
    a.api = LSCHED_ALGORITHM_API;
    a.role = role;
    a.reserved_zero = of_table;
    a.name = "fresh";
    a.share = role == LSCHED_ROLE_SHARE ? &share : NULL;
    a.place = role == LSCHED_ROLE_PLACE ? &place : NULL;
    a.act = role == LSCHED_ROLE_ACT ? &act : NULL;
    a.advise = role == LSCHED_ROLE_ADVISE ? &advise : NULL;
    return lsched_algorithm_register(w->cluster, &a, err);
}

static int32_t algorithm(struct api_world *w, uint32_t word, lsched_error *err) {
    return add_algorithm(w, LSCHED_ROLE_ACT, word, 0, err);
}
#define OPS(name, role)                                                          \
    static int32_t name(struct api_world *w, uint32_t word, lsched_error *err) { \
        return add_algorithm(w, role, 0, word, err);                             \
    }
OPS(place_ops, LSCHED_ROLE_PLACE)
OPS(advise_ops, LSCHED_ROLE_ADVISE)

/* ---- packing --------------------------------------------------------------------------------- */

enum { PACK_RESOURCE, PACK_CLASS, PACK_CONFIG, PACK_PROBLEM, PACK_OPTS, PACK_ALLOC };

static int32_t pack(int which, uint32_t word, lsched_error *err) {
    const int64_t four[] = {4}, one[] = {1};
    lsched_allocator a = hooks(which == PACK_ALLOC ? word : 0);
    lsched_pack_resource r = {.size = sizeof r, .name = LSCHED_TEXT("cpu")};
    lsched_pack_class c = {.size = sizeof c, .count = 2, .capacity = four};
    lsched_pack_config f = {.size = sizeof f, .duration_us = 10, .demand = one};
    lsched_pack_item i = LSCHED_PACK_ITEM_INIT;
    i.configs = &f;
    i.n_configs = 1;
    lsched_pack_reservation b = {
        .size = sizeof b, .flags = LSCHED_PACK_RESERVATION_HAS_END, .to_us = 5, .amount = one};
    lsched_pack_problem p = LSCHED_PACK_PROBLEM_INIT;
    p.resources = &r;
    p.n_resources = 1;
    p.classes = &c;
    p.n_classes = 1;
    p.items = &i;
    p.n_items = 1;
    p.reservations = &b;
    p.n_reservations = 1;
    lsched_pack_opts o = LSCHED_PACK_OPTS_INIT;
    o.allocator = &a;
    uint32_t *words[] = {&r.reserved_zero, &c.reserved_zero, &f.reserved_zero, &p.reserved_zero,
                         &o.reserved_zero};
    if (which != PACK_ALLOC) *words[which] = word;
    lsched_packer *k = NULL;
    int32_t rc = lsched_packer_create(&p, &o, &k, err);
    lsched_packer_destroy(k);
    if (rc == LSCHED_OK) return rc;
    /* the checker of plans reads the same structs */
    lsched_error again = LSCHED_ERROR_INIT;
    lsched_pack_place place = {0};
    assert_int_equal(lsched_pack_check(&p, &o, &place, 1, NULL, &again), rc);
    return rc;
}
#define PACK(name, which)                                                        \
    static int32_t name(struct api_world *w, uint32_t word, lsched_error *err) { \
        (void)w;                                                                 \
        return pack(which, word, err);                                           \
    }
PACK(pack_resource, PACK_RESOURCE)
PACK(pack_class, PACK_CLASS)
PACK(pack_config, PACK_CONFIG)
PACK(pack_problem, PACK_PROBLEM)
PACK(pack_opts, PACK_OPTS)
PACK(pack_allocator, PACK_ALLOC)

/* ---- the table ------------------------------------------------------------------------------- */

/* trial NULL: the library fills the struct, and nothing reads what was there before. */
static const struct row {
    const char *owner, *field, *element;
    trial_fn trial;
} rows[] = {
    {"lsched_node_update", "reserved_zero", "node 'n1'", node_update},
    {"lsched_job_hold", "reserved_zero", "job 'later'", job_hold},
    {"lsched_task_resize", "reserved_zero", "job 'busy'", task_resize},
    {"lsched_allowance_desc", "reserved_zero", "allowance 0", allowance_desc},
    {"lsched_allowance_desc", "reserved2_zero", "allowance 0", allowance_spent},
    {"lsched_reservation_desc", "reserved_zero", "reservation 0", reservation_desc},
    {"lsched_reservation_desc", "reserved2_zero", "reservation 0", reservation_lists},
    {"lsched_supply_desc", "reserved_zero", "supply 0", supply_desc},
    {"lsched_supply_update", "reserved_zero", "supply 0", supply_update},
    {"lsched_supply_need", "reserved_zero", "job 'fresh'", supply_need},
    {"lsched_queue_desc", "reserved_zero", "queue 'fresh'", queue_desc},
    {"lsched_job_desc", "reserved_zero", "job 'fresh'", job_desc},
    {"lsched_job_desc", "reserved2_zero", "job 'fresh'", job_desc_2},
    {"lsched_job_desc", "reserved3_zero", "job 'fresh'", job_desc_3},
    {"lsched_job_desc", "reserved4_zero", "job 'fresh'", job_desc_4},
    {"lsched_job_update", "reserved_zero", "job 'later'", job_update},
    {"lsched_group_desc", "reserved_zero", "job 'fresh'", group},
    {"lsched_group_count", "reserved2_zero", "group count 0", group_count},
    {"lsched_foreign_use", "reserved_zero", "foreign use 0", foreign_use},
    {"lsched_device_info", "reserved_zero", NULL, NULL},
    {"lsched_device_info", "reserved2_zero", NULL, NULL},
    {"lsched_ready_policy", "reserved_zero", NULL, NULL},
    {"lsched_mig_instance_info", "reserved_zero", NULL, NULL},
    {"lsched_device_update", "reserved_zero", "device update 0", device_update},
    {"lsched_device_update", "reserved2_zero", "device update 0", device_update_2},
    {"lsched_task_event", "reserved_zero", "task event 0", task_event},
    {"lsched_task_event", "reserved2_zero", "task event 0", task_event_second},
    {"lsched_task_import", "reserved_zero", "task import 0", task_import},
    {"lsched_usage_sample", "reserved_zero", "usage sample 0", usage_sample},
    {"lsched_mix_entry", "reserved_zero", "mix entry 0", mix_entry},
    {"lsched_collision", "reserved_zero", "collision 0", collision},
    {"lsched_amount", "reserved_zero", "capacity: amount 0", amount_of_node},
    {"lsched_amount", "reserved_zero", "capacity: amount 0", amount_of_update},
    {"lsched_amount", "reserved_zero", "job 'fresh': amount 0", amount_of_task},
    {"lsched_amount", "reserved_zero", "quota: amount 1", amount_of_quota},
    {"lsched_amount", "reserved_zero", "limit: amount 1", amount_of_limit},
    {"lsched_amount", "reserved_zero", "weight: amount 1", amount_of_weight},
    {"lsched_amount", "reserved_zero", "lend limit: amount 1", amount_of_lend},
    {"lsched_amount", "reserved_zero", "user limit: amount 1", amount_of_user},
    {"lsched_amount", "reserved_zero", "group limit: amount 1", amount_of_group},
    {"lsched_mig_instance", "reserved_zero", "MIG instance 1", mig_instance},
    {"lsched_mig_request", "reserved_zero", "MIG request 0", mig_request},
    {"lsched_taint", "reserved_zero", "taint 0", taint},
    {"lsched_slice", "reserved_zero", "slice 0", slice},
    {"lsched_job_affinity", "reserved_zero", "job term 0", job_term},
    {"lsched_device_request", "reserved_zero", "job 'fresh'", device_request},
    {"lsched_would_start_opts", "reserved_zero", "would_start options", would_start_opts},
    {"lsched_settle_report", "reserved_zero", "settle report", settle_report},
    {"lsched_sync_report", "reserved_zero", "sync report", sync_report},
    {"lsched_policy_opts", "reserved_zero", "policy options", policy_opts},
    {"lsched_cluster_opts", "reserved_zero", "cluster options", cluster_opts},
    {"lsched_allocator", "reserved_zero", "cluster options: allocator", allocator_of_cluster},
    {"lsched_allocator", "reserved_zero", "MIG plan: allocator", allocator_of_mig},
    {"lsched_allocator", "reserved_zero", "options: allocator", pack_allocator},
    {"lsched_scenario_opts", "reserved_zero", "scenario", scenario_opts},
    {"lsched_algorithm", "reserved_zero", "algorithm 'fresh', table", algorithm},
    {"lsched_place_ops", "reserved_zero", "algorithm 'fresh', place", place_ops},
    {"lsched_advise_ops", "reserved_zero", "algorithm 'fresh', advise", advise_ops},
    {"lsched_pack_resource", "reserved_zero", "resource 0", pack_resource},
    {"lsched_pack_class", "reserved_zero", "class 0", pack_class},
    {"lsched_pack_config", "reserved_zero", "config 0", pack_config},
    {"lsched_pack_problem", "reserved_zero", "problem", pack_problem},
    {"lsched_pack_opts", "reserved_zero", "options", pack_opts},
    {"lsched_error", "reserved_zero", NULL, NULL},
    {"lsched_mig_step", "reserved_zero", NULL, NULL},
    {"lsched_queue_info", "reserved_zero", NULL, NULL},
    {"lsched_allowance_info", "reserved_zero", NULL, NULL},
    {"lsched_allowance_info", "reserved2_zero", NULL, NULL},
    {"lsched_queue_share", "reserved_zero", NULL, NULL},
    {"lsched_array_info", "reserved_zero", NULL, NULL},
    {"lsched_task_info", "reserved_zero", NULL, NULL},
    {"lsched_resize_info", "reserved_zero", NULL, NULL},
    {"lsched_job_end", "reserved_zero", NULL, NULL},
    {"lsched_decision", "reserved_zero", NULL, NULL},
    {"lsched_plan_info", "reserved_zero", NULL, NULL},
    {"lsched_queue_counters", "reserved_zero", NULL, NULL},
    {"lsched_action_counters", "reserved_zero", NULL, NULL},
    {"lsched_policy_hook_info", "reserved_zero", NULL, NULL},
    {"lsched_scenario_info", "reserved_zero", NULL, NULL},
    {"lsched_scenario_report", "reserved_zero", NULL, NULL},
    {"lsched_task_shape", "reserved_zero", NULL, NULL},
    {"lsched_view", "reserved_zero", NULL, NULL},
    {"lsched_view", "reserved2_zero", NULL, NULL},
    {"lsched_group_view", "reserved_zero", NULL, NULL},
    {"lsched_act", "reserved_zero", NULL, NULL},
    {"lsched_act_firm", "reserved_zero", NULL, NULL},
    {"lsched_firm_start", "reserved_zero", NULL, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void words_that_go_in_must_be_zero(void **state) {
    (void)state;
    int tried = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (!r->trial) continue;
        for (uint32_t b = 0; b <= 32; b += 8) { /* any bit of the word */
            struct api_world w;
            lsched_error err = LSCHED_ERROR_INIT;
            uint32_t word = b < 32 ? 1u << b : 0;
            memset(&w, 0, sizeof w);
            assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
            uint64_t before = api_image(w.cluster);
            int32_t rc = r->trial(&w, word, &err);
            if (word == 0 && rc < 0)
                fail_msg("%s.%s: refused with 0: %s", r->owner, r->field, err.message);
            if (word && rc != LSCHED_E_INVAL)
                fail_msg("%s.%s = %u: expected E_INVAL, got %d", r->owner, r->field, word, rc);
            if (word && (!strstr(err.message, r->field) || !strstr(err.message, r->element)))
                fail_msg("%s.%s: '%s' does not name %s and the field", r->owner, r->field,
                         err.message, r->element);
            if (word && api_image(w.cluster) != before)
                fail_msg("%s.%s: the cluster has changed", r->owner, r->field);
            api_world_drop(&w);
            tried++;
        }
    }
    assert_true(tried > 200);
}

static int table_has(const char *owner, const char *field) {
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].owner, owner) == 0 && strcmp(rows[i].field, field) == 0) return 1;
    return 0;
}

/* Words of one header, comments left out, that the table lacks. *seen: how many there are. */
static int header_lacks(const char *path, int *seen) {
    char line[1024], owner[64] = "", field[64];
    int lacks = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *comment = strstr(line, "/*");
        if (comment) *comment = 0;
        if (sscanf(line, "typedef struct %63[a-z_0-9] {", owner) == 1) continue;
        for (char *at = line; (at = strstr(at, "reserved")) != NULL; at += strlen(field)) {
            if (sscanf(at, "%63[a-z_0-9]", field) != 1) break;
            if (strcmp(field, "reserved_zero") != 0 && strcmp(field, "reserved2_zero") != 0)
                continue;
            (*seen)++;
            if (table_has(owner, field)) continue;
            print_error("%s: %s.%s is not in the table of tests/unit/test_reserved.c\n", path,
                        owner, field);
            lacks++;
        }
    }
    fclose(f);
    return lacks;
}

static void table_has_every_word_of_the_headers(void **state) {
    (void)state;
    int lacks = 0, seen = 0;
    char path[512];
    DIR *d = opendir(HEADERS);
    if (!d) {
        print_message("%s is not here: run the test from the root of the source tree\n", HEADERS);
        skip();
    }
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n < 3 || strcmp(e->d_name + n - 2, ".h") != 0) continue;
        snprintf(path, sizeof path, "%s/%.200s", HEADERS, e->d_name);
        lacks += header_lacks(path, &seen);
    }
    closedir(d);
    assert_int_equal(lacks, 0);
    assert_true(seen >= 45); /* or the reader finds nothing */
}

static void verify_every_plan_is_a_flag(void **state) {
    (void)state;
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    o.verify_every_plan = 77;
    assert_int_equal(create(&o, &err), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "verify_every_plan is 77"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_that_go_in_must_be_zero),
        cmocka_unit_test(table_has_every_word_of_the_headers),
        cmocka_unit_test(verify_every_plan_is_a_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
