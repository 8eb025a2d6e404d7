/* The order of moves of machine reassignment: each step against the check, and the price of all
 * against the cheapest way through all assignments of small problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/reassign/reassign_check.h"
#include "cli/reassign/reassign_moves.h"
#include "cli/reassign/reassign_read.h"
#include "cli/support/cli_errors.h"
#include "tests/cli/reassign_sketch.h"

enum { SEEDS = 400, PROCESSES = 6, MACHINES = 4, STATES = 4096 };

/* ---- random problems ---- */

/* Machines have room for two or three processes. In a third of the problems a move costs the same
 * between all machines. */
static void draw_problem(struct sketch *k, uint64_t seed, uint32_t machines, uint32_t processes) {
    *k = (struct sketch){.prng = {seed}};
    uint32_t services = processes * 2 / 3, links = some(k, 0, 2);
    put(k, 2), put(k, 1), put(k, 1), put(k, 0), put(k, 1);
    put(k, machines);
    for (uint32_t m = 0; m < machines; m++) {
        put(k, some(k, 0, 2)), put(k, some(k, 0, 2));
        put(k, some(k, 20, 40)), put(k, some(k, 15, 30));
        put(k, 5), put(k, 5);
        for (uint32_t to = 0; to < machines; to++)
            put(k, to == m ? 0 : seed % 3 == 0 ? 5 : some(k, 1, 9));
    }
    put(k, services);
    for (uint32_t s = 0; s < services; s++) {
        put(k, some(k, 0, 3) == 0 ? 2 : 0);
        bool needs = s > 0 && links == 0 && some(k, 0, 2) == 0;
        put(k, needs);
        if (needs) put(k, some(k, 0, services - 1));
    }
    put(k, processes);
    for (uint32_t i = 0; i < processes; i++) {
        put(k, i < services ? i : some(k, 0, services - 1));
        put(k, some(k, 1, 12)), put(k, some(k, 4, 12)), put(k, some(k, 1, 9));
    }
    put(k, 0), put(k, some(k, 0, 3)), put(k, 1), put(k, some(k, 0, 3));
}

static bool is_feasible(const struct reassign *p, const uint32_t *at) {
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    return reassign_check(p, at, at, &costs, &err) == 0;
}

static bool draw_assignment(struct sketch *k, const struct reassign *p, uint32_t *at) {
    for (int tries = 0; tries < 3000; tries++) {
        for (uint32_t i = 0; i < p->n_processes; i++) at[i] = some(k, 0, p->n_machines - 1);
        if (is_feasible(p, at)) return true;
    }
    return false;
}

/* ---- the steps ---- */

static int64_t price_of(const struct reassign *p, uint32_t process, uint32_t from, uint32_t to) {
    return p->process_weight * p->move_cost[process] +
           p->machine_weight * reassign_travel(p, from, to);
}

/* Makes the steps, checks the assignment after each, and compares what the result says. */
static void steps_are_feasible(const struct reassign *p, const uint32_t *first,
                               const uint32_t *target, const struct reassign_moves *moves,
                               uint64_t seed) {
    uint32_t *at = must_alloc(p->n_processes * sizeof at[0]), dropped = 0;
    int64_t price = 0;
    memcpy(at, first, p->n_processes * sizeof at[0]);
    for (size_t i = 0; i < moves->n_steps; i++) {
        const struct reassign_step *step = &moves->steps[i];
        price += price_of(p, step->process, step->from, step->to);
        if (at[step->process] != step->from || step->from == step->to)
            fail_msg("seed %llu: step %zu begins elsewhere", (unsigned long long)seed, i);
        at[step->process] = step->to;
        if (!is_feasible(p, at))
            fail_msg("seed %llu: not feasible after step %zu", (unsigned long long)seed, i);
    }
    for (uint32_t i = 0; i < p->n_processes; i++) dropped += at[i] != target[i];
    assert_memory_equal(at, moves->at, p->n_processes * sizeof at[0]);
    assert_int_equal(dropped, moves->dropped);
    assert_true(price == moves->price);
    free(at);
}

/* ---- the cheapest way ---- */

static void decode(uint32_t code, uint32_t *at) {
    for (uint32_t i = 0; i < PROCESSES; i++, code /= MACHINES) at[i] = code % MACHINES;
}

static uint32_t encode(const uint32_t *at) {
    uint32_t code = 0;
    for (uint32_t i = PROCESSES; i-- > 0;) code = code * MACHINES + at[i];
    return code;
}

/* Returns the price of the cheapest steps between two assignments, by relaxing all steps between
 * all feasible assignments until nothing changes; -1 if there are none. */
static int64_t cheapest_way(const struct reassign *p, const uint32_t *first,
                            const uint32_t *target) {
    static int64_t best[STATES];
    static bool feasible[STATES];
    uint32_t at[PROCESSES];
    for (uint32_t code = 0; code < STATES; code++) {
        decode(code, at);
        feasible[code] = is_feasible(p, at);
        best[code] = INT64_MAX;
    }
    best[encode(first)] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t code = 0; code < STATES; code++) {
            if (best[code] == INT64_MAX) continue;
            decode(code, at);
            for (uint32_t i = 0, one = 1; i < PROCESSES; i++, one *= MACHINES)
                for (uint32_t to = 0; to < MACHINES; to++) {
                    uint32_t next = code + to * one - at[i] * one;
                    int64_t price = best[code] + price_of(p, i, at[i], to);
                    if (to == at[i] || !feasible[next] || price >= best[next]) continue;
                    best[next] = price;
                    changed = true;
                }
        }
    }
    int64_t price = best[encode(target)];
    return price == INT64_MAX ? -1 : price;
}

static void steps_are_cheap(void **state) {
    (void)state;
    static struct sketch k;
    uint32_t ways = 0, found = 0, cheapest = 0, detours = 0, none = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct reassign p;
        struct reassign_moves moves;
        uint32_t first[PROCESSES], target[PROCESSES];
        draw_problem(&k, seed, MACHINES, PROCESSES);
        read_text(k.text, &p);
        if (draw_assignment(&k, &p, first) && draw_assignment(&k, &p, target)) {
            int64_t best = cheapest_way(&p, first, target);
            reassign_moves_find(&p, first, target, REASSIGN_MOVES_WORK, &moves);
            steps_are_feasible(&p, first, target, &moves, seed);
            if (moves.dropped == 0 && (best < 0 || moves.price < best))
                fail_msg("seed %llu: price %lld, cheapest %lld", (unsigned long long)seed,
                         (long long)moves.price, (long long)best);
            none += best < 0;
            ways += best >= 0;
            found += moves.dropped == 0;
            cheapest += moves.dropped == 0 && moves.price == best;
            detours += moves.dropped == 0 && moves.price > moves.straight;
            reassign_moves_free(&moves);
        }
        reassign_free(&p);
    }
    print_message("%u ways, %u found (%u with detours), %u cheapest; %u without a way\n", ways,
                  found, detours, cheapest, none);
    assert_true(ways >= SEEDS / 4 && detours >= 10 && none >= 1);
    assert_true(found * 100 >= ways * 90);
    assert_true(cheapest * 100 >= found * 80);
}

static void steps_of_larger_problems(void **state) {
    (void)state;
    static struct sketch k;
    uint32_t problems = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct reassign p;
        struct reassign_moves one, two, less;
        uint32_t first[24], target[24];
        draw_problem(&k, seed, 16, 24);
        read_text(k.text, &p);
        if (draw_assignment(&k, &p, first) && draw_assignment(&k, &p, target)) {
            problems++;
            reassign_moves_find(&p, first, target, REASSIGN_MOVES_WORK, &one);
            reassign_moves_find(&p, first, target, REASSIGN_MOVES_WORK, &two);
            steps_are_feasible(&p, first, target, &one, seed);
            assert_int_equal(one.n_steps, two.n_steps);
            assert_int_equal(one.work, two.work);
            assert_true(one.work < REASSIGN_MOVES_WORK + 1000);
            reassign_moves_find(&p, first, target, seed, &less);
            steps_are_feasible(&p, first, target, &less, seed);
            assert_true(less.work < seed + 1000);
            reassign_moves_free(&one);
            reassign_moves_free(&two);
            reassign_moves_free(&less);
        }
        reassign_free(&p);
    }
    print_message("%u problems\n", problems);
    assert_true(problems >= 10);
}

/* ---- a cycle ---- */

/* Two machines of 10 and one of `third`, two processes of 6 that change places. */
static void change_places(uint32_t third, size_t steps, uint32_t dropped, int64_t price) {
    char text[256];
    struct reassign p;
    struct reassign_moves moves;
    const uint32_t first[2] = {0, 1}, target[2] = {1, 0};
    snprintf(text, sizeof text,
             "1 0 0 3 0 0 10 10 0 1 2 0 0 10 10 1 0 3 0 0 %u 10 2 3 0 2 0 0 0 0 2 0 6 10 1 6 20 "
             "0 1 0 100",
             third);
    read_text(text, &p);
    reassign_moves_find(&p, first, target, REASSIGN_MOVES_WORK, &moves);
    steps_are_feasible(&p, first, target, &moves, 0);
    assert_int_equal(moves.n_steps, steps);
    assert_int_equal(moves.dropped, dropped);
    assert_true(moves.price == price && moves.straight == 230);
    reassign_moves_free(&moves);
    reassign_free(&p);
}

static void a_third_machine_breaks_a_cycle(void **state) {
    (void)state;
    /* process 0 by machine 2 costs 10 + 200 and 10 + 300, and process 1 costs 20 + 100 */
    change_places(6, 3, 0, 640);
    change_places(5, 0, 2, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_third_machine_breaks_a_cycle),
        cmocka_unit_test(steps_are_cheap),
        cmocka_unit_test(steps_of_larger_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
