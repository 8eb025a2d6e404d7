/*
 * random_checks.h -- the state of a cluster against a count over the shadow world of
 * random_world.h: what nodes have free, what queues hold, what jobs say of themselves, whether
 * gangs are whole.
 *
 * Independent of the library's verifier: it sees only the public calls and the descriptions that
 * the test gave.
 */
#ifndef TESTS_RANDOM_CHECKS_H
#define TESTS_RANDOM_CHECKS_H

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

#include "property/random_sizes.h"

/* Where a random test is; what a failure prints. */
struct where {
    uint64_t seed;
    uint32_t step;
    const char *event;
};

#define CHECK(where, condition, ...)                                                       \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            print_error("seed %llu step %u (%s): %s\n", (unsigned long long)(where)->seed, \
                        (where)->step, (where)->event, #condition);                        \
            fail_msg(__VA_ARGS__);                                                         \
        }                                                                                  \
    } while (0)

/* A task that has a row, by shadow index. */
struct seen_task {
    uint32_t job, task, group, state;
    uint32_t node; /* WORLD_NODES: on none */
    lsched_id decision;
    int64_t gpu; /* what it is charged, by its devices */
};

#define SEEN_MAX 4000u

struct seen {
    uint32_t n;
    uint32_t excess, stale; /* tasks imported beyond what was free, gangs below their minimum */
    struct seen_task task[SEEN_MAX];
    int64_t node_used[WORLD_NODES][WORLD_KINDS + 1];              /* by what is the same all day */
    int64_t node_day[WORLD_NODES][WORLD_KINDS + 1][DAY_QUARTERS]; /* by what is not */
    int64_t queue_used[WORLD_QUEUES][WORLD_KINDS + 1];
};

/* What was evicted holds its node until it is gone, and counts in its job and queue no more; a
 * claim is the other way round. */
static inline uint32_t holds_node(uint32_t state) {
    return state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RELEASING;
}

static inline uint32_t is_placed(uint32_t state) {
    return (state >= LSCHED_TASK_PROPOSED && state <= LSCHED_TASK_RUNNING) ||
           state == LSCHED_TASK_NOMINATED;
}

/* The state of a task with an open decision of the kind. */
static inline uint32_t state_by(uint32_t kind) {
    return kind == LSCHED_DECIDE_PLACE      ? LSCHED_TASK_PROPOSED
           : kind == LSCHED_DECIDE_NOMINATE ? LSCHED_TASK_NOMINATED
                                            : LSCHED_TASK_RELEASING;
}

static inline lsched_id find_by(const lsched_cluster *c, uint32_t kind, const char *name) {
    return lsched_find(c, kind, lsched_cstr(name));
}

static inline uint32_t world_node_of(const struct world *w, const lsched_cluster *c, lsched_id id) {
    lsched_node_info info = {.size = sizeof info};
    if (id == 0 || lsched_node_get(c, id, &info, NULL) < 0) return WORLD_NODES;
    return (uint32_t)info.tag < w->n_nodes ? (uint32_t)info.tag : WORLD_NODES;
}

/* Of device i of the node: the larger of the share and the memory that is asked for, up to a thousandth. */
static inline int64_t device_charge(const struct world_node *node, uint32_t i,
                                    const lsched_group_desc *group, int64_t share) {
    const lsched_device_desc *d = node->devices;
    while (i >= d->count) i -= d++->count;
    int64_t memory = d->memory_bytes, asked = group->gpu_memory_bytes, least = share;
    if (asked > memory) return 1000;
    while (asked && (__int128)least * memory < (__int128)asked * 1000) least++;
    return least;
}

static inline int has_device(const uint64_t *words, uint32_t i) {
    return words[i / 64] >> i % 64 & 1;
}

/* Both sets are arrays of LSCHED_DEVICE_WORDS words. */
static inline int is_same_set(const uint64_t *a, const uint64_t *b) {
    return memcmp(a, b, LSCHED_DEVICE_WORDS * sizeof a[0]) == 0;
}

static inline int64_t count_devices(const uint64_t *words) {
    int64_t n = 0;
    for (uint32_t i = 0; i < LSCHED_DEVICE_WORDS; i++) n += __builtin_popcountll(words[i]);
    return n;
}

static inline int64_t gpu_charge(const struct world_node *node, const lsched_group_desc *group,
                                 const uint64_t *words) {
    int64_t gpu = 0, sum = 0;
    for (uint32_t i = 0; i < group->n_request; i++)
        if (group->request[i].kind == LSCHED_GPU) gpu = group->request[i].amount;
    int64_t share = gpu > 1000 ? 1000 : gpu;
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++)
        if (has_device(words, i)) sum += device_charge(node, i, group, share);
    return sum;
}

static inline void count_on_node(struct seen *seen, const struct seen_task *t,
                                 const struct world_job *job, uint32_t kind, int64_t amount) {
    const struct random_day *day = &job->days[t->group];
    if (!random_day_has(&job->groups[t->group], day, kind)) {
        seen->node_used[t->node][kind] += amount;
        return;
    }
    for (uint32_t q = 0; q < DAY_QUARTERS; q++)
        seen->node_day[t->node][kind][q] += day->use[kind][q];
}

/* What of the kind is taken all day, and at the worst time of it. */
static inline int64_t node_holds(const struct seen *seen, uint32_t node, uint32_t kind) {
    int64_t most = 0;
    for (uint32_t q = 0; q < DAY_QUARTERS; q++)
        if (seen->node_day[node][kind][q] > most) most = seen->node_day[node][kind][q];
    return seen->node_used[node][kind] + most;
}

static inline void count_task(const struct world *w, struct seen *seen, const struct seen_task *t) {
    if (!holds_node(t->state) && !is_placed(t->state)) return;
    const struct world_job *job = &w->jobs[t->job];
    const lsched_group_desc *group = &job->groups[t->group];
    for (uint32_t i = 0; i < group->n_request + (group->n_device_requests > 0); i++) {
        uint32_t kind = i < group->n_request ? group->request[i].kind : LSCHED_GPU;
        int64_t amount = kind == LSCHED_GPU ? t->gpu : group->request[i].amount;
        if (holds_node(t->state)) count_on_node(seen, t, job, kind, amount);
        for (uint32_t q = job->queue; is_placed(t->state) && q != WORLD_QUEUES;
             q = w->queues[q].parent)
            seen->queue_used[q][kind] += amount;
    }
}

static inline void see_job(const struct where *at, const struct world *w, const lsched_cluster *c,
                           uint32_t j, struct seen *seen) {
    lsched_id id = find_by(c, LSCHED_KIND_JOB, w->jobs[j].name);
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    CHECK(at, id != 0, "job %s is gone", w->jobs[j].name);
    while (lsched_tasks_next(c, id, 0, &cursor, &info, NULL) == 1) {
        struct seen_task *t = &seen->task[seen->n++];
        CHECK(at, seen->n < SEEN_MAX, "too many tasks for the test");
        CHECK(at, info.job == id, "a task of another job");
        *t = (struct seen_task){.job = j,
                                .task = info.task_index,
                                .group = info.group_index,
                                .state = info.state,
                                .decision = info.decision};
        t->node = world_node_of(w, c, info.node);
        if (t->node != WORLD_NODES)
            t->gpu = w->jobs[j].groups[t->group].n_device_requests
                         ? (int64_t)info.device_milli * count_devices(info.device_words)
                         : gpu_charge(&w->nodes[t->node], &w->jobs[j].groups[t->group],
                                      info.device_words);
        seen->excess += info.imported_excess;
        CHECK(at, t->group == world_group_of_task(&w->jobs[j], t->task), "task %u in group %u",
              t->task, t->group);
        CHECK(at, (t->node != WORLD_NODES) == (holds_node(t->state) || is_placed(t->state)),
              "task %u state %u node %u", t->task, t->state, t->node);
        count_task(w, seen, t);
    }
}

static inline void see_all(const struct where *at, const struct world *w, const lsched_cluster *c,
                           struct seen *seen) {
    memset(seen, 0, sizeof *seen);
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (w->jobs[j].live) see_job(at, w, c, j, seen);
}

/* ---- nodes and queues
 * ------------------------------------------------------------------------- */

static inline void check_nodes(const struct where *at, const struct world *w,
                               const lsched_cluster *c, const struct seen *seen) {
    for (uint32_t n = 0; n < w->n_nodes; n++) {
        const struct world_node *node = &w->nodes[n];
        lsched_id id = find_by(c, LSCHED_KIND_NODE, node->name);
        CHECK(at, (id != 0) == node->live, "node %s", node->name);
        if (!node->live) continue;
        int64_t want[WORLD_KINDS + 1] = {0};
        for (uint32_t i = 0; i < node->desc.n_capacity; i++)
            want[node->capacity[i].kind] = node->capacity[i].amount;
        for (uint32_t i = 0; i < node->desc.n_devices; i++)
            want[LSCHED_GPU] += 1000 * (int64_t)node->devices[i].count;
        for (uint32_t kind = 1; kind <= (w->has_nic ? 4u : 3u); kind++) {
            int64_t capacity = -1;
            int64_t free_amount = -1;
            CHECK(at, lsched_node_amount(c, id, kind, &capacity, &free_amount, NULL) >= 0,
                  "node %s", node->name);
            CHECK(at, capacity == want[kind], "node %s kind %u: capacity %lld, was given %lld",
                  node->name, kind, (long long)capacity, (long long)want[kind]);
            CHECK(at, free_amount == capacity - node_holds(seen, n, kind),
                  "node %s kind %u: free %lld of %lld, tasks hold %lld", node->name, kind,
                  (long long)free_amount, (long long)capacity,
                  (long long)node_holds(seen, n, kind));
        }
    }
}

static inline void check_queues(const struct where *at, const struct world *w,
                                const lsched_cluster *c, const struct seen *seen) {
    for (uint32_t q = 0; q < w->n_queues; q++) {
        lsched_id id = find_by(c, LSCHED_KIND_QUEUE, w->queues[q].name);
        CHECK(at, (id != 0) == w->queues[q].live, "queue %s", w->queues[q].name);
        if (!w->queues[q].live) continue;
        uint64_t jobs = 0;
        for (uint32_t j = 0; j < w->n_jobs; j++)
            for (uint32_t up = w->jobs[j].queue; w->jobs[j].live && up != WORLD_QUEUES;
                 up = w->queues[up].parent)
                jobs += up == q;
        lsched_queue_info info = {.size = sizeof info};
        CHECK(at, lsched_queue_get(c, id, &info, NULL) >= 0 && info.jobs == jobs,
              "queue %s: %llu jobs, %llu submitted", w->queues[q].name,
              (unsigned long long)info.jobs, (unsigned long long)jobs);
        for (uint32_t kind = 1; kind <= (w->has_nic ? 4u : 3u); kind++) {
            int64_t used = -1;
            CHECK(at, lsched_queue_amount(c, id, kind, &used, NULL, NULL, NULL) >= 0, "queue %s",
                  w->queues[q].name);
            CHECK(at, used == seen->queue_used[q][kind],
                  "queue %s kind %u: holds %lld, its tasks %lld", w->queues[q].name, kind,
                  (long long)used, (long long)seen->queue_used[q][kind]);
        }
    }
}

/* ---- jobs
 * ------------------------------------------------------------------------------------- */

/* Is group g satisfied by what its leaves hold or have done. Children follow their parents. */
static inline int gang_is_whole(const struct world_job *job, const uint32_t *held) {
    int whole[WORLD_GROUPS] = {0};
    for (uint32_t g = job->desc.n_groups; g-- > 0;) {
        const lsched_group_desc *d = &job->groups[g];
        uint32_t children = 0;
        uint32_t satisfied = 0;
        for (uint32_t child = g + 1; child < job->desc.n_groups; child++) {
            if (job->groups[child].parent != g) continue;
            children++;
            satisfied += whole[child] != 0;
        }
        whole[g] = d->n_request ? held[g] >= random_sizes_min(job, g)
                                : satisfied >= (d->min_groups ? d->min_groups : children);
    }
    return whole[0];
}

static inline void check_jobs(const struct where *at, struct world *w, const lsched_cluster *c,
                              struct seen *seen) {
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        struct world_job *job = &w->jobs[j];
        if (!job->live) continue;
        uint32_t held[WORLD_GROUPS] = {0};
        uint32_t placed = 0, running = 0, done = 0, leaving = 0, taken = 0;
        for (uint32_t i = 0; i < seen->n; i++) {
            const struct seen_task *t = &seen->task[i];
            if (t->job != j) continue;
            placed += is_placed(t->state);
            running += t->state == LSCHED_TASK_RUNNING;
            done += t->state == LSCHED_TASK_DONE;
            taken += t->state == LSCHED_TASK_RUNNING || t->state == LSCHED_TASK_CONFIRMED;
            leaving += t->state == LSCHED_TASK_RELEASING;
            held[t->group] += is_placed(t->state) || t->state == LSCHED_TASK_DONE;
        }
        lsched_job_info info = {.size = sizeof info};
        CHECK(at, lsched_job_get(c, find_by(c, LSCHED_KIND_JOB, job->name), &info, NULL) >= 0,
              "job %s", job->name);
        CHECK(at,
              random_sizes_note(job, held, placed + done + leaving > 0, taken + done + leaving == 0,
                                info.tasks_wanted),
              "job %s: %u of %u tasks", job->name, placed, info.tasks_wanted);
        CHECK(at, info.tag == j && info.tasks_wanted == random_sizes_wanted(job),
              "job %s: wants %u", job->name, info.tasks_wanted);
        CHECK(at,
              info.tasks_placed == placed && info.tasks_running == running &&
                  info.tasks_done == done,
              "job %s: says %u placed %u running %u done, has %u %u %u", job->name,
              info.tasks_placed, info.tasks_running, info.tasks_done, placed, running, done);
        /* A policy may give a job of one group another minimum. */
        int whole = job->desc.n_groups == 1 ? held[0] >= info.tasks_min : gang_is_whole(job, held);
        CHECK(at,
              job->desc.n_groups == 1 || w->has_fixed || info.tasks_min == info.tasks_min_submitted,
              "job %s: minimum %u for %u", job->name, info.tasks_min, info.tasks_min_submitted);
        seen->stale += info.stale_gang;
        CHECK(at, info.stale_gang == (placed > 0 && !whole), "job %s: stale %u, holds %u, whole %d",
              job->name, info.stale_gang, placed, whole);
    }
}

/* Everything at once; the tasks seen are left in *seen for the caller. */
static inline void check_all(const struct where *at, struct world *w, const lsched_cluster *c,
                             struct seen *seen) {
    lsched_error err = LSCHED_ERROR_INIT;
    CHECK(at, lsched_verify(c, NULL, &err) >= 0, "verifier: %s", err.message);
    see_all(at, w, c, seen);
    check_nodes(at, w, c, seen);
    check_queues(at, w, c, seen);
    check_jobs(at, w, c, seen);
}

#endif
