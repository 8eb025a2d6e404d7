/*
 * check_days.c -- checks the curves of daily demand (daily_demand.h): each DAY row must be in the
 * list of one shape or one node, ordered by kind, and the curves of a shape must be equal to its
 * canonical bytes.
 *
 * One byte for each row of DAY records that the walk of a list has reached the row. This also
 * ends a walk over a list with a cycle. check_blocks.c has shown before that the blocks of cells
 * do not overlap. engine/verify/verify_daily_demand.c checks that a node's curves are the sums
 * over its tasks.
 */
#include "model/check/check_days.h"

#include "model/shapes/daily_demand.h"

struct days {
    struct check *c;
    uint8_t *passed;
    uint32_t n;
};

static int32_t walk(struct days *d, uint32_t table, uint32_t head, uint32_t of) {
    const struct columns *k = d->c->k;
    struct check *c = d->c;
    uint32_t last = 0;
    for (uint32_t at = k->c[head].u32[of]; at; at = k->c[C_DAY_NEXT].u32[at - 1]) {
        if (!row_is_live(k, T_DAY, at - 1) || d->passed[at - 1])
            return check_fail(
                c,
                "%s: its list of daily demand curves has a row that is not live, or a row "
                "twice",
                NAME(table, of));
        d->passed[at - 1] = 1;
        d->n++;
        uint32_t kind = k->c[C_DAY_KIND].u8[at - 1];
        if (kind <= last || kind == LSCHED_GPU || kind >= meta(k, M_N_KINDS))
            return check_fail(
                c,
                "%s: its daily demand curve of resource kind %u follows that of kind %u; "
                "expected rising kinds without gpu",
                NAME(table, of), kind, last);
        last = kind;
    }
    return LSCHED_OK;
}

static int32_t walk_all(struct days *d, uint32_t table, uint32_t head) {
    EACH_LIVE(d->c->k, table, row) {
        int32_t rc = walk(d, table, head, row);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* Returns a reader that stands before the demand steps of a shape. check_shapes() has checked the
 * bytes before. */
static struct reader check_days_steps_of(const struct columns *k, uint32_t shape) {
    struct reader r = reader_of(k, intern_text(k, T_SHAPE, shape));
    r.p += k->c[C_SHAPE_SELECTORS].u32[shape];
    for (uint32_t i = 0; i < k->c[C_SHAPE_N_SELECTORS].u32[shape]; i++) {
        reader_text(&r);
        for (uint32_t n = reader_u32(&r); n > 0; n--) reader_text(&r);
    }
    return r;
}

static int curve_is(const struct columns *k, uint32_t row, const int64_t *cells) {
    int64_t most = 0;
    for (uint32_t i = 0; i < DAY_CELLS; i++) {
        uint32_t at = k->c[C_DAY_CELLS].u32[row] + i;
        if (k->c[C_CELL_NOW].i64[at] != cells[i] || k->c[C_CELL_LATER].i64[at]) return 0;
        most = cells[i] > most ? cells[i] : most;
    }
    return k->c[C_DAY_PEAK].i64[row] == most && k->c[C_DAY_LATER].i64[row] == 0;
}

static int32_t check_curves(struct check *c, uint32_t shape) {
    const struct columns *k = c->k;
    int64_t cells[DAY_CELLS];
    struct reader steps = check_days_steps_of(k, shape);
    uint32_t rows = 0;
    for (uint32_t kind = 1; kind < meta(k, M_N_KINDS); kind++) {
        uint32_t row = daily_demand_row(k, C_SHAPE_DAY, shape, kind);
        int has = daily_demand_curve(steps, text_of(k, k->c[C_KIND_NAME].u32[kind]), cells);
        if (has < 0 || (has > 0) != (row != NO_ROW) || (has && !curve_is(k, row, cells)))
            return check_fail(c,
                              "%s: its daily demand curve of %s differs from its canonical bytes",
                              NAME(T_SHAPE, shape), NAME(T_KIND, kind));
        if (has && k->c[C_DAY_PEAK].i64[row] > k->c[C_SHAPE_REQ + kind].i64[shape])
            return check_fail(c, "%s: its daily demand curve of %s exceeds its request",
                              NAME(T_SHAPE, shape), NAME(T_KIND, kind));
        rows += has > 0;
    }
    return rows <= LIMIT_DAILY_KINDS
               ? LSCHED_OK
               : check_fail(c, "%s has %u daily demand curves, which is too many",
                            NAME(T_SHAPE, shape), rows);
}

int32_t check_days(struct check *c) {
    const struct columns *k = c->k;
    size_t bytes = (size_t)table_rows(k, T_DAY) + 1;
    struct days d = {c, alloc_zero(k->alloc, bytes), 0};
    if (!d.passed) return check_nomem(c);
    int32_t rc = walk_all(&d, T_SHAPE, C_SHAPE_DAY);
    if (rc == LSCHED_OK) rc = walk_all(&d, T_NODE, C_NODE_DAY);
    alloc_free(k->alloc, d.passed, bytes);
    if (rc == LSCHED_OK && d.n != table_live(k, T_DAY))
        rc = check_fail(c, "%u of %u daily demand curves have no owner", table_live(k, T_DAY) - d.n,
                        table_live(k, T_DAY));
    for (uint32_t s = 0; s < table_rows(k, T_SHAPE) && rc == LSCHED_OK; s++)
        if (row_is_live(k, T_SHAPE, s) && shape_is_daily(k, s)) rc = check_curves(c, s);
    return rc;
}
