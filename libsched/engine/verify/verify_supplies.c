/*
 * verify_supplies.c -- see verify_supplies.h. The needs are read from the canonical bytes of
 * shapes, and not from SHAPE.SUPPLIES. columns_check() has proved that the lists of places are
 * sound and that each place is at the domain that its values name.
 *
 * More than a place has can be in use: an amount was set below its use, others use a part of it, or
 * running tasks were imported. So the state alone is never wrong by that; only a plan is, which
 * places a task where less than nothing is left then.
 */
#include "engine/verify/verify_supplies.h"

#include "engine/verify/verify_read.h"

/* The places above the node of a task that are of one of the supplies which the task needs. */
struct supply_walk {
    const struct columns *k;
    struct reader needs;
    uint32_t left, node;
    int64_t amount; /* need of the present supply */
    uint32_t supply, tree, domain, place;
};

static uint32_t supply_called(const struct columns *k, lsched_text name) {
    for (uint32_t s = 0; s < table_rows(k, T_SUPPLY); s++)
        if (text_order(text_of(k, k->c[C_SUPPLY_NAME].u32[s]), name) == 0) return s;
    return NO_ROW;
}

static void supply_walk_begin(struct supply_walk *w, const struct columns *k, uint32_t task) {
    uint32_t shape = verify_shape(k, task);
    *w = (struct supply_walk){.k = k, .node = k->c[C_TASK_NODE].u32[task]};
    w->needs = verify_section(k, shape, SHAPE_PART_SUPPLIES);
    w->left = w->needs.p < w->needs.end ? reader_u32(&w->needs) : 0;
    w->tree = LSCHED_TOPOLOGIES_MAX;
}

/* Goes to the next place; returns 0 at the end. The first place of a supply is that of the whole
 * cluster. */
static int supply_walk_next(struct supply_walk *w) {
    const struct columns *k = w->k;
    while (w->tree < table_rows(k, T_TOPOLOGY)) {
        while (w->domain != NO_ROW) {
            uint32_t at = k->c[C_DOMAIN_SUPPLIES].u32[w->domain];
            w->domain = k->c[C_DOMAIN_PARENT].u32[w->domain];
            for (; at; at = k->c[C_PLACE_NEXT].u32[at - 1])
                if (k->c[C_PLACE_SUPPLY].u32[at - 1] == w->supply) {
                    w->place = at - 1;
                    return 1;
                }
        }
        if (++w->tree < table_rows(k, T_TOPOLOGY))
            w->domain = k->c[C_NODE_DOMAIN0 + w->tree].u32[w->node];
    }
    if (w->left == 0) return 0;
    w->left--;
    lsched_text name = reader_text(&w->needs);
    w->amount = reader_i64(&w->needs);
    w->supply = supply_called(k, name);
    w->place = k->c[C_SUPPLY_ROOT].u32[w->supply];
    w->tree = 0;
    w->domain = table_rows(k, T_TOPOLOGY) ? k->c[C_NODE_DOMAIN0].u32[w->node] : NO_ROW;
    return 1;
}

struct supply_sums {
    wide_i128 used, coming;
};

static int32_t supplies_compare(struct check *c, const struct supply_sums *sums) {
    const struct columns *k = c->k;
    for (uint32_t p = 0; p < table_rows(k, T_PLACE); p++) {
        if (k->c[C_PLACE_FOREIGN].i64[p] > LSCHED_AMOUNT_MAX / 2)
            return check_fail(c, "others use %lld of %s", (long long)k->c[C_PLACE_FOREIGN].i64[p],
                              NAME(T_SUPPLY, k->c[C_PLACE_SUPPLY].u32[p]));
        if ((wide_i128)k->c[C_PLACE_USED].i64[p] == sums[p].used &&
            (wide_i128)k->c[C_PLACE_COMING].i64[p] == sums[p].coming)
            continue;
        return check_fail(
            c,
            "a place of %s records %lld in use and %lld to come, but its tasks give %lld and %lld",
            NAME(T_SUPPLY, k->c[C_PLACE_SUPPLY].u32[p]), (long long)k->c[C_PLACE_USED].i64[p],
            (long long)k->c[C_PLACE_COMING].i64[p], verify_shown(sums[p].used),
            verify_shown(sums[p].coming));
    }
    return LSCHED_OK;
}

int32_t verify_supplies(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = (size_t)table_rows(k, T_PLACE) * sizeof(struct supply_sums);
    if (table_rows(k, T_PLACE) == 0) return LSCHED_OK;
    struct supply_sums *sums = alloc_zero(k->alloc, bytes);
    if (!sums) return check_nomem(c);
    EACH_LIVE(k, T_TASK, t) {
        struct supply_walk w;
        if (!verify_is_on_node(k, t)) continue;
        supply_walk_begin(&w, k, t);
        while (supply_walk_next(&w)) {
            if (verify_holds(k, t)) sums[w.place].used += w.amount;
            if (verify_leaves(k, t)) sums[w.place].coming += w.amount;
            if (!verify_holds(k, t)) sums[w.place].coming -= w.amount;
        }
    }
    int32_t rc = supplies_compare(c, sums);
    alloc_free(k->alloc, sums, bytes);
    return rc;
}

int32_t verify_supplies_placed(struct check *c, uint32_t task, int nominated) {
    const struct columns *k = c->k;
    struct supply_walk w;
    supply_walk_begin(&w, k, task);
    while (supply_walk_next(&w)) {
        int64_t amount = k->c[C_PLACE_AMOUNT].i64[w.place];
        if (amount == LSCHED_UNLIMITED) continue;
        wide_i128 now = (wide_i128)amount - k->c[C_PLACE_FOREIGN].i64[w.place] -
                        k->c[C_PLACE_USED].i64[w.place],
                  later = now + k->c[C_PLACE_COMING].i64[w.place];
        if (later >= 0 && (nominated || now >= 0)) continue;
        return check_fail(c, "%s is placed, but a place of %s then has %lld left, and later %lld",
                          NAME(T_TASK, task), NAME(T_SUPPLY, w.supply), verify_shown(now),
                          verify_shown(later));
    }
    return LSCHED_OK;
}
