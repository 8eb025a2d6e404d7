/* test_absence_line.c -- the line of nodes that are to leave says what a look at each node says,
 * while absences come, go and end: a warm line, a cold one and one whose clock went back; and
 * different sets of nodes have different hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/absence_line.h"
#include "engine/state/cluster.h"
#include "model/nodes/absence.h"
#include "property/chance.h"

enum { NODES = 24, LENGTHS = 12, STEPS = 60, WORLDS = 60 };

static const int64_t lengths[LENGTHS] = {1, 2, 3, 5, 7, 9, 12, 15, 18, 22, 30, LSCHED_NEVER_US};

static void add_nodes(lsched_cluster *c) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 1000};
    for (uint32_t n = 0; n < NODES; n++) {
        char name[8];
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", n);
        d.name = lsched_cstr(name);
        d.capacity = &cores;
        d.n_capacity = 1;
        assert_int_equal(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
    }
}

/* Gives a node another absence, or none. */
static void change_absence(struct columns *k, struct chance *at, int64_t now) {
    uint32_t node = chance_below(at, NODES);
    int64_t leaves = now + chance_between(at, -5, 20), back = 0, every = 0;
    if (leaves < 1) leaves = 1;
    if (!chance_one_in(at, 4)) back = leaves + chance_between(at, 1, 10);
    if (back && chance_one_in(at, 2)) every = back - leaves + chance_between(at, 1, 20);
    if (chance_one_in(at, 3)) leaves = back = every = 0;
    assert_int_equal(undo_room(k), LSCHED_OK);
    absence_set(k, node, leaves, back, every);
}

/* Compares the line with each node, for each length. Returns how many of the sets are not empty. */
static uint32_t compare(struct absence_line *l, struct columns *k, int64_t now) {
    uint64_t set[LENGTHS];
    uint32_t some = 0;
    assert_int_equal(absence_line_sync(l, k, now), LSCHED_OK);
    assert_true(absence_line_is_sound(l, k));
    for (uint32_t i = 0; i < LENGTHS; i++) {
        set[i] = absence_line_nodes(l, k, now, lengths[i]);
        uint32_t barred = 0;
        for (uint32_t n = 0; n < NODES; n++)
            barred += (uint32_t)absence_bars(k, n, now, lengths[i]);
        assert_int_equal(set[i] != 0, barred != 0);
        some += set[i] != 0;
        for (uint32_t j = 0; j < i; j++) {
            int same = 1;
            for (uint32_t n = 0; n < NODES; n++)
                same &= absence_bars(k, n, now, lengths[i]) == absence_bars(k, n, now, lengths[j]);
            assert_int_equal(set[i] == set[j], same);
        }
    }
    return some;
}

static void the_line_says_what_each_node_says(void **state) {
    uint32_t some = 0;
    (void)state;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        struct chance at = {.state = seed ^ 0x11ae};
        struct absence_line cold = {0};
        lsched_cluster *c;
        int64_t now = 10;
        assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
        add_nodes(c);
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t i = chance_below(&at, 4); i > 0; i--) change_absence(&c->k, &at, now);
            if (chance_one_in(&at, 9)) now -= chance_between(&at, 1, 9);
            now += chance_between(&at, 0, 6);
            some += compare(&c->absences, &c->k, now);
            assert_int_equal(absence_line_sync(&cold, &c->k, now), LSCHED_OK);
            for (uint32_t i = 0; i < LENGTHS; i++)
                assert_int_equal(absence_line_nodes(&cold, &c->k, now, lengths[i]),
                                 absence_line_nodes(&c->absences, &c->k, now, lengths[i]));
            absence_line_drop(&cold, &c->k);
        }
        lsched_cluster_destroy(c);
    }
    assert_true(some > WORLDS);
}

/* True if the log of changed nodes tells caches of the node. */
static int is_told(const struct columns *k, uint64_t seen, uint32_t node) {
    int told = !touch_log_reaches(&k->touch, seen);
    for (uint64_t i = seen; !told && i < k->touch.next; i++)
        told = k->touch.rows[i & (k->touch.cap - 1)] == node;
    return told;
}

/* The nodes that are back are those of which an absence ended since the first end was looked for. */
static void the_line_ends_absences(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        struct chance at = {.state = seed ^ 0xe4d5};
        lsched_cluster *c;
        int64_t now = 10;
        assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
        struct columns *k = &c->k;
        add_nodes(c);
        for (uint32_t step = 0; step < STEPS; step++) {
            uint8_t over[NODES];
            for (uint32_t i = chance_below(&at, 3); i > 0; i--) change_absence(k, &at, now);
            now += chance_between(&at, 0, 6);
            int64_t was = absences_next(k) - 1;
            for (uint32_t n = 0; n < NODES; n++) {
                struct absence next;
                over[n] = absence_next(k, n, was, &next) && next.back <= now;
                k->c[C_NODE_GREW].u8[n] = 0; /* as after a cycle */
            }
            k->c[C_META_WORD].u64[M_GREW_HEAD] = NO_ROW;
            uint64_t seen = touch_log_seen(&k->touch);
            assert_int_equal(absence_line_end(&c->absences, k, now), LSCHED_OK);
            for (uint32_t n = 0; n < NODES; n++) {
                struct absence next;
                assert_int_equal(k->c[C_NODE_GREW].u8[n], over[n]);
                assert_true(!over[n] || is_told(k, seen, n));
                if (absence_is_set(k, n)) assert_true(absence_next(k, n, now, &next));
                if (absence_is_set(k, n)) assert_true(next.back >= absences_next(k));
            }
            (void)compare(&c->absences, k, now);
        }
        lsched_cluster_destroy(c);
    }
}

/* Sets an absence of node 0 that began days ago and repeats each day. Returns the steps of the line
 * in the next cycle. */
static uint64_t steps_of_change(lsched_cluster *c, int64_t now, int64_t days) {
    const int64_t day = INT64_C(86400000000);
    struct columns *k = &c->k;
    int64_t leaves = now + day / 2 - days * day;
    assert_int_equal(undo_room(k), LSCHED_OK);
    absence_set(k, 0, leaves, leaves + day / 4, day);
    for (uint32_t n = 0; n < NODES; n++) k->c[C_NODE_GREW].u8[n] = 0;
    k->c[C_META_WORD].u64[M_GREW_HEAD] = NO_ROW;
    uint64_t steps = *k->steps;
    assert_int_equal(absence_line_end(&c->absences, k, now + 1), LSCHED_OK);
    assert_int_equal(absence_line_sync(&c->absences, k, now + 1), LSCHED_OK);
    steps = *k->steps - steps;
    for (uint32_t n = 0; n < NODES; n++) assert_int_equal(k->c[C_NODE_GREW].u8[n], 0);
    assert_true(absences_next(k) > now && absences_next(k) <= absence_line_back(&c->absences));
    assert_true(absence_line_is_sound(&c->absences, k));
    return steps;
}

/* A repeated absence that began long ago costs what one that begins now costs, and ends no other. */
static void the_past_costs_nothing(void **state) {
    const int64_t day = INT64_C(86400000000);
    lsched_cluster *c;
    (void)state;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    struct columns *k = &c->k;
    add_nodes(c);
    int64_t now = 1000 * day;
    for (uint32_t n = 0; n < NODES; n++) {
        int64_t leaves = day + n * day / NODES;
        assert_int_equal(undo_room(k), LSCHED_OK);
        absence_set(k, n, leaves, leaves + day / NODES / 2, day);
    }
    /* as a cycle does */
    k->c[C_META_WORD].u64[M_NOW] = (uint64_t)now;
    assert_int_equal(absence_line_end(&c->absences, k, now), LSCHED_OK);
    assert_int_equal(absence_line_sync(&c->absences, k, now), LSCHED_OK);
    uint64_t soon = steps_of_change(c, now, 0);
    for (int64_t days = 1; days < 900; days = 3 * days + 1)
        assert_true(steps_of_change(c, now, days) <= soon + 8);
    lsched_cluster_destroy(c);
}

/* Runs a cycle with so many work units; returns 1 if it was cut. */
static int is_cut(lsched_cluster *c, int64_t now, uint64_t units) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan;
    opts.now_us = now;
    opts.work_budget = units;
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), LSCHED_OK);
    lsched_plan_get(plan, &info, NULL);
    lsched_plan_destroy(plan);
    return (info.flags & LSCHED_PLAN_PARTIAL) != 0;
}

static void add_waiting(lsched_cluster *c) {
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
    for (uint32_t j = 0; j < 60; j++) {
        lsched_amount cores = {.kind = LSCHED_CPU, .amount = 100 + j};
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc d = LSCHED_JOB_DESC_INIT;
        char name[8];
        snprintf(name, sizeof name, "j%u", j);
        g.request = &cores;
        g.n_request = 1;
        d.name = lsched_cstr(name);
        d.queue_name = q.name;
        d.groups = &g;
        d.n_groups = 1;
        d.group_elem_size = sizeof g;
        d.duration_us = 1000;
        assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
    }
}

/* A pass that goes on over several cycles tells each end of an absence in the cycle in which it is
 * over, and does not make the line again: the line does not go back in time. */
static void a_long_pass_ends_absences(void **state) {
    const int64_t day = 100000;
    uint32_t cut = 0;
    lsched_cluster *c;
    (void)state;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    struct columns *k = &c->k;
    add_nodes(c);
    add_waiting(c);
    for (uint32_t n = 0; n < NODES; n++) {
        assert_int_equal(undo_room(k), LSCHED_OK);
        absence_set(k, n, 100 + n * 10, 105 + n * 10, n % 2 ? day : 0);
    }
    for (int64_t now = 50; now < 100 + NODES * 10; now += 3) {
        int was_cut = is_cut(c, now, 40);
        cut += (uint32_t)was_cut;
        assert_true(absences_next(k) > now);
        assert_true(c->absences.known && c->absences.at == now);
        assert_true(absence_line_is_sound(&c->absences, k));
        assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
    }
    assert_true(cut > 10);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_pass_ends_absences),
        cmocka_unit_test(the_line_says_what_each_node_says),
        cmocka_unit_test(the_line_ends_absences),
        cmocka_unit_test(the_past_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
