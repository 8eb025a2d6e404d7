/*
 * verify_daily_demand.c -- see verify_daily_demand.h.
 *
 * The check does not use model/shapes/daily_demand.c. It reads a curve from the steps in the
 * shape's canonical bytes, by the rules of docs/daily.md. At each minute, the step that began last
 * applies. Before the first step of the day, the last step of the day before applies. The value of
 * a quarter-hour is the largest amount that applies within it. For each node, the sum of its tasks'
 * curves must equal the words that the node stores. The free amount of the node must be its
 * capacity less the constant demands of its tasks and less the highest point of that sum.
 */
#include "engine/verify/verify_daily_demand.h"

#include "engine/verify/verify_read.h"

#define QUARTERS   96
#define QUARTER_US ((int64_t)15 * 60 * 1000000)

/* Computes the curve of the shape's demand for the resource kind and writes it to `out`. Returns 1
 * if the shape has such a curve. Returns 0 if the demand for the kind is constant; then `out` has
 * no meaning. */
static int curve(const struct columns *k, uint32_t shape, uint32_t kind, int64_t out[QUARTERS]) {
    /* fresh[q]: 1 if a step begins exactly at the start of quarter-hour q */
    int any = 0, fresh[QUARTERS] = {0}, daily = verify_section(k, shape, SHAPE_PART_DAY).p != NULL;
    struct reader r = verify_steps(k, shape);
    lsched_text want = text_of(k, k->c[C_KIND_NAME].u32[kind]);
    /* Amounts of the steps that begin in quarter-hour q: most[q] is the largest amount and end[q]
     * the last one. Both are -1 if no step begins in q. */
    int64_t most[QUARTERS], end[QUARTERS], now = 0;
    for (int q = 0; q < QUARTERS; q++) most[q] = end[q] = -1;
    for (uint32_t n = daily ? reader_u32(&r) : 0; n > 0; n--) {
        lsched_text name = reader_text(&r);
        int64_t from = reader_i64(&r), amount = reader_i64(&r), q = from / QUARTER_US;
        if (text_order(name, want) != 0) continue;
        if (amount > most[q]) most[q] = amount;
        fresh[q] |= from % QUARTER_US == 0;
        now = end[q] = amount;
        any = 1;
    }
    /* before the loop, `now` is the amount with which the day before ended */
    for (int q = 0; q < QUARTERS; q++) {
        out[q] = fresh[q] || most[q] > now ? most[q] : now;
        if (end[q] >= 0) now = end[q];
    }
    return any;
}

int verify_daily_demand_is(const struct columns *k, uint32_t shape, uint32_t kind) {
    int64_t unused[QUARTERS];
    return kind != LSCHED_ANY_RESOURCE && k->c[C_SHAPE_DAY].u32[shape] &&
           curve(k, shape, kind, unused);
}

struct day_sums {
    wide_i128 now[QUARTERS], later[QUARTERS];
    struct daily_peaks of;
};

static void verify_daily_demand_add_task(const struct columns *k, uint32_t task, uint32_t kind,
                                         struct day_sums *s) {
    int64_t c[QUARTERS];
    uint32_t shape = verify_shape(k, task);
    if (!k->c[C_SHAPE_DAY].u32[shape] || !curve(k, shape, kind, c)) return;
    int nominated = verify_state_of(k, task) == LSCHED_TASK_NOMINATED,
        leaves = verify_leaves(k, task);
    for (int q = 0; q < QUARTERS; q++) {
        if (!nominated) s->now[q] += c[q];
        if (!leaves) s->later[q] += c[q];
        s->of.claimed |= nominated && c[q] > 0;
    }
}

static int carries_any(const struct columns *k, uint32_t node) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW && k->c[C_SHAPE_DAY].u32[verify_shape(k, t)] == 0)
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    return t != NO_ROW;
}

int32_t verify_daily_demand(struct check *c, uint32_t node, uint32_t kind,
                            struct daily_peaks *sums) {
    const struct columns *k = c->k;
    struct day_sums s;
    uint32_t at = k->c[C_NODE_DAY].u32[node];
    memset(sums, 0, sizeof *sums);
    if (!at && !carries_any(k, node)) return LSCHED_OK;
    memset(&s, 0, sizeof s);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        verify_daily_demand_add_task(k, t, kind, &s);
    while (at && k->c[C_DAY_KIND].u8[at - 1] != kind) at = k->c[C_DAY_NEXT].u32[at - 1];
    for (int q = 0; q < QUARTERS; q++) {
        uint32_t cell = at ? k->c[C_DAY_CELLS].u32[at - 1] + (uint32_t)q : 0;
        int64_t now = at ? k->c[C_CELL_NOW].i64[cell] : 0,
                later = at ? k->c[C_CELL_LATER].i64[cell] : 0;
        if (now != s.now[q] || later != s.later[q])
            return check_fail(
                c,
                "%s counts %lld of %s at %02d:%02d and %lld later; its tasks need %lld and "
                "%lld",
                NAME(T_NODE, node), (long long)now, NAME(T_KIND, kind), q / 4, q % 4 * 15,
                (long long)later, verify_shown(s.now[q]), verify_shown(s.later[q]));
        if (now > s.of.peak) s.of.peak = now;
        if (later > s.of.later) s.of.later = later;
    }
    int is_needed = s.of.peak || s.of.later;
    if ((at != 0) != is_needed || (at && (k->c[C_DAY_PEAK].i64[at - 1] != s.of.peak ||
                                          k->c[C_DAY_LATER].i64[at - 1] != s.of.later)))
        return check_fail(c, "%s has wrong daily peaks of %s; expected %lld now and %lld later",
                          NAME(T_NODE, node), NAME(T_KIND, kind), (long long)s.of.peak,
                          (long long)s.of.later);
    *sums = s.of;
    return LSCHED_OK;
}
