/* supply_claims.c -- see supply_claims.h. */
#include "engine/waits/supply_claims.h"

#include "base/sort.h"
#include "engine/state/withdraw_decision.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"
#include "model/supplies/supply.h"

/* ---- to withdraw ---- */

static int claims_over(const struct columns *k, uint32_t task) {
    uint32_t shape = task_shape(k, task);
    return k->c[C_TASK_STATE].u8[task] == LSCHED_TASK_NOMINATED && shape_n_supplies(k, shape) &&
           supply_is_over(k, k->c[C_TASK_NODE].u32[task], shape);
}

static int claim_is_later(const struct columns *k, uint32_t a, uint32_t b) {
    uint64_t of_a = k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[a]],
             of_b = k->c[C_DECISION_GROUP].u64[k->c[C_TASK_DECISION].u32[b]];
    return of_a != of_b ? of_a > of_b : a > b;
}

SORT_IN_PLACE(sort_claims, uint32_t, const struct columns *, claim_is_later)

/* Writes the nominated tasks whose supply will not come to tasks[], and returns their number. */
static uint32_t find_claims(const struct columns *k, uint32_t *tasks, uint32_t cap) {
    uint32_t n = 0;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node) || k->c[C_NODE_FUTURE].u32[node] == 0) continue;
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && n < cap;
             t = k->c[C_TASK_NODE_NEXT].u32[t]) {
            steps_add(k, 1);
            if (claims_over(k, t)) tasks[n++] = t;
        }
    }
    return n;
}

int32_t supply_claims_trim(struct lsched_cycle *cy, uint32_t *n) {
    struct columns *k = cy->k;
    uint32_t cap = (uint32_t)meta(k, M_NOMINATED);
    *n = 0;
    if (cap == 0 || !supply_any_is_over(k)) return LSCHED_OK;
    uint32_t *tasks = alloc_new(k->alloc, cap * sizeof *tasks);
    if (!tasks) return LSCHED_E_NOMEM;
    uint32_t found = find_claims(k, tasks, cap);
    sort_claims(k, tasks, found);
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < found && rc == LSCHED_OK; i++) {
        /* a withdrawal before can have ended this nomination, or made it possible again */
        if (!row_is_live(k, T_TASK, tasks[i]) || !claims_over(k, tasks[i])) continue;
        rc = withdraw_decision(cy, tasks[i], LSCHED_BECAUSE_ROOM);
        ++*n;
    }
    alloc_free(k->alloc, tasks, cap * sizeof *tasks);
    return rc;
}

int supply_claims_lack(const struct columns *k, uint32_t job) {
    if (!supply_any_is_over(k)) return 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (claims_over(k, t)) return 1;
        }
    return 0;
}

/* ---- when a claim is free ---- */

static int64_t claims_need(const struct columns *k, uint32_t shape, uint32_t supply) {
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < shape_n_supplies(k, shape); i++)
        if (needs[i].supply == supply) return needs[i].amount;
    return 0;
}

/* Returns the time at which the last releasing task below the place that holds its supply should
 * be gone. */
static int64_t given_back_at(const struct columns *k, uint32_t place) {
    uint32_t supply = k->c[C_PLACE_SUPPLY].u32[place];
    int64_t at = 0;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node) || k->c[C_NODE_FUTURE].u32[node] == 0 ||
            !supply_place_is_above(k, place, node))
            continue;
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
             t = k->c[C_TASK_NODE_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t] &&
                k->c[C_TASK_RELEASE_AT].i64[t] > at && claims_need(k, task_shape(k, t), supply))
                at = k->c[C_TASK_RELEASE_AT].i64[t];
        }
    }
    return at;
}

int64_t supply_claims_at(const struct columns *k, uint32_t node, uint32_t shape) {
    int64_t last = 0;
    if (shape_n_supplies(k, shape) == 0) return 0;
    steps_add(k, table_rows(k, T_PLACE));
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++) {
        int64_t need = claims_need(k, shape, k->c[C_PLACE_SUPPLY].u32[p]);
        if (need == 0 || supply_left(k, p, SUPPLY_NOW) >= need ||
            !supply_place_is_above(k, p, node))
            continue;
        int64_t at = given_back_at(k, p);
        if (at > last) last = at;
    }
    return last;
}
