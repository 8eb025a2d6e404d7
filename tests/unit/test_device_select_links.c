/* What a task gets inside a node: links, NUMA nodes and network cards together, against going
 * through all that it could get, on random machines under random work; the verifier counts after
 * every step. Then known cases, one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/jobs/task_row.h"
#include "model/image/image.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_links.h"
#include "property/chance.h"
#include "support/inside_world.h"
#include "support/link_matrices.h"

static struct model_world world;

static int open_world(void **unused) {
    (void)unused;
    uint32_t row;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_queue(&world, "q", NO_ROW, &row);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_sound(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (verify_state(&world.k, &err) != LSCHED_OK) fail_msg("%s", err.message);
}

static uint32_t add_job(const char *name, struct group_form g) {
    struct job_form f = {.name = name, .queue = world_queue_named(&world, "q"), .n_groups = 1};
    uint32_t job = NO_ROW;
    f.groups[0] = g;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static uint32_t shape_of(uint32_t job) {
    return group_shape(&world.k, world.k.c[C_JOB_SHAPE].u32[job], 0);
}

/* ---- by the definition ----------------------------------------------------------------------- */

/* What is free, seen from the tasks of the node: everything whole, no claims, nobody leaves. */
struct left {
    uint32_t devices, nics;
    int64_t cpu[MACHINE_NUMA], memory[MACHINE_NUMA], node_cpu;
};

static struct left left_of(const struct machine_shape *m, uint32_t node) {
    const struct columns *k = &world.k;
    struct left l = {.devices = (1u << m->links.n) - 1, .nics = (1u << m->n_nics) - 1};
    memcpy(l.cpu, m->cpu_milli, sizeof l.cpu);
    memcpy(l.memory, m->memory_bytes, sizeof l.memory);
    l.node_cpu = k->c[C_NODE_FREE + LSCHED_CPU].i64[node];
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t s = task_shape(k, t);
        l.devices &= ~(uint32_t)k->c[C_TASK_MASK].u64[t];
        l.nics &= ~(uint32_t)k->c[C_TASK_NICS].u16[t];
        for (uint32_t a = 0; a < m->n_numa; a++)
            if (k->c[C_TASK_NUMA].u8[t] == 1u << a) {
                l.cpu[a] -= k->c[C_SHAPE_REQ + LSCHED_CPU].i64[s];
                l.memory[a] -= k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[s];
            }
    }
    return l;
}

struct wish {
    uint32_t devices, nics, numa, link;
    int64_t cpu, memory;
};

static int on_numa(const uint8_t *numa, uint32_t mask, uint32_t a) {
    for (uint32_t i = 0; i < 16; i++)
        if ((mask >> i & 1) && numa[i] != a) return 0;
    return 1;
}

/* Can the devices be had by a task that is pinned to `a`, or to none. */
static int can_have(const struct machine_shape *m, const struct left *l, const struct wish *w,
                    uint32_t devices, uint32_t a) {
    uint32_t cards = 0;
    for (uint32_t c = 0; c < m->n_nics; c++)
        cards += (l->nics >> c & 1) && (a == NO_ROW || m->nic_numa[c] == a);
    if ((devices & ~l->devices) || (uint32_t)__builtin_popcount(devices) != w->devices ||
        cards < w->nics || w->cpu > l->node_cpu)
        return 0;
    for (uint32_t i = 0; i < m->links.n; i++)
        for (uint32_t j = 0; j < i; j++)
            if ((devices >> i & 1) && (devices >> j & 1) && m->links.kind[i][j] < w->link) return 0;
    return a == NO_ROW || (on_numa(m->device_numa, devices, a) && w->cpu <= l->cpu[a] &&
                           w->memory <= l->memory[a]);
}

/* The fastest set that it can have: pinned if it must be, or if it may be and can. 0: nothing
 * fits. */
static int best_of_all(const struct machine_shape *m, const struct left *l, const struct wish *w,
                       struct link_worth *best, int *pinned) {
    int found = 0;
    for (int free = 0; free < 2 && !found; free++) {
        if (free ? w->numa == LSCHED_NUMA_REQUIRED : w->numa == LSCHED_NUMA_ANY) continue;
        for (uint32_t a = free ? NO_ROW : 0; a == NO_ROW || a < m->n_numa; a++) {
            for (uint32_t s = 0; s < 1u << m->links.n; s++) {
                if (!can_have(m, l, w, s, a)) continue;
                struct link_worth v = link_worth_of(&m->links, s);
                if (!found || link_worth_order(v, *best) > 0) *best = v;
                found = 1;
            }
            if (a == NO_ROW) break;
        }
        *pinned = found && !free;
    }
    return found;
}

static void random_machine(struct chance *c, struct machine_shape *m) {
    static const char *const names[] = {"a", "b", "c", "d"};
    memset(m, 0, sizeof *m);
    m->links = matrix_random((uint32_t)chance_below(c, 8) + 1, &c->state);
    memset(m->links.near, 0, sizeof m->links.near);
    m->n_numa = (uint32_t)chance_below(c, 4);
    m->n_nics = (uint32_t)chance_below(c, 5);
    for (uint32_t i = 0; i < 16; i++) {
        int known = m->n_numa && chance_below(c, 6);
        m->device_numa[i] = known ? (uint8_t)chance_below(c, m->n_numa) : LSCHED_NO_NUMA;
        m->nic_numa[i] = known ? (uint8_t)chance_below(c, m->n_numa) : LSCHED_NO_NUMA;
    }
    for (uint32_t a = 0; a < m->n_numa; a++) {
        m->cpu_milli[a] = 1000 * (int64_t)chance_below(c, 13);
        m->memory_bytes[a] = 1000 * (int64_t)chance_below(c, 13);
    }
    for (uint32_t n = 0; n < m->n_nics; n++) {
        m->nic_name[n] = (lsched_text){names[n], 1};
        for (uint32_t i = 0; i < m->links.n; i++) {
            m->nic_kind[n][i] = (uint8_t)chance_below(c, 7);
            m->nic_mbps[n][i] = machine_default_mbps(m->nic_kind[n][i], 1);
        }
    }
    machine_set_near(m);
}

static void random_round(uint64_t seed) {
    struct chance c = {seed};
    struct machine_shape m;
    uint32_t node, jobs[24], n = 0;
    random_machine(&c, &m);
    assert_int_equal(inside_node(&world, "n", &m, &node), LSCHED_OK);
    for (uint32_t step = 0; step < 24; step++) {
        char name[16];
        struct wish w = {.devices = (uint32_t)chance_below(&c, 4),
                         .nics = chance_below(&c, 3) == 0 ? 1 + (uint32_t)chance_below(&c, 2) : 0,
                         .numa = (uint32_t)chance_below(&c, 3),
                         .link = chance_below(&c, 3) == 0 ? (uint32_t)chance_below(&c, 7) : 0,
                         .cpu = 1000 * (int64_t)(1 + chance_below(&c, 5)),
                         .memory = 1000 * (int64_t)chance_below(&c, 5)};
        if (w.devices < 2) w.link = 0;
        snprintf(name, sizeof name, "j%u", step);
        uint32_t job = add_job(name, (struct group_form){.max = 1,
                                                         .cpu = w.cpu,
                                                         .memory = w.memory,
                                                         .devices = w.devices,
                                                         .milli = 1000,
                                                         .numa = w.numa,
                                                         .nics = w.nics,
                                                         .link = w.link});
        struct left l = left_of(&m, node);
        struct link_worth best = {0, 0};
        int pinned = 0, want = best_of_all(&m, &l, &w, &best, &pinned);
        int have = world_propose(&world, job, 0, node, 1) == LSCHED_OK;
        if (want != have)
            fail_msg("seed %u, step %u: %s, should %s", (unsigned)seed, step,
                     have ? "fits" : "does not fit", want ? "fit" : "not");
        expect_sound();
        if (!have) continue;
        uint32_t t = task_find(&world.k, job, 0);
        struct hold h = task_hold(&world.k, t);
        struct link_worth got = link_worth_of(&m.links, (uint32_t)h.mask);
        if (link_worth_order(got, best) != 0 || (h.numa != 0) != pinned)
            fail_msg("seed %u, step %u: devices %#x on NUMA nodes %#x, not the best",
                     (unsigned)seed, step, (unsigned)h.mask, h.numa);
        jobs[n++] = job;
        if (chance_below(&c, 3)) continue;
        uint32_t at = (uint32_t)chance_below(&c, n);
        assert_int_equal(world_remove_job(&world, jobs[at]), LSCHED_OK);
        jobs[at] = jobs[--n];
        expect_sound();
    }
}

static void random_work_gets_the_best_there_is(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1), rounds = chance_rounds(150);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < rounds; i++) {
        close_world(NULL);
        assert_int_equal(open_world(NULL), 0);
        random_round(seed + i);
    }
}

/* ---- known cases ----------------------------------------------------------------------------- */

static const struct group_form one_card = {
    .max = 3, .cpu = 1000, .devices = 1, .milli = 1000, .nics = 1, .numa = LSCHED_NUMA_REQUIRED};

static struct hold pick_of(uint32_t node, uint32_t job, enum device_when when) {
    struct hold h;
    if (!device_select(&world.k, node, shape_of(job), when, NULL, &h)) memset(&h, 0, sizeof h);
    return h;
}

static uint32_t add_node(const char *name) {
    struct machine_shape m;
    uint32_t node = NO_ROW;
    inside_machine(&m);
    assert_int_equal(inside_node(&world, name, &m, &node), LSCHED_OK);
    return node;
}

static void a_card_comes_back_with_its_task(void **unused) {
    (void)unused;
    uint32_t node = add_node("n"), a = add_job("a", one_card), b = add_job("b", one_card);
    assert_int_equal(world_propose(&world, a, 0, node, 3), LSCHED_OK); /* there are three cards */
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_start(&world, a, i), LSCHED_OK);
    assert_int_equal(pick_of(node, b, DEVICE_NOW).mask, 0);
    uint16_t card = world.k.c[C_TASK_NICS].u16[task_find(&world.k, a, 1)];
    assert_int_equal(world_evict(&world, a, 1, 50, LSCHED_FOR_PREEMPT, b), LSCHED_OK);
    expect_sound();
    assert_int_equal(pick_of(node, b, DEVICE_NOW).mask, 0);
    assert_int_equal(pick_of(node, b, DEVICE_LATER).nics, card);
    assert_int_equal(world_nominate(&world, b, 0, node, NO_ROW, 50), LSCHED_OK);
    expect_sound();
    assert_int_equal(pick_of(node, b, DEVICE_LATER).mask, 0); /* it is claimed */
    assert_int_equal(world_left(&world, a, 1), LSCHED_OK);
    assert_int_equal(pick_of(node, a, DEVICE_NOW).mask, 0); /* not for others */
    assert_int_equal(world_seat(&world, b, 0), LSCHED_OK);
    expect_sound();
    assert_int_equal(world.k.c[C_TASK_NICS].u16[task_find(&world.k, b, 0)], card);
}

static void an_overdue_task_keeps_its_card(void **unused) {
    (void)unused;
    uint32_t node = add_node("n"), a = add_job("a", one_card), b = add_job("b", one_card);
    assert_int_equal(world_propose(&world, a, 0, node, 3), LSCHED_OK);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_start(&world, a, i), LSCHED_OK);
    assert_int_equal(world_evict(&world, a, 0, 50, LSCHED_FOR_PREEMPT, b), LSCHED_OK);
    assert_int_equal(world_stuck(&world, a, 0), LSCHED_OK);
    expect_sound();
    assert_int_equal(pick_of(node, b, DEVICE_LATER).mask, 0);
}

/* Counts of tasks take without making tasks, and take back. */
static void what_is_taken_is_seen_without_a_task(void **unused) {
    (void)unused;
    uint32_t node = add_node("n"), a = add_job("a", one_card), taken = 0;
    struct columns *k = &world.k;
    uint64_t before = image_hash(k);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    for (uint32_t i = 0; i < 3; i++) {
        struct hold h = pick_of(node, a, DEVICE_NOW);
        assert_int_equal(__builtin_popcount(h.nics), 1);
        assert_int_equal(h.nics & taken, 0);
        taken |= h.nics;
        node_take(k, node, shape_of(a), &h);
    }
    assert_int_equal(pick_of(node, a, DEVICE_NOW).mask, 0);
    undo_rollback(k, 0);
    undo_end(k);
    assert_true(image_hash(k) == before);
}

static void a_machine_may_be_forgotten(void **unused) {
    (void)unused;
    uint32_t node = add_node("n"), a = add_job("a", one_card);
    struct hold h = pick_of(node, a, DEVICE_NOW), again;
    assert_true(h.mask != 0);
    machine_cache_clear(&world.k);
    again = pick_of(node, a, DEVICE_NOW);
    assert_true(hold_equals(&h, &again));
    machine_cache_clear(&world.k);
    world.alloc.limit_bytes = world.alloc.bytes; /* no room for it any more */
    again = pick_of(node, a, DEVICE_NOW);
    world.alloc.limit_bytes = UINT64_MAX;
    assert_true(hold_equals(&h, &again));
}

static void another_machine_in_its_row_is_another(void **unused) {
    (void)unused;
    struct machine_shape m;
    uint32_t node = add_node("n"), a = add_job("a", one_card);
    assert_int_equal(pick_of(node, a, DEVICE_NOW).numa, 1);
    assert_int_equal(world_remove_node(&world, node), LSCHED_OK);
    inside_machine(&m);
    m.nic_numa[0] = 1; /* none on the first any more */
    assert_int_equal(inside_node(&world, "n", &m, &node), LSCHED_OK);
    assert_int_equal(pick_of(node, a, DEVICE_NOW).numa, 2);
    expect_sound();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(random_work_gets_the_best_there_is), TEST(a_card_comes_back_with_its_task),
        TEST(an_overdue_task_keeps_its_card),     TEST(what_is_taken_is_seen_without_a_task),
        TEST(a_machine_may_be_forgotten),         TEST(another_machine_in_its_row_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
