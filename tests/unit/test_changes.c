/*
 * test_changes.c -- the change feed as a ring: several readers, readers that are behind, calls that
 * change more than the ring holds, calls and elements that fail, copies, wrong arguments, and what
 * one loss tells. tests/property/test_changes_random.c compares the feed with the state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "api/door/door.h"
#include "model/told/change_feed.h"
#include "support/fault_alloc.h"
#include "support/settle.h"
#include "support/api_case.h"

static int32_t next(uint64_t *cursor, lsched_change *c) {
    memset(c, 0, sizeof *c);
    c->size = sizeof *c;
    return lsched_changes_next(world.cluster, cursor, c, &err);
}

static int is_text(lsched_text t, const char *text) {
    return t.len == strlen(text) && memcmp(t.ptr, text, strlen(text)) == 0;
}

/* Rejects the placement of "open", which the next cycle proposes again: a refusal is one change. */
static void reject_once(void) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    lsched_outcome no = LSCHED_OUTCOME_REJECTED;
    if (lsched_tasks_next(world.cluster, world.open, 0, &cursor, &t, NULL) != 1 || !t.decision) {
        world.now_us += INT64_C(4000000000);
        assert_true(api_cycle(world.cluster, world.now_us, &t.decision) >= 0);
    }
    assert_true(settle_each(world.cluster, &t.decision, &no, 1, NULL, &err) >= 0);
}

static void a_lost_node_tells_what_it_took_along(void **state) {
    (void)state;
    lsched_change c;
    uint64_t cursor = lsched_changes_end(world.cluster), other = cursor;
    lsched_task_info t = {.size = sizeof t};
    uint64_t tasks = 0;
    assert_int_equal(lsched_tasks_next(world.cluster, world.busy, 0, &tasks, &t, NULL), 1);
    assert_true(lsched_nodes_remove(world.cluster, &t.node, 1, NULL, NULL, &err) >= 0);
    int32_t lost = 0, withdrawn = 0;
    while (next(&cursor, &c) == 1) {
        assert_int_equal(c.call, LSCHED_CALL_NODES_REMOVE);
        assert_true(c.cause == t.node && is_text(c.cause_name, "n1"));
        assert_int_equal(c.element, 0);
        assert_int_equal(c.at_us, world.now_us);
        if (c.kind == LSCHED_CHANGE_LOST && c.job == world.busy) {
            assert_int_equal(c.because, LSCHED_BECAUSE_NODE);
            assert_true(c.node == t.node && is_text(c.node_name, "n1"));
            assert_true(is_text(c.job_name, "busy") && c.task_index == t.task_index);
            lost++;
        }
        withdrawn += c.kind == LSCHED_CHANGE_WITHDRAWN && c.decision == world.proposed;
    }
    assert_int_equal(lost, 1);
    (void)withdrawn;
    assert_int_equal(next(&cursor, &c), 0);
    assert_int_equal(next(&other, &c), 1); /* the other reader has a cursor of its own */
}

static void what_a_call_names_is_not_told(void **state) {
    (void)state;
    lsched_change c;
    uint64_t cursor = lsched_changes_end(world.cluster);
    assert_true(api_report(world.cluster, world.open, LSCHED_EVENT_STARTED) >= 0);
    assert_int_equal(next(&cursor, &c), 0);
    assert_true(lsched_jobs_remove(world.cluster, &world.open, 1, NULL, NULL, &err) >= 0);
    assert_int_equal(next(&cursor, &c), 0);
    assert_true(api_report(world.cluster, world.busy, LSCHED_EVENT_ENDED) >= 0);
    assert_int_equal(next(&cursor, &c), 1); /* the job ended with its last task */
    assert_int_equal(c.kind, LSCHED_CHANGE_ENDED);
    assert_true(c.job == world.busy && is_text(c.job_name, "busy"));
    assert_int_equal(c.task_index, LSCHED_NO_TASK);
    assert_int_equal(lsched_job_get(world.cluster, c.job, &(lsched_job_info){.size = 8}, NULL),
                     LSCHED_E_STALE);
}

static void an_older_struct_gets_its_own_part(void **state) {
    (void)state;
    struct {
        lsched_change c;
        uint64_t after;
    } x;
    memset(&x, 0x5a, sizeof x);
    uint64_t cursor = lsched_changes_end(world.cluster);
    assert_true(api_report(world.cluster, world.busy, LSCHED_EVENT_ENDED) >= 0);
    x.c.size = (uint32_t)offsetof(lsched_change, element);
    assert_int_equal(lsched_changes_next(world.cluster, &cursor, &x.c, &err), 1);
    assert_int_equal(x.c.kind, LSCHED_CHANGE_ENDED);
    assert_true(x.c.element == UINT64_C(0x5a5a5a5a5a5a5a5a));
}

static void wrong_arguments(void **state) {
    (void)state;
    lsched_change c = {.size = sizeof c};
    uint64_t cursor = 0;
    assert_int_equal(lsched_changes_next(NULL, &cursor, &c, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_changes_next(world.cluster, NULL, &c, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_changes_next(world.cluster, &cursor, NULL, &err), LSCHED_E_NULL);
    c.size = 0;
    assert_int_equal(lsched_changes_next(world.cluster, &cursor, &c, &err), LSCHED_E_SIZE);
    assert_int_equal(lsched_changes_end(NULL), 0);
    assert_string_equal(lsched_change_name(LSCHED_CHANGE_LOST), "lost");
    assert_string_equal(lsched_because_name(LSCHED_BECAUSE_GANG), "gang");
    assert_string_equal(lsched_call_name(LSCHED_CALL_SETTLE), "settle");
    assert_string_equal(lsched_change_name(0), "unknown");
    assert_string_equal(lsched_call_name(UINT32_MAX), "unknown");
    lsched_cluster *cluster = NULL;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    static const uint32_t bad[] = {1, LSCHED_CHANGES_BYTES_MIN - 1, LSCHED_CHANGES_BYTES_MAX + 1,
                                   UINT32_MAX};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opts.changes_bytes = bad[i];
        assert_int_equal(lsched_cluster_create(&opts, &cluster, &err), LSCHED_E_RANGE);
        assert_non_null(strstr(err.message, "changes_bytes"));
    }
}

/* A cursor without a mark counts units of this many bytes. */
enum { UNIT = 16 };

/* Any cursor is answered: by a change, the end, or E_GONE that leaves the cursor at the end. */
static void any_cursor_is_answered(void **state) {
    (void)state;
    lsched_change c;
    for (int i = 0; i < 20; i++) reject_once();
    uint64_t end = lsched_changes_end(world.cluster), found = 0;
    assert_true(end > 2000 / UNIT);
    for (uint64_t at = 0; at < end + 64; at++) {
        uint64_t cursor = at;
        int32_t rc = next(&cursor, &c);
        assert_true(rc == 1 ? cursor > at && cursor <= end
                            : cursor == end && (rc == 0) == (at == end));
        assert_true(rc >= 0 || rc == LSCHED_E_GONE);
        found += rc == 1;
    }
    uint64_t cursor = 0, told = 0;
    while (next(&cursor, &c) == 1) told++;
    assert_true(told == found); /* only the beginning of a change is one */
    cursor = UINT64_MAX;
    assert_int_equal(next(&cursor, &c), LSCHED_E_GONE);
    assert_true(cursor == end);
}

static void make_small(void) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.changes_bytes = LSCHED_CHANGES_BYTES_MIN;
    api_world_drop(&world);
    assert_int_equal(api_world_make(&world, &opts), LSCHED_OK);
}

static void a_reader_that_is_behind_is_told_so(void **state) {
    (void)state;
    lsched_change c;
    make_small();
    uint64_t behind = 0, keeps_up = lsched_changes_end(world.cluster), all = 0;
    for (int i = 0; i < 200; i++) {
        reject_once();
        int32_t rc;
        while ((rc = next(&keeps_up, &c)) == 1) {
            assert_true(c.kind == LSCHED_CHANGE_AVOIDED || c.kind == LSCHED_CHANGE_WITHDRAWN);
            all++;
        }
        assert_int_equal(rc, 0);
        uint64_t end = lsched_changes_end(world.cluster),
                 kept = LSCHED_CHANGES_BYTES_MIN / 2 / UNIT;
        uint64_t half = end > kept ? end - kept : 0;
        if (behind >= half || i < 199) continue;
        assert_int_equal(next(&behind, &c), LSCHED_E_GONE);
        assert_non_null(strstr(err.message, "changes_bytes"));
        assert_true(behind == lsched_changes_end(world.cluster));
        assert_int_equal(next(&behind, &c), 0);
    }
    assert_true(all >= 100);
    assert_true(keeps_up > 3u * LSCHED_CHANGES_BYTES_MIN / UNIT);
}

/* One call that changes more than the ring holds: every reader has to list, also one that kept up;
 * what fails at the end leaves the ring as it was. */
static void a_call_beyond_the_ring_is_gone_for_all(void **state) {
    (void)state;
    lsched_change c;
    lsched_id queue = world.product, node = 0, gone[2] = {0};
    lsched_group_desc group = api_group(1);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000000}, one = {LSCHED_CPU, 0, 1000};
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    make_small();
    n.name = (lsched_text){"big", 3};
    n.capacity = &cpu;
    n.n_capacity = 1;
    assert_true(lsched_nodes_add(world.cluster, &n, 1, sizeof n, NULL, &node, NULL, &err) >= 0);
    group.request = &one;
    group.n_request = 1;
    group.gpu_devices = 0;
    (void)queue;
    for (int i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "many%d", i);
        lsched_job_desc d = api_job(name, &group, 1);
        lsched_id job;
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        assert_true(lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, &job, NULL, &err) >=
                    0);
        m.job = job;
        m.node = node;
        m.start_us = world.now_us;
        assert_true(lsched_tasks_import(world.cluster, &m, 1, sizeof m, NULL, NULL, &err) >= 0);
    }
    uint64_t before = lsched_changes_end(world.cluster), cursor = before, image;
    reject_once();
    uint64_t end = lsched_changes_end(world.cluster);
    assert_true(end > before);
    image = api_image(world.cluster);
    gone[0] = node;
    gone[1] = world.gone_node;
    assert_int_equal(lsched_nodes_remove(world.cluster, gone, 2, NULL, NULL, &err), LSCHED_E_STALE);
    assert_true(api_image(world.cluster) == image && lsched_changes_end(world.cluster) == end);
    assert_int_equal(next(&cursor, &c), 1); /* what was there is there */
    cursor = end;
    assert_true(lsched_nodes_remove(world.cluster, &node, 1, NULL, NULL, &err) >= 0);
    assert_int_equal(next(&cursor, &c), LSCHED_E_GONE);
    assert_int_equal(next(&cursor, &c), 0);
    reject_once();
    assert_int_equal(next(&cursor, &c), 1);
}

static void a_copy_begins_with_nothing(void **state) {
    (void)state;
    lsched_cluster *copy = NULL;
    lsched_change c = {.size = sizeof c};
    uint64_t cursor = 0;
    reject_once();
    uint64_t end = lsched_changes_end(world.cluster);
    assert_true(end > 0);
    assert_true(lsched_cluster_clone(world.cluster, &copy, &err) >= 0);
    assert_int_equal(lsched_changes_next(copy, &cursor, &c, &err), 0);
    assert_true(api_image(copy) == api_image(world.cluster));
    /* the old cluster is used again as a clone: its readers have to list */
    assert_true(lsched_cluster_clone(copy, &world.cluster, &err) >= 0);
    cursor = end;
    assert_int_equal(next(&cursor, &c), LSCHED_E_GONE);
    assert_int_equal(next(&cursor, &c), 0);
    lsched_cluster_destroy(copy);
}

struct saved {
    uint8_t bytes[1 << 20];
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    if (n > sizeof s->bytes - s->n) return -1;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return 0;
}

/* The cursor of one handle is refused by the other, also if the other has a change there, and the
 * reader that lists and reads on misses nothing that follows. */
static void is_foreign(uint64_t cursor, lsched_cluster *of) {
    lsched_change c = {.size = sizeof c};
    assert_int_equal(lsched_changes_next(of, &cursor, &c, &err), LSCHED_E_GONE);
    assert_non_null(strstr(err.message, "another handle"));
    assert_non_null(strstr(err.message, "list all objects"));
    assert_true(cursor == lsched_changes_end(of));
    assert_int_equal(lsched_changes_next(of, &cursor, &c, &err), 0);
}

/* Makes the same changes on both handles; the places in both rings are then equal. */
static void a_cursor_of_another_handle_is_refused(void **state) {
    (void)state;
    static struct saved saved;
    lsched_cluster *clone = NULL, *second = NULL, *loaded = NULL, *of_clone = NULL;
    saved.n = 0;
    assert_true(lsched_cluster_clone(world.cluster, &clone, &err) >= 0);
    assert_true(lsched_cluster_clone(world.cluster, &second, &err) >= 0);
    assert_true(lsched_cluster_clone(clone, &of_clone, &err) >= 0);
    assert_true(lsched_cluster_save(world.cluster, append, &saved, &err) >= 0);
    assert_true(lsched_cluster_load(NULL, saved.bytes, saved.n, &loaded, &err) >= 0);
    lsched_cluster *all[] = {world.cluster, clone, second, loaded, of_clone};
    uint64_t begin[5], end[5];
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    assert_int_equal(lsched_tasks_next(world.cluster, world.busy, 0, &cursor, &t, NULL), 1);
    for (int i = 0; i < 5; i++) {
        begin[i] = i == 0 ? 0 : lsched_changes_end(all[i]);
        if (i) assert_true(lsched_nodes_remove(all[i], &t.node, 1, NULL, NULL, &err) >= 0);
    }
    assert_true(lsched_nodes_remove(world.cluster, &t.node, 1, NULL, NULL, &err) >= 0);
    for (int i = 0; i < 5; i++) end[i] = lsched_changes_end(all[i]);
    for (int i = 0; i < 5; i++) {
        lsched_change c = {.size = sizeof c};
        for (int j = 0; j < 5; j++) {
            if (i != j) is_foreign(end[j], all[i]);
            if (i != j && begin[j]) is_foreign(begin[j], all[i]);
        }
        cursor = begin[i];
        assert_int_equal(lsched_changes_next(all[i], &cursor, &c, &err), 1);
        cursor = 0; /* 0 is the begin of every feed */
        assert_int_equal(lsched_changes_next(all[i], &cursor, &c, &err), 1);
    }
    for (int i = 1; i < 5; i++) lsched_cluster_destroy(all[i]);
}

/* With a salt, also the cursor of a cluster that is no relative is refused. */
static void a_cursor_of_another_salt_is_refused(void **state) {
    (void)state;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    reject_once();
    uint64_t plain = lsched_changes_end(world.cluster);
    for (opts.id_salt = 1; opts.id_salt < 50; opts.id_salt++) {
        lsched_cluster *other = NULL;
        assert_true(lsched_cluster_create(&opts, &other, &err) >= 0);
        is_foreign(plain, other);
        is_foreign(lsched_changes_end(other), world.cluster);
        lsched_cluster_destroy(other);
    }
}

/* Every allocation that creation makes fails once: nothing is left behind. */
static void creation_without_memory(void **state) {
    (void)state;
    struct fault_alloc faults = {0};
    lsched_allocator hooks = fault_hooks(&faults);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    int32_t rc = LSCHED_E_NOMEM;
    opts.allocator = &hooks;
    for (uint64_t at = 1; rc == LSCHED_E_NOMEM; at++) {
        lsched_cluster *cluster = NULL;
        faults.calls = 0;
        faults.fail_at = at;
        rc = lsched_cluster_create(&opts, &cluster, &err);
        if (rc >= 0) lsched_cluster_destroy(cluster);
        assert_true(faults.live_blocks == 0 && faults.wrong_sizes == 0);
    }
    assert_int_equal(rc, LSCHED_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(a_lost_node_tells_what_it_took_along),
                                       TEST(what_a_call_names_is_not_told),
                                       TEST(an_older_struct_gets_its_own_part),
                                       TEST(wrong_arguments),
                                       TEST(any_cursor_is_answered),
                                       TEST(a_reader_that_is_behind_is_told_so),
                                       TEST(a_call_beyond_the_ring_is_gone_for_all),
                                       TEST(a_cursor_of_another_handle_is_refused),
                                       TEST(a_cursor_of_another_salt_is_refused),
                                       TEST(a_copy_begins_with_nothing),
                                       TEST(creation_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
