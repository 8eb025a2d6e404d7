/*
 * test_describe.c -- an object that is described and submitted again is the same object: for the
 * first state of each scenario of the project, all nodes, queues and jobs are described, removed
 * and added again from their descriptions, and the meaning of the cluster is what it was.
 * Allowances and reservations are no part of a description: they are read and set by their own
 * calls. The
 * name of a sub-queue says whose allowance it has: QUEUE/USER, QUEUE/@GROUP or QUEUE/@GROUP/USER.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/scenario.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"

enum { OBJECTS = 4096 };
static lsched_description *nodes[OBJECTS], *queues[OBJECTS], *jobs[OBJECTS];
static lsched_id ids[OBJECTS];
static int wrong;

static uint32_t describe_all(const lsched_cluster *c, uint32_t kind, lsched_description **to) {
    uint64_t cursor = 0;
    uint32_t n = 0;
    for (lsched_id id; (id = lsched_next(c, kind, &cursor)) != 0;) {
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t rc = lsched_describe(c, id, &to[n], &err);
        if (rc == LSCHED_E_STATE) continue; /* the sub-queue of a user */
        if (rc < 0) fail_msg("%s", err.message);
        assert_true(++n < OBJECTS);
    }
    return n;
}

static void remove_all(lsched_cluster *c, uint32_t kind) {
    uint64_t cursor = 0;
    uint32_t n = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    for (lsched_id id; (id = lsched_next(c, kind, &cursor)) != 0;) ids[n++] = id;
    int32_t rc = kind == LSCHED_KIND_JOB    ? lsched_jobs_remove(c, ids, n, NULL, NULL, &err)
                 : kind == LSCHED_KIND_NODE ? lsched_nodes_remove(c, ids, n, NULL, NULL, &err)
                                            : lsched_queues_remove(c, ids, n, NULL, NULL, &err);
    if (rc < 0) fail_msg("%s", err.message);
}

/* Queues are in any order: those whose parent is missing are tried again. */
static void add_queues(lsched_cluster *c, uint32_t n) {
    uint32_t left = n;
    uint8_t done[OBJECTS] = {0};
    for (uint32_t round = 0; left && round <= LSCHED_QUEUE_DEPTH_MAX; round++)
        for (uint32_t i = 0; i < n; i++) {
            const lsched_queue_desc *d = lsched_description_queue(queues[i]);
            if (done[i] || lsched_queues_add(c, d, 1, sizeof *d, NULL, NULL, NULL, NULL) < 0)
                continue;
            done[i] = 1;
            left--;
        }
    assert_int_equal(left, 0);
}

/* The allowance of a queue, as it can be set again. */
struct kept_allowance {
    lsched_allowance_desc desc;
    lsched_amount price[LSCHED_RESOURCE_KINDS_MAX];
    char queue[256];
};

/* Names the queue, the user and the group instead of the sub-queue, which does not exist again. */
static void name_user(const lsched_cluster *c, lsched_id queue, struct kept_allowance *a) {
    lsched_description *own = NULL;
    if (lsched_describe(c, queue, &own, NULL) != LSCHED_E_STATE) {
        lsched_description_destroy(own);
        return;
    }
    char *user = strrchr(a->queue, '/'), *group;
    *user++ = 0;
    if (*user == '@') {
        a->desc.user_group = (lsched_text){user + 1, strlen(user + 1)};
    } else {
        a->desc.user = (lsched_text){user, strlen(user)};
        if ((group = strrchr(a->queue, '/')) && group[1] == '@') {
            *group = 0;
            a->desc.user_group = (lsched_text){group + 2, strlen(group + 2)};
        }
    }
    a->desc.queue_name = (lsched_text){a->queue, strlen(a->queue)};
}

static uint32_t read_allowances(const lsched_cluster *c, struct kept_allowance *to, uint32_t room) {
    lsched_allowance_info info = LSCHED_ALLOWANCE_INFO_INIT;
    uint64_t cursor = 0;
    uint32_t n = 0;
    for (; lsched_allowances_next(c, &cursor, &info, NULL) == 1; n++) {
        struct kept_allowance *a = &to[n];
        size_t len = 0;
        assert_true(n < room);
        const char *name = lsched_name(c, info.queue, &len);
        assert_true(len < sizeof a->queue);
        memcpy(a->queue, name, len);
        a->desc = (lsched_allowance_desc)LSCHED_ALLOWANCE_DESC_INIT;
        a->queue[len] = 0;
        a->desc.queue_name = (lsched_text){a->queue, len};
        name_user(c, info.queue, a);
        a->desc.amount_micro = info.amount_micro;
        a->desc.carry_micro = info.carry_micro;
        a->desc.period_us = info.period_us;
        a->desc.start_us = info.period_us ? info.period_start_us : 0;
        a->desc.unknown_us = info.unknown_us;
        a->desc.spent = info.spent;
        a->desc.grace_us = info.grace_us;
        a->desc.price = a->price;
        for (uint32_t kind = LSCHED_CPU; lsched_resource_name(c, kind); kind++) {
            int64_t price = 0;
            assert_int_equal(lsched_allowance_price(c, info.queue, kind, &price, NULL), LSCHED_OK);
            if (price) a->price[a->desc.n_price++] = (lsched_amount){.kind = kind, .amount = price};
        }
    }
    return n;
}

/* A reservation, as it can be set again. */
struct kept_reservation {
    lsched_reservation_desc desc;
    lsched_text node[16];
    char name[64], queue[64], nodes[16][64];
};

static lsched_text keep_text(char to[64], lsched_text t) {
    assert_true(t.len < 64);
    memcpy(to, t.ptr, t.len);
    return (lsched_text){to, t.len};
}

/* Reads all reservations, and ends them. The holder QUEUE/USER is named by its queue and user. */
static uint32_t take_reservations(lsched_cluster *c, struct kept_reservation *to, uint32_t room) {
    lsched_reservation_info info = LSCHED_RESERVATION_INFO_INIT;
    uint64_t cursor = 0;
    uint32_t n = 0;
    for (; lsched_reservations_next(c, &cursor, &info, NULL) == 1; n++) {
        struct kept_reservation *r = &to[n];
        lsched_text queue = {NULL, 0}, node = {NULL, 0};
        uint64_t at = 0;
        lsched_id id;
        assert_true(n < room);
        r->desc = (lsched_reservation_desc)LSCHED_RESERVATION_DESC_INIT;
        r->desc.name = keep_text(r->name, info.name);
        queue.ptr = lsched_name(c, info.queue, &queue.len);
        r->desc.queue_name = keep_text(r->queue, queue);
        char *user = memchr(r->queue, '/', queue.len);
        if (user) {
            r->desc.user = (lsched_text){user + 1, queue.len - (size_t)(user + 1 - r->queue)};
            r->desc.queue_name.len = (size_t)(user - r->queue);
        }
        r->desc.tag = info.tag;
        r->desc.start_us = info.start_us;
        r->desc.end_us = info.end_us;
        r->desc.every_us = info.every_us;
        r->desc.node_names = r->node;
        while (lsched_reservation_nodes_next(c, r->desc.name, &at, &id, NULL) == 1) {
            uint32_t i = r->desc.n_node_names++;
            node.ptr = lsched_name(c, id, &node.len);
            r->node[i] = keep_text(r->nodes[i], node);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(lsched_reservations_remove(c, &to[i].desc.name, 1, NULL, NULL, NULL), 1);
    return n;
}

static void add_again(lsched_cluster *c, const char *name) {
    static struct kept_allowance allowances[16];
    static struct kept_reservation reservations[8];
    uint64_t before = api_meaning(c);
    uint32_t n_reservations = take_reservations(c, reservations, 8);
    uint32_t n_allowances = read_allowances(c, allowances, 16);
    uint32_t n_nodes = describe_all(c, LSCHED_KIND_NODE, nodes),
             n_queues = describe_all(c, LSCHED_KIND_QUEUE, queues),
             n_jobs = describe_all(c, LSCHED_KIND_JOB, jobs);
    lsched_error err = LSCHED_ERROR_INIT;
    remove_all(c, LSCHED_KIND_JOB);
    remove_all(c, LSCHED_KIND_QUEUE);
    remove_all(c, LSCHED_KIND_NODE);
    for (uint32_t i = 0; i < n_nodes; i++) {
        const lsched_node_desc *d = lsched_description_node(nodes[i]);
        if (lsched_nodes_add(c, d, 1, sizeof *d, NULL, NULL, NULL, &err) < 0)
            fail_msg("%s: %s", name, err.message);
    }
    add_queues(c, n_queues);
    for (uint32_t i = 0; i < n_allowances; i++) {
        const lsched_allowance_desc *d = &allowances[i].desc;
        if (lsched_allowances_set(c, d, 1, sizeof *d, NULL, NULL, &err) < 0)
            fail_msg("%s: %s", name, err.message);
    }
    for (uint32_t i = 0; i < n_reservations; i++) {
        const lsched_reservation_desc *d = &reservations[i].desc;
        if (lsched_reservations_set(c, d, 1, sizeof *d, NULL, NULL, &err) < 0)
            fail_msg("%s: %s", name, err.message);
    }
    for (uint32_t i = 0; i < n_jobs; i++) {
        const lsched_job_desc *d = lsched_description_job(jobs[i]);
        if (lsched_jobs_submit(c, d, 1, sizeof *d, NULL, NULL, NULL, &err) < 0)
            fail_msg("%s: %s", name, err.message);
    }
    if (api_meaning(c) != before) {
        print_error("%s: another meaning\n", name);
        wrong++;
    }
    for (uint32_t i = 0; i < n_nodes; i++) lsched_description_destroy(nodes[i]);
    for (uint32_t i = 0; i < n_queues; i++) lsched_description_destroy(queues[i]);
    for (uint32_t i = 0; i < n_jobs; i++) lsched_description_destroy(jobs[i]);
}

static char *read_file(const char *path, size_t *n) {
    static char text[1 << 20];
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    *n = fread(text, 1, sizeof text, f);
    fclose(f);
    return text;
}

/* Tasks, also those that are to stop, are not described. */
static int has_tasks(const lsched_cluster *c) {
    uint64_t jobs_at = 0;
    for (lsched_id id; (id = lsched_next(c, LSCHED_KIND_JOB, &jobs_at)) != 0;) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        if (lsched_tasks_next(c, id, 0, &cursor, &t, NULL) == 1) return 1;
    }
    return 0;
}

static int play(const char *path) {
    size_t n = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *c = NULL;
    char *text = read_file(path, &n);
    int used = 0;
    assert_non_null(text);
    if (lsched_scenario_parse(NULL, (lsched_text){text, n}, lsched_cstr(path), &scenario, &err) < 0)
        return 0;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    if (lsched_scenario_apply(scenario, c, NULL, &err) >= 0) {
        used = !has_tasks(c);
        if (used) add_again(c, path);
    }
    lsched_scenario_destroy(scenario);
    lsched_cluster_destroy(c);
    return used;
}

static void scenarios_mean_the_same_again(void **state) {
    (void)state;
    DIR *d = opendir("tests/scenarios");
    int used = 0;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[1024];
        if (strlen(e->d_name) < 5 || strcmp(e->d_name + strlen(e->d_name) - 5, ".yaml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", "tests/scenarios", e->d_name);
        used += play(path);
    }
    closedir(d);
    print_message("%d scenarios\n", used);
    assert_true(used > 150);
    assert_int_equal(wrong, 0);
}

static void wrong_arguments_and_no_memory(void **state) {
    (void)state;
    struct fault_alloc faults = {0};
    lsched_allocator hooks = fault_hooks(&faults);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    struct api_world w;
    lsched_description *d = NULL;
    opts.allocator = &hooks;
    assert_int_equal(api_world_make(&w, &opts), LSCHED_OK);
    assert_int_equal(lsched_describe(NULL, w.busy, &d, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_describe(w.cluster, w.proposed, &d, &err), LSCHED_E_KIND);
    assert_int_equal(lsched_describe(w.cluster, w.gone_job, &d, &err), LSCHED_E_STALE);
    int64_t live = faults.live_blocks;
    lsched_id all[] = {w.nodes[0], w.product, w.later};
    for (int i = 0; i < 3; i++) {
        int32_t rc = LSCHED_E_NOMEM;
        for (uint64_t at = 1; rc == LSCHED_E_NOMEM; at++) {
            faults.calls = 0;
            faults.fail_at = at;
            rc = lsched_describe(w.cluster, all[i], &d, &err);
            if (rc == LSCHED_OK) lsched_description_destroy(d);
            assert_true(faults.live_blocks == live && faults.wrong_sizes == 0);
        }
        assert_int_equal(rc, LSCHED_OK);
    }
    faults.fail_at = 0;
    api_world_drop(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenarios_mean_the_same_again),
                                       cmocka_unit_test(wrong_arguments_and_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
