/* The meaning hash: equal for what was built in another order, in other slots, with kinds
 * numbered otherwise; another for each value that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/image/image.h"
#include "model/shapes/resource_kind.h"
#include "model/image/meaning.h"
#include "model/nodes/node.h"
#include "support/model_world.h"

static void the_order_of_arrival_does_not_count(void **unused) {
    (void)unused;
    struct model_world a, b;
    assert_int_equal(world_open(&a, NULL), LSCHED_OK);
    assert_int_equal(world_open(&b, NULL), LSCHED_OK);
    assert_int_equal(meaning_hash(&a.k), meaning_hash(&b.k));
    assert_int_equal(world_fill(&a, 0), LSCHED_OK);
    assert_int_equal(world_fill(&b, 1), LSCHED_OK);
    assert_int_equal(meaning_hash(&a.k), meaning_hash(&b.k));
    assert_int_not_equal(image_hash(&a.k), image_hash(&b.k));
    world_close(&a);
    world_close(&b);
}

static void add_with_kinds(struct model_world *w, const char *first, const char *second) {
    static struct node_spec spec;
    memset(&spec, 0, sizeof spec);
    assert_int_equal(world_open(w, NULL), LSCHED_OK);
    assert_int_equal(kind_add(&w->k, first, strlen(first)), 4);
    assert_int_equal(kind_add(&w->k, second, strlen(second)), 5);
    uint32_t row, licence = name_find(&w->k, T_IX_KIND, "licence", 7),
                  nic = name_find(&w->k, T_IX_KIND, "nic", 3);
    spec.name = (lsched_text){"n", 1};
    spec.capacity[LSCHED_CPU] = 1000;
    spec.capacity[licence] = 7;
    spec.capacity[nic] = 2;
    assert_int_equal(node_add(&w->k, &spec, &row), LSCHED_OK);
}

static void the_numbers_of_kinds_do_not_count(void **unused) {
    (void)unused;
    struct model_world a, b;
    add_with_kinds(&a, "licence", "nic");
    add_with_kinds(&b, "nic", "licence");
    assert_int_equal(meaning_hash(&a.k), meaning_hash(&b.k));
    uint64_t before = meaning_hash(&a.k);
    assert_int_equal(node_set_capacity(&a.k, 0, 4, 8), LSCHED_OK);
    assert_int_not_equal(meaning_hash(&a.k), before);
    assert_int_equal(node_set_capacity(&a.k, 0, 4, 2),
                     LSCHED_OK); /* the amounts of the two, exchanged */
    assert_int_equal(node_set_capacity(&a.k, 0, 5, 7), LSCHED_OK);
    assert_int_not_equal(meaning_hash(&a.k), before);
    world_close(&a);
    world_close(&b);
}

/* What came and went leaves no trace: slots, free rows, serials, indexes of tasks that wait
 * again, marks of excess. */
static void what_is_over_does_not_count(void **unused) {
    (void)unused;
    struct model_world w;
    uint32_t row;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&w, 0), LSCHED_OK);
    uint64_t before = meaning_hash(&w.k);
    struct job_form f = {.name = "guest",
                         .queue = world_queue_named(&w, "alone"),
                         .n_groups = 1,
                         .groups = {{.max = 3, .min = 2, .cpu = 20, .memory = 1 << 20}}};
    assert_int_equal(world_job(&w, &f, &row), LSCHED_OK);
    assert_int_equal(world_node(&w, "guest", 500, 2, 0, "r7", &row), LSCHED_OK);
    assert_int_not_equal(meaning_hash(&w.k), before);
    uint32_t job = world_job_named(&w, "guest"), n2 = world_node_named(&w, "n2");
    assert_int_equal(world_admit(&w, job), LSCHED_OK);
    /* the first start is an event for other jobs, and is remembered */
    assert_int_equal(world_propose(&w, job, 0, n2, 3), LSCHED_OK);
    assert_int_equal(world_start(&w, job, 0), LSCHED_OK);
    assert_int_equal(world_release(&w, job, 0, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(world_release(&w, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    uint64_t waits = meaning_hash(&w.k);
    assert_int_equal(world_propose(&w, job, 0, n2, 3), LSCHED_OK);
    assert_int_not_equal(meaning_hash(&w.k), waits);
    assert_int_equal(world_start(&w, job, 0), LSCHED_OK);
    assert_int_equal(world_release(&w, job, 0, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(world_release(&w, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(meaning_hash(&w.k), waits);
    assert_int_equal(node_set_capacity(&w.k, world_node_named(&w, "n1"), LSCHED_CPU, 1), LSCHED_OK);
    assert_int_equal(node_set_capacity(&w.k, world_node_named(&w, "n1"), LSCHED_CPU, 64000),
                     LSCHED_OK);
    assert_int_equal(world_remove_job(&w, job), LSCHED_OK);
    assert_int_equal(world_remove_node(&w, world_node_named(&w, "guest")), LSCHED_OK);
    assert_int_equal(meaning_hash(&w.k), before);
    assert_int_equal(verify_state(&w.k, NULL), LSCHED_OK);
    world_close(&w);
}

static int row_exists(const struct columns *k, uint32_t table, uint32_t row) {
    return table_is_raw[table] || row_is_live(k, table, row);
}

/* Devices of a node that is gone stand nowhere; tasks that wait again are not told apart. */
static int row_counts(const struct columns *k, uint32_t table, uint32_t row) {
    if (table == T_DEVICE) return k->c[C_DEVICE_MEM].i64[row] != 0;
    return table != T_TASK || k->c[C_TASK_STATE].u8[row] != LSCHED_TASK_NONE;
}

static void every_value_counts_and_nothing_else_does(void **unused) {
    (void)unused;
    struct model_world w;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(&w, 0), LSCHED_OK);
    struct columns *k = &w.k;
    uint64_t before = meaning_hash(k);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        const struct column_def *d = &column_defs[c];
        const char *name = column_def_name(d);
        /* Words that say where things are would lead the hash astray: a change of them is no
         * value. */
        int leads = d->meaning >= 0 || d->meaning == MEANS_TEXT || c == C_META_WORD ||
                    c == C_TEXT_WORD || strstr(name, ".LINK") || c == C_NODE_DEVICE_FIRST ||
                    c == C_NODE_N_DEVICES || c == C_NODE_SHARED_FIRST || c == C_NODE_NUMA_FIRST ||
                    c == C_CLASS_MACHINE || c == C_MACHINE_N_NUMA || c == C_NODE_CLASS ||
                    (d->meaning == MEANS_NOTHING && strstr(name, ".BLOB"));
        if (leads || !column_present(k, c)) continue;
        for (uint32_t row = 0; row < table_rows(k, d->table); row++) {
            if (!row_exists(k, d->table, row) || !row_counts(k, d->table, row)) continue;
            k->c[c].u8[row * d->stride] ^= 1;
            int same = meaning_hash(k) == before;
            k->c[c].u8[row * d->stride] ^= 1;
            if (same != (d->meaning == MEANS_NOTHING)) print_message("%s of row %u\n", name, row);
            assert_int_equal(same, d->meaning == MEANS_NOTHING);
        }
    }
    assert_int_equal(meaning_hash(k), before);
    world_close(&w);
}

/* Two rows that exchange one value are not the same two rows. */
static void values_belong_to_their_rows(void **unused) {
    (void)unused;
    struct model_world w;
    uint32_t a, b;
    assert_int_equal(world_open(&w, NULL), LSCHED_OK);
    assert_int_equal(world_queue(&w, "a", NO_ROW, &a), LSCHED_OK);
    assert_int_equal(world_queue(&w, "b", NO_ROW, &b), LSCHED_OK);
    set_i32(&w.k, C_QUEUE_PRIORITY, a, 1);
    set_i32(&w.k, C_QUEUE_PRIORITY, b, 2);
    uint64_t before = meaning_hash(&w.k);
    set_i32(&w.k, C_QUEUE_PRIORITY, a, 2);
    set_i32(&w.k, C_QUEUE_PRIORITY, b, 1);
    assert_int_not_equal(meaning_hash(&w.k), before);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_arrival_does_not_count),
        cmocka_unit_test(the_numbers_of_kinds_do_not_count),
        cmocka_unit_test(what_is_over_does_not_count),
        cmocka_unit_test(every_value_counts_and_nothing_else_does),
        cmocka_unit_test(values_belong_to_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
