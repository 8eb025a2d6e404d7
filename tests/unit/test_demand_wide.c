/* What waiting jobs ask for together may pass any number, and harms nobody: submissions of others are accepted, sums
 * are exact while jobs come and go in any order, and images of such states load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

__extension__ typedef unsigned __int128 u128;

enum { JOBS = 64, KINDS = 3 };

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

struct world {
    lsched_cluster *c;
    lsched_id queue[3], node; /* top, with mallory and good below it */
    uint32_t kind[KINDS];
};

static void open_world(struct world *w) {
    lsched_queue_desc queue[3] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT,
                                  LSCHED_QUEUE_DESC_INIT};
    static const char *const names[] = {"top", "mallory", "good"};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    must(lsched_cluster_create(NULL, &w->c, &err));
    int32_t token = lsched_resource_add(w->c, LSCHED_TEXT("token"), &err);
    must(token);
    w->kind[0] = LSCHED_CPU;
    w->kind[1] = LSCHED_MEMORY;
    w->kind[2] = (uint32_t)token;
    for (int q = 0; q < 3; q++) {
        queue[q].name = lsched_cstr(names[q]);
        if (q) queue[q].parent_name = LSCHED_TEXT("top");
        must(
            lsched_queues_add(w->c, &queue[q], 1, sizeof queue[q], NULL, &w->queue[q], NULL, &err));
    }
    lsched_amount capacity[KINDS];
    for (int r = 0; r < KINDS; r++) capacity[r] = (lsched_amount){w->kind[r], 0, 1 << 20};
    node.name = LSCHED_TEXT("n");
    node.capacity = capacity;
    node.n_capacity = KINDS;
    must(lsched_nodes_add(w->c, &node, 1, sizeof node, NULL, &w->node, NULL, &err));
}

static int32_t submit(struct world *w, const char *name, int queue, uint32_t tasks,
                      const int64_t *amount, lsched_id *id) {
    lsched_amount request[KINDS];
    uint32_t n = 0;
    for (int r = 0; r < KINDS; r++)
        if (amount[r]) request[n++] = (lsched_amount){w->kind[r], 0, amount[r]};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.max_count = tasks;
    group.request = request;
    group.n_request = n;
    job.name = lsched_cstr(name);
    job.queue = w->queue[queue];
    job.groups = &group;
    job.n_groups = 1;
    return lsched_jobs_submit(w->c, &job, 1, sizeof job, NULL, id, NULL, &err);
}

static void cycle(struct world *w, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    must(lsched_schedule(w->c, &opts, &plan, &err));
    lsched_plan_destroy(plan);
}

static void check_demand(struct world *w, int queue, const u128 *expected) {
    for (int r = 0; r < KINDS; r++) {
        lsched_queue_share share = {.size = sizeof share};
        must(lsched_queue_share_get(w->c, w->queue[queue], w->kind[r], &share, &err));
        int64_t shown =
            expected[r] > (u128)LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)expected[r];
        assert_true(share.demand == shown);
    }
}

struct file {
    char *bytes;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct file *f = user;
    f->bytes = realloc(f->bytes, f->n + n);
    assert_non_null(f->bytes);
    memcpy(f->bytes + f->n, bytes, n);
    f->n += n;
    return LSCHED_OK;
}

static void test_jobs_come_and_go(void **state) {
    struct world w;
    lsched_id job[JOBS] = {0};
    int64_t asks[JOBS][KINDS] = {{0}};
    int at[JOBS] = {0};
    uint64_t seed = 1;
    (void)state;
    open_world(&w);
    for (int step = 1; step <= 600; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int i = (int)(seed >> 33) % JOBS;
        if (job[i]) {
            must(lsched_jobs_remove(w.c, &job[i], 1, NULL, NULL, &err));
            job[i] = 0;
        } else {
            char name[16];
            snprintf(name, sizeof name, "j%d", i);
            at[i] = 1 + (int)(seed >> 40 & 1);
            for (int r = 0; r < KINDS; r++)
                asks[i][r] =
                    (seed >> (44 + r) & 1) ? LSCHED_AMOUNT_MAX >> (seed >> 50 & 3) : 1 << 30;
            must(submit(&w, name, at[i], 1, asks[i], &job[i]));
        }
        if (step % 20) continue;
        cycle(&w, step);
        u128 sum[3][KINDS] = {{0}};
        for (int j = 0; j < JOBS; j++)
            for (int r = 0; job[j] && r < KINDS; r++) {
                sum[0][r] += (uint64_t)asks[j][r];
                sum[at[j]][r] += (uint64_t)asks[j][r];
            }
        for (int q = 0; q < 3; q++) check_demand(&w, q, sum[q]);
    }
    struct file f = {NULL, 0};
    lsched_cluster *loaded = NULL;
    must(lsched_cluster_save(w.c, append, &f, &err));
    must(lsched_cluster_load(NULL, f.bytes, f.n, &loaded, &err));
    must(lsched_verify(loaded, NULL, &err));
    free(f.bytes);
    lsched_cluster_destroy(loaded);
    lsched_cluster_destroy(w.c);
}

static void test_others_are_served(void **state) {
    struct world w;
    const int64_t huge[KINDS] = {LSCHED_AMOUNT_MAX, LSCHED_AMOUNT_MAX, LSCHED_AMOUNT_MAX};
    const int64_t little[KINDS] = {1000, 1000, 1};
    lsched_id id;
    lsched_job_info info = {.size = sizeof info};
    (void)state;
    open_world(&w);
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "evil%d", i);
        must(submit(&w, name, 1, 1, huge, &id));
    }
    assert_int_equal(submit(&w, "two", 1, 2, huge, &id), LSCHED_E_RANGE); /* one job has a bound */
    must(submit(&w, "honest", 2, 1, little, &id));
    cycle(&w, 1);
    must(lsched_job_get(w.c, id, &info, NULL));
    assert_int_equal(info.tasks_placed, 1);
    lsched_cluster_destroy(w.c);
}

/* Imports are believed; what they hold is bounded, and the rest of the cluster goes on. */
static void test_imports_are_bounded(void **state) {
    struct world w;
    const int64_t half[KINDS] = {LSCHED_AMOUNT_MAX / 2, 0, 0}, little[KINDS] = {1000, 0, 0};
    int32_t refused = 0;
    (void)state;
    open_world(&w);
    for (int i = 0; i < 8; i++) {
        char name[16];
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        snprintf(name, sizeof name, "m%d", i);
        must(submit(&w, name, 1 + i % 2, 1, half, &m.job));
        m.node = w.node;
        m.state = i % 3 ? LSCHED_TASK_RUNNING : LSCHED_TASK_RELEASING;
        int32_t rc = lsched_tasks_import(w.c, &m, 1, sizeof m, NULL, NULL, &err);
        if (rc < 0 && rc != LSCHED_E_RANGE) print_message("%d %s\n", rc, err.message);
        assert_true(rc >= 0 || rc == LSCHED_E_RANGE);
        refused += rc == LSCHED_E_RANGE;
        must(lsched_verify(w.c, NULL, &err));
    }
    assert_int_equal(refused, 7);
    lsched_id id;
    must(submit(&w, "honest", 2, 1, little, &id));
    cycle(&w, 1);
    lsched_cluster_destroy(w.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jobs_come_and_go),
                                       cmocka_unit_test(test_others_are_served),
                                       cmocka_unit_test(test_imports_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
