/* bound_run.c -- see bound_run.h. */
#include "pack/bound/bound_run.h"

#include "pack/bound/bound_columns.h"
#include "pack/bound/bound_time.h"

enum { STEP_START, STEP_CELLS, STEP_CONFLICTS, STEP_PAIRS, STEP_COLUMNS, STEP_TIME, STEP_OVER };

struct bounds {
    const struct pack_problem *p;
    uint32_t state;
    uint32_t bins, by;
    struct fixed_bound fixed;
    struct graph_bound graph;
    struct tableau *columns;
    struct time_bounds *time;
};

struct bounds *bounds_new(const struct pack_problem *p, const lsched_pack_opts *opts,
                          struct pack_arena *arena) {
    struct bounds none = {0}, *b = pack_take(arena, 1, sizeof *b), *to = b ? b : &none;
    (void)opts;
    *to = (struct bounds){.p = p, .state = STEP_START};
    if (p->kind == PACK_FIXED) {
        fixed_new(&to->fixed, p, arena);
        graph_new(&to->graph, &to->fixed, arena);
        to->columns = columns_new(b ? &b->fixed : &none.fixed, b ? &b->graph : &none.graph, arena);
    } else {
        to->time = time_bounds_new(p, arena);
    }
    return b;
}

static void bound_run_raise_bins(struct bounds *b, uint32_t bins, uint32_t by) {
    if (bins <= b->bins) return;
    b->bins = bins;
    b->by = by;
}

/* Returns the least weight of an item. If the bins do not suffice for all items, every plan leaves
 * out at least this weight. */
static int64_t least_weight(const struct pack_problem *p) {
    int64_t least = PACK_FOREVER;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (p->items[i].weight * p->items[i].tasks < least)
            least = p->items[i].weight * p->items[i].tasks;
    return least == PACK_FOREVER ? 0 : least;
}

static void bound_run_put(struct bounds *b, struct pack_bound *out) {
    struct pack_value value = {b->fixed.left_out, 0};
    if (b->bins > b->p->n_bins && value.left_out == 0) value.left_out = least_weight(b->p);
    if (value.left_out == 0) value.price = fixed_price(&b->fixed, b->bins);
    if (pack_value_less(out->value, value)) out->value = value;
    out->bins = b->bins;
    out->by = b->by;
}

static uint32_t bound_run_start(struct bounds *b, struct pack_bound *out, struct pack_meter *m) {
    if (b->p->kind == PACK_FLEXIBLE) return STEP_TIME;
    fixed_loads(&b->fixed, m);
    bound_run_raise_bins(b, b->fixed.bins, LSCHED_PACK_BY_PEAK);
    out->end = fixed_end(b->p);
    return STEP_CELLS;
}

static uint32_t time_step(struct bounds *b, struct pack_bound *out, struct pack_meter *m) {
    struct time_bound found;
    int more = time_bounds_run(b->time, &found, m);
    struct pack_value value = {0, found.price};
    if (pack_value_less(out->value, value)) out->value = value;
    out->bins = found.bins;
    out->end = found.end;
    out->by = found.end_by;
    return more == PACK_MORE ? STEP_TIME : STEP_OVER;
}

static uint32_t bound_run_step(struct bounds *b, struct pack_bound *out, struct pack_meter *m,
                               const struct pack_best *best) {
    int more;
    switch (b->state) {
    case STEP_START: return bound_run_start(b, out, m);
    case STEP_CELLS:
        more = fixed_step(&b->fixed, m);
        bound_run_raise_bins(b, b->fixed.bins, LSCHED_PACK_BY_CLIQUE);
        return more ? STEP_CELLS : b->graph.n ? STEP_CONFLICTS : STEP_COLUMNS;
    case STEP_CONFLICTS: return graph_step(&b->graph, m) ? STEP_CONFLICTS : STEP_PAIRS;
    case STEP_PAIRS:
        bound_run_raise_bins(b, graph_clique(&b->graph, m), LSCHED_PACK_BY_CONFLICT);
        bound_run_raise_bins(b, graph_pairs(&b->graph, m), LSCHED_PACK_BY_MATCHING);
        return STEP_COLUMNS;
    case STEP_COLUMNS: {
        uint32_t bins = b->bins;
        more = columns_run(b->columns, &bins, b->p->n_bins + 1, best, m);
        bound_run_raise_bins(b, bins, LSCHED_PACK_BY_COLUMNS);
        return more == PACK_MORE ? STEP_COLUMNS : STEP_OVER;
    }
    case STEP_TIME: return time_step(b, out, m);
    default: return STEP_OVER;
    }
}

int bounds_count(const struct bounds *b) {
    return b->state < STEP_COLUMNS;
}

/* True if the value of the best plan is not above the lower bound; the plan is then proved best. */
static int bound_run_is_met(const struct pack_bound *out, const struct pack_best *best) {
    return best && pack_best_meets(best, out->value);
}

int bounds_run(struct bounds *b, struct pack_bound *out, struct pack_meter *m,
               const struct pack_best *best) {
    if (b->state == STEP_START) {
        *out = (struct pack_bound){{0, 0}, 0, LSCHED_PACK_BY_NOTHING, b->p->now};
        b->state = bound_run_step(b, out, m, best);
        if (b->state == STEP_CELLS) bound_run_put(b, out);
    }
    while (b->state != STEP_OVER && !bound_run_is_met(out, best)) {
        uint32_t before = b->bins;
        if (pack_meter_spent(m)) return PACK_MORE;
        b->state = bound_run_step(b, out, m, best);
        if (b->p->kind == PACK_FIXED && (b->bins > before || b->state == STEP_OVER))
            bound_run_put(b, out);
    }
    return PACK_DONE;
}
