/* A log that was settled between transactions is shorter, and still undoes the whole scope: a
 * rollback to the beginning restores every word, and a rollback of one transaction what it
 * changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/image/image.h"
#include "model/image/state.h"
#include "model/store/intern.h"
#include "property/chance.h"

enum { QUEUES = 20, JOBS = 300, TRANSACTIONS = 4000, EACH = 120 };

struct scope {
    struct alloc alloc;
    struct columns k;
    uint64_t records; /* how many records were written */
    uint32_t names;
};

static void open_scope(struct scope *s) {
    memset(s, 0, sizeof *s);
    alloc_init(&s->alloc, NULL, 0);
    assert_int_equal(state_open(&s->k, &s->alloc), LSCHED_OK);
    for (uint32_t i = 0; i < QUEUES; i++) assert_int_equal(row_new(&s->k, T_QUEUE), i);
    for (uint32_t i = 0; i < JOBS; i++) assert_int_equal(row_new(&s->k, T_JOB), i);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(row_new(&s->k, T_TASK), i);
}

/* One write: a counter, a queue, a job, a new or an older row of tasks, or a new string, for which
 * the buckets of an index can be exchanged. */
static void change_one(struct scope *s, struct chance *c) {
    struct columns *k = &s->k;
    char name[16];
    uint32_t row;
    assert_int_equal(undo_room(k), LSCHED_OK);
    switch (chance_below(c, 8)) {
    case 0:
    case 1: set_meta(k, M_SERIAL, meta(k, M_SERIAL) + 1); break;
    case 2:
    case 3: add_i64(k, C_QUEUE_CREATED, chance_below(c, QUEUES), 1); break;
    case 4:
        row = chance_below(c, JOBS);
        if (chance_one_in(c, 3)) set_u64(k, C_JOB_TAG, row, chance_below(c, 9));
        set_u8(k, C_JOB_PHASE, row, (uint8_t)chance_below(c, 4));
        set_u32(k, C_JOB_BUNDLE + chance_below(c, 4), row, chance_below(c, 9));
        set_u8(k, C_JOB_HEAP_D, row, (uint8_t)chance_below(c, 4));
        set_u32(k, C_JOB_LEAVES, row, chance_below(c, 9));
        break;
    case 5:
        row = row_new(k, chance_one_in(c, 2) ? T_TASK : T_LEAF);
        assert_int_not_equal(row, NO_ROW);
        break;
    case 6:
        row = chance_below(c, table_rows(k, T_TASK));
        set_u32(k, C_TASK_INDEX, row, chance_below(c, 1000));
        break;
    default:
        if (!chance_one_in(c, 20)) break;
        snprintf(name, sizeof name, "name%u", s->names++);
        assert_int_not_equal(string_get(k, name, strlen(name)), NO_ROW);
    }
}

static void run_transactions(struct scope *s, struct chance *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        int undone = chance_one_in(c, 6), looked = undone && chance_one_in(c, 100);
        size_t mark = undo_mark(&s->k);
        uint64_t before = looked ? image_hash(&s->k) : 0;
        for (int j = 0; j < EACH; j++) change_one(s, c);
        s->records += s->k.undo_n - mark;
        if (undone) undo_rollback(&s->k, mark);
        if (looked) assert_true(image_hash(&s->k) == before);
        if (!undone) undo_settle(&s->k);
    }
}

static void a_settled_log_undoes_the_whole_scope(void **unused) {
    (void)unused;
    struct scope s;
    uint64_t seed = chance_seed(20261123);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    open_scope(&s);
    for (int round = 0; round < 3; round++) {
        uint64_t before = image_hash(&s.k);
        s.records = 0;
        assert_int_equal(undo_begin(&s.k), LSCHED_OK);
        run_transactions(&s, &c, TRANSACTIONS);
        assert_true(s.k.undo_n < s.records / 2);
        undo_rollback(&s.k, 0);
        assert_true(image_hash(&s.k) == before);
        /* as after a hook that failed: the scope goes on from its beginning */
        run_transactions(&s, &c, TRANSACTIONS);
        if (round == 1) undo_rollback(&s.k, 0);
        if (round == 1) assert_true(image_hash(&s.k) == before);
        undo_end(&s.k);
    }
    state_close(&s.k);
    assert_int_equal(s.alloc.bytes, 0);
}

static void a_short_or_inner_log_is_not_settled(void **unused) {
    (void)unused;
    struct scope s;
    struct chance c = {7};
    open_scope(&s);
    assert_int_equal(undo_begin(&s.k), LSCHED_OK);
    change_one(&s, &c);
    assert_false(undo_settle(&s.k));
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < EACH; j++) change_one(&s, &c);
    assert_int_equal(undo_begin(&s.k), LSCHED_OK);
    for (int i = 0; i < 3000; i++)
        for (int j = 0; j < EACH; j++) change_one(&s, &c);
    assert_false(undo_settle(&s.k));
    undo_end(&s.k);
    assert_true(undo_settle(&s.k));
    undo_end(&s.k);
    state_close(&s.k);
    assert_int_equal(s.alloc.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_log_undoes_the_whole_scope),
        cmocka_unit_test(a_short_or_inner_log_is_not_settled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
