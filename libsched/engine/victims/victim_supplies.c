/* victim_supplies.c -- see victim_supplies.h. */
#include "engine/victims/victim_supplies.h"

#include "base/hash.h"
#include "engine/rights/victim_unit.h"
#include "model/jobs/task_row.h"
#include "model/store/steps.h"
#include "model/supplies/supply.h"

static int64_t needed_below(const struct columns *k, uint32_t shape, uint32_t place) {
    uint32_t n = shape_n_supplies(k, shape);
    const struct supply_need *needs = n ? shape_supplies(k, shape) : NULL;
    for (uint32_t i = 0; i < n; i++)
        if (needs[i].supply == k->c[C_PLACE_SUPPLY].u32[place]) return needs[i].amount;
    return 0;
}

/* Returns how much the place lacks for one task of the shape, at most 0 if it has enough. */
static int64_t lack_at(const struct columns *k, uint32_t shape, uint32_t place) {
    int64_t need = row_is_live(k, T_PLACE, place) ? needed_below(k, shape, place) : 0;
    return need ? need - supply_left(k, place, SUPPLY_LATER) : 0;
}

uint64_t victim_supplies_short(const struct columns *k, uint32_t shape) {
    uint64_t hash = 0;
    if (!shape_n_supplies(k, shape)) return 0;
    steps_add(k, table_rows(k, T_PLACE));
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++) {
        int64_t lack = lack_at(k, shape, p);
        if (lack > 0) hash = hash_mix(hash_mix(hash, p), (uint64_t)lack);
    }
    return hash;
}

int64_t victim_supplies_given(const struct columns *k, const struct victim_unit *u,
                              uint32_t place) {
    int64_t sum = 0;
    if (u->group == NO_ROW)
        return supply_place_is_above(k, place, k->c[C_TASK_NODE].u32[u->task])
                   ? needed_below(k, task_shape(k, u->task), place)
                   : 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[u->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        if (!victim_unit_has_leaf(k, u->group, l)) continue;
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            steps_add(k, 1);
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING &&
                supply_place_is_above(k, place, k->c[C_TASK_NODE].u32[t]))
                sum += needed_below(k, task_shape(k, t), place);
        }
    }
    return sum;
}

int victim_supplies_hold(const struct columns *k, uint32_t node, uint32_t shape,
                         const struct victim_set *set) {
    steps_add(k, table_rows(k, T_PLACE));
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++) {
        int64_t lack = lack_at(k, shape, p);
        if (lack <= 0 || !supply_place_is_above(k, p, node)) continue;
        for (uint32_t i = 0; i < set->n && lack > 0; i++)
            if (set->unit[i].chosen) lack -= victim_supplies_given(k, &set->unit[i], p);
        if (lack > 0) return 0;
    }
    return 1;
}

/* As supply_place_is_above(); above no node (NO_ROW) is the whole cluster alone. */
static int stands_above(const struct columns *k, uint32_t place, uint32_t node) {
    return node == NO_ROW ? k->c[C_PLACE_LEVELS].u32[place] == 0
                          : supply_place_is_above(k, place, node);
}

uint32_t victim_supplies_lowest(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t lowest = NO_ROW;
    steps_add(k, table_rows(k, T_PLACE));
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++)
        if (lack_at(k, shape, p) > 0 && stands_above(k, p, node) &&
            (lowest == NO_ROW || k->c[C_PLACE_LEVELS].u32[p] > k->c[C_PLACE_LEVELS].u32[lowest]))
            lowest = p;
    return lowest;
}
