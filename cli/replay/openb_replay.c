/*
 * openb_replay.c -- see openb_replay.h. library_ns is the CPU time in which all jobs are submitted,
 * cycles run, and plans are carried out.
 */
#include "cli/replay/openb_replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/host_allocator.h"
#include "cli/support/prng.h"
#include "cli/support/terminal.h"

#define MIB        ((int64_t)1 << 20)
#define SECOND_US  1000000
#define QUEUE_NAME "openb"

struct run {
    const struct replay *replay;
    struct host_allocator memory;
    lsched_cluster *cluster;
    lsched_id queue;
    lsched_id *node_ids; /* owned by this struct */
    uint32_t *arrivals;  /* owned by this struct; indexes in the task list, in order of arrival */
    size_t n_arrivals;
    int64_t used_gpu_milli, arrived_gpu_milli;
    struct replay_result *result;
};

/* ---- arrivals ---- */

static void shuffle(struct prng *prng, uint32_t *items, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)prng_below(prng, i);
        uint32_t held = items[i - 1];
        items[i - 1] = items[j];
        items[j] = held;
    }
}

static void make_arrivals(struct run *run, struct prng *prng) {
    const struct openb_tasks *tasks = run->replay->tasks;
    int64_t capacity_milli = run->replay->nodes->gpus * 1000;
    int64_t asked_milli = tasks->gpu_milli;
    size_t room = tasks->n;
    run->arrivals = must_alloc(room * sizeof run->arrivals[0]);
    for (; run->n_arrivals < tasks->n; run->n_arrivals++)
        run->arrivals[run->n_arrivals] = (uint32_t)run->n_arrivals;
    while (asked_milli * 10 < capacity_milli * 13) {
        uint32_t drawn = (uint32_t)prng_below(prng, tasks->n);
        if (run->n_arrivals == room) {
            room *= 2;
            run->arrivals = must_resize(run->arrivals, room * sizeof run->arrivals[0]);
        }
        run->arrivals[run->n_arrivals++] = drawn;
        asked_milli += openb_task_gpu_milli(&tasks->items[drawn]);
    }
    shuffle(prng, run->arrivals, run->n_arrivals);
}

/* ---- the cluster ---- */

struct node_parts {
    lsched_amount capacity[2];
    lsched_device_desc devices;
};

static void describe_node(const struct openb_node *node, struct node_parts *parts,
                          lsched_node_desc *out) {
    *out = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
    parts->capacity[0] = (lsched_amount){LSCHED_CPU, 0, node->cpu_milli};
    parts->capacity[1] = (lsched_amount){LSCHED_MEMORY, 0, node->memory_mib * MIB};
    parts->devices = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
    parts->devices.count = (uint32_t)node->gpus;
    parts->devices.model = node->model;
    parts->devices.share_mode = LSCHED_SHARING_FRACTION;
    out->name = node->name;
    out->capacity = parts->capacity;
    out->n_capacity = 2;
    out->devices = &parts->devices;
    out->n_devices = node->gpus > 0 ? 1 : 0;
}

static int32_t add_nodes(struct run *run, struct prng *prng, lsched_error *err) {
    const struct openb_nodes *nodes = run->replay->nodes;
    uint32_t *order = must_alloc(nodes->n * sizeof order[0]);
    for (size_t i = 0; i < nodes->n; i++) order[i] = (uint32_t)i;
    if (run->replay->shuffle_nodes) shuffle(prng, order, nodes->n);
    struct node_parts *parts = must_alloc(nodes->n * sizeof parts[0]);
    lsched_node_desc *descs = must_alloc(nodes->n * sizeof descs[0]);
    for (size_t i = 0; i < nodes->n; i++)
        describe_node(&nodes->items[order[i]], &parts[i], &descs[i]);
    run->node_ids = must_alloc(nodes->n * sizeof run->node_ids[0]);
    int32_t rc = lsched_nodes_add(run->cluster, descs, nodes->n, sizeof descs[0], NULL,
                                  run->node_ids, NULL, err);
    if (rc < 0 && err->index >= 0 && (size_t)err->index < nodes->n) err->index = order[err->index];
    free(descs);
    free(parts);
    free(order);
    return rc < 0 ? rc : LSCHED_OK;
}

/* Adds the queue, the mix of expected tasks and the policy to the cluster. The nodes are added
 * before. */
static int32_t add_rest(struct run *run, const struct openb_mix *mix, lsched_error *err) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = LSCHED_TEXT(QUEUE_NAME);
    int32_t rc =
        lsched_queues_add(run->cluster, &queue, 1, sizeof queue, NULL, &run->queue, NULL, err);
    if (rc < 0) return rc;
    rc = lsched_task_mix_set(run->cluster, mix->entries, mix->n, sizeof mix->entries[0], err);
    if (rc < 0) return rc;
    return policy_source_load(run->replay->policy, run->cluster, err);
}

/* ---- one arrival ---- */

/* The description of the job of an arriving task. Code must not copy the struct, because its
 * members point to each other. */
struct arrival {
    struct openb_request request;
    char name[32];
    lsched_job_desc desc;
};

static void describe_arrival(const struct run *run, size_t number, struct arrival *out) {
    openb_request_of(&run->replay->tasks->items[run->arrivals[number]], true, &out->request);
    snprintf(out->name, sizeof out->name, "arrival-%06zu", number);
    out->desc = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
    out->desc.name = lsched_cstr(out->name);
    out->desc.tag = number;
    out->desc.queue = run->queue;
    out->desc.groups = &out->request.group;
    out->desc.n_groups = 1;
    out->desc.submit_us = (int64_t)number * SECOND_US;
}

/* Carries out a plan. If the plan places the task of `job`, confirms the decision, reports that the
 * task has started, and sets *placed to true. */
static int32_t carry_out(struct run *run, const lsched_plan *plan, lsched_id job, int64_t now_us,
                         bool *placed, lsched_error *err) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    run->result->plans_hash = (run->result->plans_hash ^ info.plan_hash) * 0x100000001b3u;
    *placed = false;
    if (info.policy_error != LSCHED_OK) {
        return error_at(err, LSCHED_E_POLICY, 0, 0, "%s", lsched_plan_policy_error(plan));
    }
    if (lsched_plan_size(plan) == 0) return LSCHED_OK;
    const lsched_decision *decision = lsched_plan_at(plan, 0);
    if (lsched_plan_size(plan) > 1 || decision->kind != LSCHED_DECIDE_PLACE ||
        decision->job != job) {
        return error_at(err, LSCHED_E_STATE, 0, 0,
                        "expected the new task to be placed or to wait, got another decision");
    }
    lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
    lsched_settlement answer = {
        .size = sizeof answer, .outcome = confirmed, .decision = decision->id};
    int32_t rc = lsched_settle(run->cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, err);
    if (rc < 0) return rc;
    lsched_task_event started = LSCHED_TASK_EVENT_INIT;
    started.event = LSCHED_EVENT_STARTED;
    started.job = job;
    started.task_index = decision->task_index;
    started.at_us = now_us;
    *placed = true;
    return lsched_tasks_report(run->cluster, &started, 1, sizeof started, NULL, NULL, err);
}

static int32_t arrive(struct run *run, size_t number, lsched_error *err) {
    lsched_id job = 0;
    lsched_plan *plan = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = (int64_t)number * SECOND_US;
    bool placed = false;
    struct arrival arrival;
    describe_arrival(run, number, &arrival);
    const struct plan_watch *watch = run->replay->watch;
    int64_t begun_ns = clock_core_ns();
    int32_t rc = lsched_jobs_submit(run->cluster, &arrival.desc, 1, sizeof arrival.desc, NULL, &job,
                                    NULL, err);
    if (rc >= 0 && watch != NULL && watch->before != NULL)
        rc = watch->before(watch->user, run->cluster, &opts, err);
    if (rc >= 0) rc = lsched_schedule(run->cluster, &opts, &plan, err);
    if (rc >= 0 && watch != NULL) watch->after(watch->user, run->cluster, plan);
    if (rc >= 0) rc = carry_out(run, plan, job, opts.now_us, &placed, err);
    lsched_plan_destroy(plan);
    if (rc >= 0 && !placed) rc = lsched_jobs_remove(run->cluster, &job, 1, NULL, NULL, err);
    run->result->library_ns += clock_core_ns() - begun_ns;
    if (rc < 0) return rc;
    int64_t gpu_milli = openb_task_gpu_milli(&run->replay->tasks->items[run->arrivals[number]]);
    run->arrived_gpu_milli += gpu_milli;
    if (placed) {
        run->result->placed++;
        run->used_gpu_milli += gpu_milli;
    } else {
        run->result->dropped++;
        run->result->dropped_gpu_milli += gpu_milli;
    }
    return LSCHED_OK;
}

/* ---- measuring ---- */

static uint64_t gpus_in_pieces(const struct run *run, size_t node, uint32_t gpus) {
    uint64_t pieces = 0;
    for (uint32_t i = 0; i < gpus; i++) {
        lsched_device_info device = {.size = sizeof device};
        int32_t rc = lsched_device_get(run->cluster, run->node_ids[node], i, &device, NULL);
        pieces += rc == LSCHED_OK && device.free_milli > 0 && device.free_milli < 1000;
    }
    return pieces;
}

static int32_t measure(struct run *run, double *unallocated_percent, lsched_error *err) {
    int32_t rc = lsched_verify(run->cluster, NULL, err);
    if (rc < 0) return rc;
    struct replay_result *result = run->result;
    int64_t capacity_milli = 0, free_milli = 0;
    result->nodes_used = result->gpus_in_pieces = 0;
    result->free_on_used_milli = 0;
    for (size_t i = 0; i < run->replay->nodes->n; i++) {
        lsched_node_info info = {.size = sizeof info};
        rc = lsched_node_get(run->cluster, run->node_ids[i], &info, NULL);
        if (rc < 0) return error_at(err, rc, 0, 0, "a node of the replay cannot be read");
        capacity_milli += info.gpu_milli;
        free_milli += info.gpu_free_milli;
        result->gpus_in_pieces += gpus_in_pieces(run, i, info.n_devices);
        if (info.n_tasks == 0) continue;
        result->nodes_used++;
        result->free_on_used_milli += info.gpu_free_milli;
    }
    result->free_gpu_milli = free_milli;
    if (capacity_milli - free_milli != run->used_gpu_milli) {
        return error_at(err, LSCHED_E_CORRUPT, 0, 0,
                        "the cluster says that %" PRId64
                        " milli-GPUs are in use, the replay counted %" PRId64,
                        capacity_milli - free_milli, run->used_gpu_milli);
    }
    *unallocated_percent = 100.0 * (double)free_milli / (double)capacity_milli;
    return LSCHED_OK;
}

/* Replays the arrivals until the arrived tasks ask for 130 % of the GPUs, or until arrivals_max
 * tasks have arrived. */
static int32_t play(struct run *run, lsched_error *err) {
    static const int64_t tenths[MARKS] = {10, 13};
    int64_t capacity_milli = run->replay->nodes->gpus * 1000;
    size_t mark = 0, most = run->replay->arrivals_max;
    int32_t rc = LSCHED_OK;
    if (most == 0 || most > run->n_arrivals) most = run->n_arrivals;
    for (size_t i = 0; i < most; i++) {
        rc = arrive(run, i, err);
        while (rc >= 0 && mark < MARKS &&
               run->arrived_gpu_milli * 10 >= capacity_milli * tenths[mark]) {
            rc = measure(run, &run->result->unallocated_percent[mark++], err);
        }
        if (rc < 0) return rc;
        if (run->replay->step != NULL) run->replay->step(run->replay->user, i + 1, run->n_arrivals);
        run->result->arrivals = i + 1;
        /* arrivals after the last mark would not change the result */
        if (mark == MARKS) return LSCHED_OK;
    }
    /* -1 means that the arrived tasks ask for less than this mark */
    run->result->unallocated_percent[MARK_130] = -1;
    if (mark == MARK_100) run->result->unallocated_percent[MARK_100] = -1;
    double at_end = 0;
    return measure(run, &at_end, err);
}

uint32_t *openb_arrivals(const struct replay *replay, uint64_t seed, size_t *n) {
    struct replay_result unused;
    struct run run = {.replay = replay, .result = &unused};
    struct prng prng = {seed};
    make_arrivals(&run, &prng);
    *n = run.n_arrivals;
    return run.arrivals;
}

int32_t openb_replay(const struct replay *replay, const struct openb_mix *mix, uint64_t seed,
                     struct replay_result *out, lsched_error *err) {
    struct run run = {.replay = replay, .result = out};
    struct prng prng = {seed};
    memset(out, 0, sizeof *out);
    out->plans_hash = 0xcbf29ce484222325u;
    make_arrivals(&run, &prng);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = host_allocator_begin(&run.memory);
    int32_t rc = lsched_cluster_create(&opts, &run.cluster, err);
    if (rc >= 0) rc = add_nodes(&run, &prng, err);
    if (rc >= 0) {
        rc = add_rest(&run, mix, err);
        if (rc >= 0) rc = play(&run, err);
        if (rc < 0) err->index = -1; /* the error is not about a node */
    }
    if (replay->watch != NULL && replay->watch->end != NULL)
        replay->watch->end(replay->watch->user);
    lsched_cluster_destroy(run.cluster);
    host_allocator_end(&run.memory);
    free(run.node_ids);
    free(run.arrivals);
    return rc < 0 ? rc : LSCHED_OK;
}
