/*
 * verify_days.c -- checks the sums that a node keeps of tasks whose demand follows the time of
 * day.
 *
 * The check uses nothing of model/shapes/daily_demand.c. A curve is read from the steps in the
 * shape's canonical bytes, as docs/daily.md says: at each minute the step that began last applies.
 * Before the first step of the day, the last step applies, which began the day before. The value
 * of a quarter-hour is the largest amount that applies within it. The sum of the curves over a
 * node's tasks must equal the words that the node stores. A node's free amount is the capacity
 * less the constant demands and less the highest point of that sum.
 */
#include "engine/verify/verify_parts.h"
#include "model/store/intern.h"

#define QUARTERS   96
#define QUARTER_US ((int64_t)15 * 60 * 1000000)

/* Returns a reader at the number of steps, with the steps after it. Sets *daily to 1 if the shape
 * says that the steps are times of the day. */
static struct reader steps_of(const struct columns *k, uint32_t shape, int *daily) {
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape)), at;
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        reader_text(&r);
        reader_i64(&r);
    }
    reader_u32(&r);
    reader_u32(&r);
    reader_i64(&r);
    for (uint32_t n = reader_u32(&r); n > 0; n--) reader_text(&r);
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        reader_text(&r);
        for (uint32_t v = reader_u32(&r); v > 0; v--) reader_text(&r);
    }
    at = r;
    for (uint32_t n = reader_u32(&r); n > 0; n--) {
        reader_text(&r);
        reader_i64(&r);
        reader_i64(&r);
    }
    *daily = 0;
    while (r.p < r.end && !r.bad) {
        uint32_t tag = reader_u32(&r), n = reader_u32(&r);
        *daily |= tag == SHAPE_PART_DAY;
        r.p += n;
    }
    return at;
}

/* Returns 1 and writes the curve of the resource kind; returns 0 if the demand for the kind is
 * constant. */
static int curve(const struct columns *k, uint32_t shape, uint32_t kind, int64_t out[QUARTERS]) {
    /* fresh: 1 if a step begins at the start of the quarter-hour */
    int daily, any = 0, fresh[QUARTERS] = {0};
    struct reader r = steps_of(k, shape, &daily);
    lsched_text want = text_of(k, k->c[C_KIND_NAME].u32[kind]);
    /* largest and last amount of the steps that begin in a quarter-hour, -1 if none does */
    int64_t most[QUARTERS], end[QUARTERS], now = 0;
    for (int q = 0; q < QUARTERS; q++) most[q] = end[q] = -1;
    for (uint32_t n = daily ? reader_u32(&r) : 0; n > 0; n--) {
        lsched_text name = reader_text(&r);
        int64_t from = reader_i64(&r), amount = reader_i64(&r), q = from / QUARTER_US;
        if (name.len != want.len || memcmp(name.ptr, want.ptr, (size_t)name.len) != 0) continue;
        if (amount > most[q]) most[q] = amount;
        fresh[q] |= from % QUARTER_US == 0;
        now = end[q] = amount;
        any = 1;
    }
    /* `now` is at first the amount with which the day before ended */
    for (int q = 0; q < QUARTERS; q++) {
        out[q] = fresh[q] || most[q] > now ? most[q] : now;
        if (end[q] >= 0) now = end[q];
    }
    return any;
}

int verify_is_daily(const struct columns *k, uint32_t shape, uint32_t kind) {
    int64_t unused[QUARTERS];
    return kind != LSCHED_ANY_RESOURCE && k->c[C_SHAPE_DAY].u32[shape] &&
           curve(k, shape, kind, unused);
}

struct day_sums {
    wide_i128 now[QUARTERS], later[QUARTERS];
    struct verify_day of;
};

static void verify_days_add_task(const struct columns *k, uint32_t task, uint32_t kind,
                                 struct day_sums *s) {
    int64_t c[QUARTERS];
    uint8_t state = verify_state_of(k, task);
    uint32_t shape = verify_shape(k, task);
    if (!k->c[C_SHAPE_DAY].u32[shape] || !curve(k, shape, kind, c)) return;
    int nominated = state == LSCHED_TASK_NOMINATED,
        leaves = state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
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

int32_t verify_day(struct check *c, uint32_t node, uint32_t kind, struct verify_day *sums) {
    const struct columns *k = c->k;
    struct day_sums s;
    uint32_t at = k->c[C_NODE_DAY].u32[node];
    memset(sums, 0, sizeof *sums);
    if (!at && !carries_any(k, node)) return LSCHED_OK;
    memset(&s, 0, sizeof s);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        verify_days_add_task(k, t, kind, &s);
    while (at && k->c[C_DAY_KIND].u8[at - 1] != kind) at = k->c[C_DAY_NEXT].u32[at - 1];
    for (int q = 0; q < QUARTERS; q++) {
        uint32_t cell = at ? k->c[C_DAY_CELLS].u32[at - 1] + (uint32_t)q : 0;
        int64_t now = at ? k->c[C_CELL_NOW].i64[cell] : 0,
                later = at ? k->c[C_CELL_LATER].i64[cell] : 0;
        if (now != s.now[q] || later != s.later[q])
            return check_fail(
                c, "%s counts %lld of %s at %02d:%02d, later %lld; its tasks %lld, %lld",
                NAME(T_NODE, node), (long long)now, NAME(T_KIND, kind), q / 4, q % 4 * 15,
                (long long)later, verify_shown(s.now[q]), verify_shown(s.later[q]));
        if (now > s.of.peak) s.of.peak = now;
        if (later > s.of.later) s.of.later = later;
    }
    int is_needed = s.of.peak || s.of.later;
    if ((at != 0) != is_needed || (at && (k->c[C_DAY_PEAK].i64[at - 1] != s.of.peak ||
                                          k->c[C_DAY_LATER].i64[at - 1] != s.of.later)))
        return check_fail(c, "%s keeps other highest points of %s over the day than %lld, %lld",
                          NAME(T_NODE, node), NAME(T_KIND, kind), (long long)s.of.peak,
                          (long long)s.of.later);
    *sums = s.of;
    return LSCHED_OK;
}
