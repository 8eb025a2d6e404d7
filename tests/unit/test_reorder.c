/* Orders that are changed in bulk: afterwards the heaps hold what they held, in order, and jobs come out as if each had been
 * moved alone. A rollback brings everything back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/jobs/bundle.h"
#include "model/check/check.h"
#include "model/image/image.h"
#include "model/life/reorder.h"
#include "property/chance.h"
#include "support/model_world.h"
#include <cmocka.h>

enum { JOBS = 400, QUEUES = 3 };

static uint32_t jobs[JOBS];

static void fill(struct model_world *w) {
    uint32_t queues[QUEUES];
    assert_int_equal(world_open(w, NULL), LSCHED_OK);
    for (int q = 0; q < QUEUES; q++) {
        char name[8];
        snprintf(name, sizeof name, "q%d", q);
        assert_int_equal(world_queue(w, name, NO_ROW, &queues[q]), LSCHED_OK);
    }
    for (int j = 0; j < JOBS; j++) {
        char name[12];
        struct job_form form = {.n_groups = 1};
        snprintf(name, sizeof name, "j%03d", j * 7 % JOBS);
        form.name = name;
        form.queue = queues[j % QUEUES];
        form.submit = j / 10;
        form.groups[0].cpu = 1000 * (1 + j % 5); /* five shapes, so five bundles in a queue */
        assert_int_equal(world_job(w, &form, &jobs[j]), LSCHED_OK);
        assert_int_equal(world_admit(w, jobs[j]), LSCHED_OK);
    }
}

static int64_t order_of(struct chance *c, int j, int kind) {
    uint32_t any = chance_below(c, 50);
    switch (kind) {
    case 0: return -1000 + j / 10;                       /* as they stand: all aged alike */
    case 1: return (int64_t)any + j % 7;                 /* anything, with ties */
    default: return j % 5 == 2 ? -(int64_t)any : j / 10; /* one shape only */
    }
}

static void set_all(struct model_world *w, uint64_t seed, int kind, int bulk) {
    struct chance c = {seed};
    for (int j = 0; j < JOBS; j++) {
        int64_t order = order_of(&c, j, kind);
        assert_int_equal(undo_room(&w->k), LSCHED_OK);
        if (bulk)
            reorder_set(&w->k, jobs[j], order);
        else
            bundle_reorder(&w->k, jobs[j], order);
    }
    if (bulk) assert_int_equal(reorder_repair(&w->k), LSCHED_OK);
}

/* Jobs of a queue in the order in which they would be tried. */
static uint32_t drain(struct model_world *w, uint32_t queue, uint32_t *out) {
    uint32_t n = 0, b;
    while ((b = w->k.c[C_QUEUE_HEAP].u32[queue]) != NO_ROW) {
        assert_int_equal(undo_room(&w->k), LSCHED_OK);
        out[n++] = bundle_head(&w->k, b);
        bundle_leave(&w->k, out[n - 1]);
    }
    return n;
}

static void bulk_is_one_by_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct model_world w;
        uint32_t order[2][JOBS], n[2] = {0, 0};
        int kind = (int)(seed % 3);
        fill(&w);
        for (int bulk = 0; bulk < 2; bulk++) {
            uint64_t before = image_hash(&w.k);
            assert_int_equal(undo_begin(&w.k), LSCHED_OK);
            set_all(&w, seed, kind, bulk);
            struct check c = {.k = &w.k, .code = LSCHED_E_VERIFY};
            if (columns_check(&c) != LSCHED_OK) fail_msg("seed %u: heaps", (unsigned)seed);
            for (uint32_t q = 0; q < table_rows(&w.k, T_QUEUE); q++)
                if (row_is_live(&w.k, T_QUEUE, q)) n[bulk] += drain(&w, q, order[bulk] + n[bulk]);
            undo_rollback(&w.k, 0);
            undo_end(&w.k);
            assert_true(image_hash(&w.k) == before);
        }
        assert_int_equal(n[0], JOBS);
        assert_int_equal(n[1], JOBS);
        assert_memory_equal(order[0], order[1], sizeof order[0]);
        world_close(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bulk_is_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
