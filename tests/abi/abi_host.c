/*
 * abi_host.c -- an orchestrator that is built three times and runs with one library: with the first
 * headers of the interface, with the present ones, and with headers in which every struct has more
 * fields at its end (headers.py).
 *
 * All three make equal calls, and so must print equal lines: every fact that the library returns, and
 * the hashes of state and plans. What the library writes lies in a block whose remaining bytes have a
 * pattern, so that a byte after the end of a struct is noticed. Built with HOST_GROWN, the program also
 * checks what a newer host can see of an older library.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>
#include <libsched/pack.h>
#include <libsched/scenario.h>

#define NOW_US     INT64_C(1700000000000000)
#define SECOND_US  INT64_C(1000000)
#define GUARD_BYTE 0xa5

static int faults;

static void must_hold(int holds, const char *what, const lsched_error *err) {
    if (holds) return;
    faults++;
    fprintf(stderr, "abi_host: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
}
#define MUST(call) must_hold((call) >= 0, #call, &err)

/* An output struct with a pattern behind it. */
#define OUT(type)                \
    struct {                     \
        type record;             \
        unsigned char guard[64]; \
    }
#define OUT_BEGIN(out) \
    (memset(&(out), GUARD_BYTE, sizeof(out)), lsched_init(&(out).record, sizeof(out).record))
#define OUT_END(out) guard_check((out).guard, sizeof(out).guard, #out)

static void guard_check(const unsigned char *guard, size_t n, const char *what) {
    for (size_t i = 0; i < n; i++)
        if (guard[i] != GUARD_BYTE) {
            must_hold(0, what, NULL);
            return;
        }
}

/* ---- the world ------------------------------------------------------------------------------- */

static void add_nodes(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    gpus.count = 4, gpus.model = LSCHED_TEXT("H100-80GB"), gpus.memory_bytes = INT64_C(80) << 30;
    const lsched_amount capacity[] = {{LSCHED_CPU, 0, 64000},
                                      {LSCHED_MEMORY, 0, INT64_C(512) << 30}};
    const lsched_label label = {LSCHED_TEXT("zone"), LSCHED_TEXT("east")};
    lsched_node_desc nodes[3] = {LSCHED_NODE_DESC_INIT, LSCHED_NODE_DESC_INIT,
                                 LSCHED_NODE_DESC_INIT};
    static const char *const names[] = {"n1", "n2", "n3"};
    for (int i = 0; i < 3; i++) {
        nodes[i].name = lsched_cstr(names[i]), nodes[i].tag = (uint64_t)i + 1;
        nodes[i].capacity = capacity, nodes[i].n_capacity = 2;
        nodes[i].labels = &label, nodes[i].n_labels = 1;
        nodes[i].devices = &gpus, nodes[i].n_devices = 1;
    }
    MUST(lsched_nodes_add(c, nodes, 3, sizeof nodes[0], NULL, NULL, NULL, &err));
    lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
    update.set = LSCHED_NODE_SET_STATE, update.name = LSCHED_TEXT("n3");
    update.state = LSCHED_NODE_CORDONED;
    MUST(lsched_nodes_update(c, &update, 1, sizeof update, NULL, NULL, &err));
}

static void add_queues(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_amount quota = {LSCHED_GPU, 0, 4000}, limit = {LSCHED_GPU, 0, 6000};
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    queues[0].name = LSCHED_TEXT("red"), queues[0].quota = &quota, queues[0].n_quota = 1;
    queues[1].name = LSCHED_TEXT("blue"), queues[1].priority = 3;
    MUST(lsched_queues_add(c, queues, 2, sizeof queues[0], NULL, NULL, NULL, &err));
    lsched_queue_update update = LSCHED_QUEUE_UPDATE_INIT;
    update.name = LSCHED_TEXT("blue"), update.set = LSCHED_QUEUE_SET_LIMIT;
    update.limit = &limit, update.n_limit = 1;
    MUST(lsched_queues_update(c, &update, 1, sizeof update, NULL, NULL, &err));
}

static void add_jobs(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_text zone = LSCHED_TEXT("east");
    lsched_selector selector = LSCHED_SELECTOR_INIT;
    selector.key = LSCHED_TEXT("zone"), selector.values = &zone, selector.n_values = 1;
    const lsched_amount needs[] = {{LSCHED_GPU, 0, 2000}, {LSCHED_CPU, 0, 4000}};
    lsched_device_request one = LSCHED_DEVICE_REQUEST_INIT;
    one.devices = 1;
    lsched_group_desc groups[3] = {LSCHED_GROUP_DESC_INIT, LSCHED_GROUP_DESC_INIT,
                                   LSCHED_GROUP_DESC_INIT};
    groups[1].max_count = 3, groups[1].min_count = 2;
    groups[1].request = needs, groups[1].n_request = 2;
    groups[1].selectors = &selector, groups[1].n_selectors = 1;
    groups[2].max_count = 1, groups[2].request = &needs[1], groups[2].n_request = 1;
    groups[2].device_requests = &one, groups[2].n_device_requests = 1;
    lsched_job_desc jobs[3] = {LSCHED_JOB_DESC_INIT, LSCHED_JOB_DESC_INIT, LSCHED_JOB_DESC_INIT};
    static const char *const names[] = {"train", "serve", "later"};
    for (int i = 0; i < 3; i++) {
        jobs[i].name = lsched_cstr(names[i]), jobs[i].submit_us = NOW_US + i;
        jobs[i].queue_name = i ? LSCHED_TEXT("blue") : LSCHED_TEXT("red");
        jobs[i].groups = groups, jobs[i].n_groups = 3;
        jobs[i].group_elem_size = sizeof groups[0]; /* groups[0] is the root of the two leaves */
        jobs[i].stale_grace_us = LSCHED_NEVER_US;
    }
    MUST(lsched_jobs_submit(c, jobs, 3, sizeof jobs[0], NULL, NULL, NULL, &err));
    lsched_job_update update = LSCHED_JOB_UPDATE_INIT;
    update.name = LSCHED_TEXT("later"), update.set = LSCHED_JOB_SET_PRIORITY, update.priority = -1;
    MUST(lsched_jobs_update(c, &update, 1, sizeof update, NULL, NULL, &err));
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void show_plan(lsched_cluster *c, const lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    OUT(lsched_plan_info) info;
    OUT_BEGIN(info);
    MUST(lsched_plan_get(plan, &info.record, &err));
    OUT_END(info);
    printf("plan %016" PRIx64 " %" PRIu64 " decisions, %" PRIu64 " waiting\n",
           info.record.plan_hash, info.record.decisions, info.record.waiting);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (!LSCHED_HAS(d, proposed_us)) must_hold(0, "a decision is short", NULL);
        printf("%s task %u node tag %" PRIu64 " milli %u at %" PRId64 "\n",
               lsched_decision_kind_name(d->kind), d->task_index, d->node_tag, d->device_milli,
               d->proposed_us - NOW_US);
    }
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        char line[512];
        MUST(lsched_waiting_text(c, lsched_plan_waiting_at(plan, i), line, sizeof line, &err));
        printf("waits: %s\n", line);
    }
}

static void settle_all(lsched_cluster *c, const lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement settlement = LSCHED_SETTLEMENT_INIT;
        lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
        settlement.decision = d->id, settlement.outcome = LSCHED_OUTCOME_CONFIRMED;
        MUST(lsched_settle(c, &settlement, 1, sizeof settlement, NULL, &report, NULL, &err));
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        lsched_task_event started = LSCHED_TASK_EVENT_INIT;
        started.event = LSCHED_EVENT_STARTED, started.job = d->job;
        started.task_index = d->task_index, started.at_us = NOW_US + SECOND_US;
        MUST(lsched_tasks_report(c, &started, 1, sizeof started, NULL, NULL, &err));
    }
}

static void cycle(lsched_cluster *c, int64_t now_us) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now_us, opts.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    MUST(lsched_schedule(c, &opts, &plan, &err));
    show_plan(c, plan);
    settle_all(c, plan);
    MUST(lsched_verify(c, NULL, &err));
    lsched_plan_destroy(plan);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void show_objects(const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id node = lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n1"));
    lsched_id queue = lsched_find(c, LSCHED_KIND_QUEUE, LSCHED_TEXT("blue"));
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("train"));
    OUT(lsched_node_info) n;
    OUT(lsched_queue_info) q;
    OUT(lsched_job_info) j;
    OUT(lsched_device_info) d;
    OUT(lsched_queue_share) s;
    OUT(lsched_cluster_stats) all;
    OUT(lsched_policy_info) p;
    OUT_BEGIN(n), OUT_BEGIN(q), OUT_BEGIN(j), OUT_BEGIN(d), OUT_BEGIN(s), OUT_BEGIN(all),
        OUT_BEGIN(p);
    MUST(lsched_node_get(c, node, &n.record, &err));
    MUST(lsched_queue_get(c, queue, &q.record, &err));
    MUST(lsched_job_get(c, job, &j.record, &err));
    MUST(lsched_device_get(c, node, 1, &d.record, &err));
    MUST(lsched_queue_share_get(c, queue, LSCHED_GPU, &s.record, &err));
    MUST(lsched_cluster_stats_get(c, &all.record, &err));
    MUST(lsched_policy_get(c, &p.record, &err));
    OUT_END(n), OUT_END(q), OUT_END(j), OUT_END(d), OUT_END(s), OUT_END(all), OUT_END(p);
    printf("node %u devices, %u tasks, free %" PRId64 " %" PRId64 "\n", n.record.n_devices,
           n.record.n_tasks, n.record.gpu_free_milli, n.record.cpu_free_milli);
    printf("queue priority %d, %" PRIu64 " jobs; share %" PRId64 " of limit %" PRId64 "\n",
           q.record.priority, q.record.jobs, s.record.used, s.record.limit);
    printf("job %u of %u tasks run; device %u free; %" PRIu64 " tasks placed; policy %s %s\n",
           j.record.tasks_running, j.record.tasks_wanted, d.record.free_milli,
           all.record.tasks_placed, p.record.placement, p.record.pipeline);
}

static void show_tasks(const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t cursor = 0, reader = 0;
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("train"));
    OUT(lsched_task_info) t;
    OUT(lsched_change) change;
    OUT_BEGIN(t), OUT_BEGIN(change);
    while (lsched_tasks_next(c, job, 0, &cursor, &t.record, &err) == 1)
        printf("task %u is %s since %" PRId64 "\n", t.record.task_index,
               lsched_task_state_name(t.record.state), t.record.start_us - NOW_US);
    while (lsched_changes_next(c, &reader, &change.record, &err) == 1)
        printf("change %s because of %s\n", lsched_change_name(change.record.kind),
               lsched_because_name(change.record.because));
    OUT_END(t), OUT_END(change);
}

static void show_answers(const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("later"));
    OUT(lsched_would_start_answer) answer;
    OUT(lsched_offer) offer;
    OUT(lsched_waiting) waiting;
    char text[1024];
    OUT_BEGIN(answer), OUT_BEGIN(offer), OUT_BEGIN(waiting);
    answer.record.offer = &offer.record, answer.record.waiting = &waiting.record;
    MUST(lsched_would_start(c, job, NULL, NULL, &answer.record, &err));
    MUST(lsched_explain(c, job, text, sizeof text, NULL, &err));
    OUT_END(answer), OUT_END(offer), OUT_END(waiting);
    printf("would start: %u, offer %s, wait %s\n%s", answer.record.start,
           lsched_offer_name(offer.record.change), lsched_wait_name(waiting.record.code), text);
    lsched_description *description = NULL;
    MUST(lsched_describe(c, job, &description, &err));
    const lsched_job_desc *desc = lsched_description_job(description);
    const lsched_group_desc *leaf =
        (const void *)((const char *)desc->groups +
                       desc->group_elem_size); /* the library's stride */
    printf("described: %u groups, leaf of %u tasks, grace %s\n", desc->n_groups, leaf->max_count,
           desc->stale_grace_us == LSCHED_NEVER_US ? "never" : "ends");
    lsched_description_destroy(description);
}

static void show_pack(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    const int64_t capacity = 10, demand = 6;
    lsched_pack_resource resource = LSCHED_PACK_RESOURCE_INIT;
    lsched_pack_class bins = LSCHED_PACK_CLASS_INIT;
    lsched_pack_config config = LSCHED_PACK_CONFIG_INIT;
    lsched_pack_item items[2] = {LSCHED_PACK_ITEM_INIT, LSCHED_PACK_ITEM_INIT};
    lsched_pack_problem problem = LSCHED_PACK_PROBLEM_INIT;
    lsched_packer *packer = NULL;
    OUT(lsched_pack_info) info;
    resource.name = LSCHED_TEXT("gpu"), bins.name = LSCHED_TEXT("node");
    bins.count = 2, bins.capacity = &capacity, bins.open_price_micro = 1000000;
    config.duration_us = SECOND_US, config.demand = &demand;
    for (int i = 0; i < 2; i++) items[i].configs = &config, items[i].n_configs = 1;
    problem.n_resources = problem.n_classes = 1, problem.n_items = 2;
    problem.resources = &resource, problem.classes = &bins, problem.items = items;
    problem.resource_size = sizeof resource, problem.class_size = sizeof bins;
    problem.item_size = sizeof items[0], problem.config_size = sizeof config;
    OUT_BEGIN(info);
    MUST(lsched_packer_create(&problem, NULL, &packer, &err));
    MUST(lsched_packer_run(packer, 1000, &err));
    MUST(lsched_packer_get(packer, &info.record, &err));
    OUT_END(info);
    printf("pack: %u bins, price %" PRId64 "\n", info.record.bins, info.record.price_micro);
    lsched_packer_destroy(packer);
}

/* ---- a newer host ---------------------------------------------------------------------------- */

#ifdef HOST_GROWN
/* A field that the library does not know must have its default; then the call does what it knows. */
static void check_newer_host(lsched_cluster *c, const lsched_plan *plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *none = NULL;
    queue.name = LSCHED_TEXT("grown"), queue.grown_us = 1;
    must_hold(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) ==
                  LSCHED_E_SIZE,
              "an element with an unknown field was taken", NULL);
    opts.now_us = NOW_US, opts.grown_word = 1;
    must_hold(lsched_schedule(c, &opts, &none, &err) == LSCHED_E_SIZE,
              "options with an unknown field were taken", NULL);
    lsched_node_info info = LSCHED_INIT(lsched_node_info);
    info.grown_us = 77;
    MUST(lsched_node_get(c, lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n1")), &info, &err));
    must_hold(info.grown_us == 77, "an unknown field of a result was written", NULL);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        must_hold(!LSCHED_HAS(lsched_plan_at(plan, i), grown_word), "a field is there", NULL);
}
#endif

int main(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = NULL;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    uint64_t hash = 0;
    opts.incarnation = 7;
    MUST(lsched_cluster_create(&opts, &c, &err));
    if (faults) return 1;
    add_nodes(c);
    add_queues(c);
    add_jobs(c);
    cycle(c, NOW_US);
    cycle(c, NOW_US + 2 * SECOND_US);
    const lsched_id n2 = lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n2"));
    MUST(lsched_nodes_remove(c, &n2, 1, NULL, NULL, &err));
    cycle(c, NOW_US + 3 * SECOND_US);
    show_objects(c);
    show_tasks(c);
    show_answers(c);
    show_pack();
    MUST(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash, &err));
    printf("state %016" PRIx64 "\n", hash);
#ifdef HOST_GROWN
    lsched_plan *plan = NULL;
    lsched_schedule_opts last = LSCHED_SCHEDULE_OPTS_INIT;
    last.now_us = NOW_US + 4 * SECOND_US;
    MUST(lsched_schedule(c, &last, &plan, &err));
    check_newer_host(c, plan);
    lsched_plan_destroy(plan);
#endif
    lsched_cluster_destroy(c);
    return faults ? 1 : 0;
}
