/* Memory of cycles that fill an empty cluster with a bound on their decisions: what a cycle takes
 * and gives back before it returns follows the bound, and neither the nodes nor the jobs that wait.
 * The first cycle admits all the jobs and keeps some words for each until it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

enum { TASKS = 8, DECISIONS = 64, BATCH = 64 };

/* Counts the bytes that the library holds, and the most since `most` was set. */
struct counted {
    uint64_t held, most;
};

static void *counted_new(void *user, size_t bytes) {
    struct counted *c = user;
    void *p = malloc(bytes);
    if (p) c->held += bytes;
    if (c->held > c->most) c->most = c->held;
    return p;
}

static void *counted_resize(void *user, void *old, size_t old_bytes, size_t bytes) {
    struct counted *c = user;
    void *p = realloc(old, bytes);
    if (p) c->held += bytes - old_bytes;
    if (c->held > c->most) c->most = c->held;
    return p;
}

static void counted_free(void *user, void *old, size_t bytes) {
    ((struct counted *)user)->held -= bytes;
    free(old);
}

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

static void add_nodes(lsched_cluster *c, uint32_t nodes) {
    lsched_amount cpu = {LSCHED_CPU, 0, TASKS * 1000};
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", i);
        node.name = lsched_cstr(name);
        node.capacity = &cpu;
        node.n_capacity = 1;
        must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
    }
}

static void submit(lsched_cluster *c, uint32_t first) {
    lsched_job_desc jobs[BATCH];
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    char names[BATCH][16];
    group.request = &cpu;
    group.n_request = 1;
    for (uint32_t i = 0; i < BATCH; i++) {
        snprintf(names[i], sizeof names[i], "j%u", first + i);
        jobs[i] = (lsched_job_desc)LSCHED_JOB_DESC_INIT;
        jobs[i].name = lsched_cstr(names[i]);
        jobs[i].queue_name = LSCHED_TEXT("q");
        jobs[i].groups = &group;
        jobs[i].n_groups = 1;
    }
    must(lsched_jobs_submit(c, jobs, BATCH, sizeof jobs[0], NULL, NULL, NULL, &err));
}

struct filled {
    uint64_t first, later; /* bytes that the first cycle, and a later one, gave back, at most */
    uint64_t cycles;
};

/* Fills a cluster in cycles. */
static struct filled fill(uint32_t nodes, uint32_t jobs) {
    struct counted counted = {0, 0};
    lsched_allocator hooks = {sizeof hooks, 0, &counted, counted_new, counted_resize, counted_free};
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster *c = NULL;
    struct filled filled = {0, 0, 0};
    uint64_t placed = 0, n;
    opts.allocator = &hooks;
    must(lsched_cluster_create(&opts, &c, &err));
    queue.name = LSCHED_TEXT("q");
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
    add_nodes(c, nodes);
    for (uint32_t i = 0; i < jobs; i += BATCH) submit(c, i);
    do {
        lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        cycle.now_us = 1000000 + (int64_t)filled.cycles;
        cycle.decisions_max = DECISIONS;
        counted.most = counted.held;
        must(lsched_schedule(c, &cycle, &plan, &err));
        uint64_t gave_back = counted.most - counted.held;
        uint64_t *most = filled.cycles++ ? &filled.later : &filled.first;
        if (gave_back > *most) *most = gave_back;
        n = lsched_plan_size(plan);
        assert_true(n <= DECISIONS);
        placed += n;
        lsched_plan_destroy(plan);
    } while (n > 0);
    assert_int_equal(placed, jobs < nodes * TASKS ? jobs : nodes * TASKS);
    lsched_cluster_destroy(c);
    assert_int_equal(counted.held, 0);
    return filled;
}

static void report(const char *what, struct filled f) {
    print_message("%s: %llu and %llu bytes in %llu cycles\n", what, (unsigned long long)f.first,
                  (unsigned long long)f.later, (unsigned long long)f.cycles);
}

static void memory_of_a_cycle_follows_the_bound(void **unused) {
    (void)unused;
    struct filled small = fill(128, 1024), waiting = fill(128, 16384), large = fill(2048, 16384);
    report("128 nodes, 1024 jobs", small);
    report("128 nodes, 16384 jobs", waiting);
    report("2048 nodes, 16384 jobs", large);
    assert_true(waiting.later <= small.later);
    assert_true(large.later <= small.later);
    /* the log of the first cycle is kept for the next call unless it is long; this one is long */
    struct filled flood = fill(128, 262144);
    report("128 nodes, 262144 jobs", flood);
    assert_true(flood.later <= small.later);
    assert_true(flood.first <= small.first + (uint64_t)262144 * 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_a_cycle_follows_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
