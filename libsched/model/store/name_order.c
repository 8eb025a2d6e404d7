/* name_order.c -- see name_order.h. */
#include "model/store/name_order.h"

#include "base/bisect.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/store/blocks.h"
#include "model/store/steps.h"

/* largest distance of two marks when names are added at the end */
#define MARK_STEP ((uint64_t)1 << 40)

void name_order_open(struct name_order *o, struct name_order_of of) {
    *o = (struct name_order){.of = of, .free_slot = NO_ROW};
}

void name_order_close(struct name_order *o, struct columns *k) {
    struct name_order_of of = o->of;
    alloc_free(k->alloc, o->mark, o->cap_mark * sizeof *o->mark);
    alloc_free(k->alloc, o->gen, o->cap_gen * sizeof *o->gen);
    alloc_free(k->alloc, o->run, o->cap_runs * sizeof *o->run);
    alloc_free(k->alloc, o->row, o->cap_row * sizeof *o->row);
    name_order_open(o, of);
}

int32_t name_order_reserve(struct name_order *o, struct columns *k) {
    uint32_t rows = table_rows(k, o->of.table);
    int fits = VEC_ROOM(k->alloc, o->mark, o->cap_mark, rows) &&
               VEC_ROOM_ZERO(k->alloc, o->gen, o->cap_gen, rows);
    return fits ? LSCHED_OK : LSCHED_E_NOMEM;
}

/* ---- names ---- */

struct name_order_names {
    const struct columns *k;
    const uint32_t *of; /* by row: row of the text that is the name */
};

static int name_order_before(const struct name_order_names *names, uint32_t a, uint32_t b) {
    return text_compare(names->k, names->of[a], names->of[b]) < 0;
}

SORT_STABLE(name_order_sort, uint32_t, const struct name_order_names *, name_order_before)

static uint32_t gen_now(const struct name_order *o, const struct columns *k, uint32_t row) {
    return row_is_live(k, o->of.table, row) ? k->c[o->of.gen].u32[row] : 0;
}

int name_order_is_current(const struct name_order *o, const struct columns *k, uint32_t row) {
    return (row < o->cap_gen ? o->gen[row] : 0) == gen_now(o, k, row);
}

/* ---- runs ---- */

static uint32_t *name_order_rows(const struct name_order *o, uint32_t run) {
    return o->row + (size_t)o->run[run].slot * NAME_ORDER_RUN;
}

/* Inserts an empty run before the run `at`. */
static int32_t run_new(struct name_order *o, struct columns *k, uint32_t at) {
    if (!VEC_ROOM(k->alloc, o->run, o->cap_runs, o->n_runs + 1)) return LSCHED_E_NOMEM;
    uint32_t slot = o->free_slot;
    if (slot == NO_ROW) {
        if (!VEC_ROOM(k->alloc, o->row, o->cap_row, (o->n_slots + 1ull) * NAME_ORDER_RUN))
            return LSCHED_E_NOMEM;
        slot = o->n_slots++;
    } else {
        o->free_slot = o->row[(size_t)slot * NAME_ORDER_RUN];
    }
    steps_add(k, 1);
    memmove(o->run + at + 1, o->run + at, (o->n_runs - at) * sizeof *o->run);
    o->run[at] = (struct name_run){slot, 0};
    o->n_runs++;
    return LSCHED_OK;
}

static void run_drop(struct name_order *o, uint32_t at) {
    name_order_rows(o, at)[0] = o->free_slot;
    o->free_slot = o->run[at].slot;
    o->n_runs--;
    memmove(o->run + at, o->run + at + 1, (o->n_runs - at) * sizeof *o->run);
}

/* Divides a full run into two runs of equal length. */
static int32_t run_split(struct name_order *o, struct columns *k, uint32_t at) {
    int32_t rc = run_new(o, k, at + 1);
    if (rc != LSCHED_OK) return rc;
    uint32_t half = NAME_ORDER_RUN / 2;
    memcpy(name_order_rows(o, at + 1), name_order_rows(o, at) + half,
           (NAME_ORDER_RUN - half) * sizeof *o->row);
    o->run[at + 1].n = NAME_ORDER_RUN - half;
    o->run[at].n = half;
    return LSCHED_OK;
}

/* ---- marks ---- */

/* Gives all rows new marks with equal distances. Half of the numbers stay free for names before the
 * first one and after the last one. */
static void space_marks(struct name_order *o, const struct columns *k) {
    uint64_t step = UINT64_MAX / 2 / (o->n + 1u), mark = UINT64_MAX / 4;
    steps_add(k, o->n);
    for (uint32_t r = 0; r < o->n_runs; r++)
        for (uint32_t i = 0; i < o->run[r].n; i++) o->mark[name_order_rows(o, r)[i]] = mark += step;
}

/* Returns a number between two marks, 0 if there is none. Names are mostly added in ascending
 * order, therefore most of the numbers between the marks stay free after the new one. */
static uint64_t mark_between(uint64_t low, uint64_t high) {
    uint64_t step = (high - low) / 8;
    if (step == 0) step = (high - low) / 2;
    if (step > MARK_STEP && high == UINT64_MAX) step = MARK_STEP;
    return step == 0 ? 0 : low + step;
}

/* Gives a mark to the row at position i of the run. */
static void mark_row(struct name_order *o, const struct columns *k, uint32_t run, uint32_t i) {
    const uint32_t *rows = name_order_rows(o, run);
    uint64_t low = 0, high = UINT64_MAX;
    if (i > 0)
        low = o->mark[rows[i - 1]];
    else if (run > 0)
        low = o->mark[name_order_rows(o, run - 1)[o->run[run - 1].n - 1]];
    if (i + 1 < o->run[run].n)
        high = o->mark[rows[i + 1]];
    else if (run + 1 < o->n_runs)
        high = o->mark[name_order_rows(o, run + 1)[0]];
    if (o->n == 1) low = UINT64_MAX / 4;
    uint64_t mark = mark_between(low, high);
    o->mark[rows[i]] = mark;
    if (mark == 0) space_marks(o, k);
}

/* ---- one row ---- */

void name_order_take_out(struct name_order *o, struct columns *k, uint32_t row) {
    uint32_t lo = 0, hi = o->n_runs;
    uint64_t mark = o->mark[row];
    BISECT_LAST(lo, hi, mid, o->mark[name_order_rows(o, mid)[0]] <= mark);
    uint32_t run = lo, *rows = name_order_rows(o, run);
    lo = 0;
    hi = o->run[run].n;
    BISECT_LAST(lo, hi, mid, o->mark[rows[mid]] <= mark);
    assert(rows[lo] == row);
    steps_add(k, 1);
    memmove(rows + lo, rows + lo + 1, (o->run[run].n - lo - 1) * sizeof *rows);
    if (--o->run[run].n == 0) run_drop(o, run);
    o->gen[row] = 0;
    o->n--;
    o->changes++;
}

/* Returns the number of rows in the list whose names sort before the name of the row. */
static uint32_t name_order_place(const struct name_order *o, const struct columns *k,
                                 const uint32_t *rows, uint32_t n, uint32_t row) {
    struct name_order_names names = {k, k->c[o->of.name].u32};
    uint32_t lo = 0, hi = n;
    BISECT_FIRST(lo, hi, mid, !name_order_before(&names, rows[mid], row));
    return lo;
}

/* Returns the last run whose first name sorts before the name of the row, the first run if there
 * is none. */
static uint32_t run_for(const struct name_order *o, const struct columns *k, uint32_t row) {
    struct name_order_names names = {k, k->c[o->of.name].u32};
    uint32_t lo = 0, hi = o->n_runs;
    BISECT_LAST(lo, hi, mid, name_order_before(&names, name_order_rows(o, mid)[0], row));
    return lo;
}

int32_t name_order_put_in(struct name_order *o, struct columns *k, uint32_t row) {
    int32_t rc = name_order_reserve(o, k);
    if (rc == LSCHED_OK && o->n_runs == 0) rc = run_new(o, k, 0);
    if (rc != LSCHED_OK) return rc;
    uint32_t run = o->n == 0 ? 0 : run_for(o, k, row);
    uint32_t at = name_order_place(o, k, name_order_rows(o, run), o->run[run].n, row);
    if (o->run[run].n == NAME_ORDER_RUN) {
        rc = run_split(o, k, run);
        if (rc != LSCHED_OK) return rc;
        if (at > o->run[run].n) at -= o->run[run++].n;
    }
    uint32_t *rows = name_order_rows(o, run);
    steps_add(k, 1);
    memmove(rows + at + 1, rows + at, (o->run[run].n - at) * sizeof *rows);
    rows[at] = row;
    o->run[run].n++;
    o->n++;
    o->changes++;
    o->gen[row] = k->c[o->of.gen].u32[row];
    mark_row(o, k, run, at);
    return LSCHED_OK;
}

/* ---- all rows ---- */

void name_order_list(const struct name_order *o, uint32_t *list) {
    for (uint32_t r = 0; r < o->n_runs; r++) {
        memcpy(list, name_order_rows(o, r), o->run[r].n * sizeof *list);
        list += o->run[r].n;
    }
}

/* Stores the sorted rows in runs that are three quarters full. */
static int32_t fill_runs(struct name_order *o, struct columns *k, const uint32_t *sorted,
                         uint32_t n) {
    enum { FILL = NAME_ORDER_RUN * 3 / 4 };
    o->n_runs = o->n_slots = o->n = 0;
    o->free_slot = NO_ROW;
    for (uint32_t i = 0; i < n; i += FILL) {
        int32_t rc = run_new(o, k, o->n_runs);
        if (rc != LSCHED_OK) return rc;
        uint32_t m = n - i < FILL ? n - i : FILL;
        memcpy(name_order_rows(o, o->n_runs - 1), sorted + i, m * sizeof *sorted);
        o->run[o->n_runs - 1].n = m;
    }
    o->n = n;
    space_marks(o, k);
    return LSCHED_OK;
}

/* Writes the live rows to sorted[] in the order of names. The rows in the runs that are still
 * current are in order already; only the other rows are sorted. spare[] has room for twice the
 * number of live rows. */
static uint32_t name_order_sorted(struct name_order *o, const struct columns *k, uint32_t *sorted,
                                  uint32_t *spare) {
    struct name_order_names names = {k, k->c[o->of.name].u32};
    uint32_t rows = table_rows(k, o->of.table), live = table_live(k, o->of.table), kept = 0,
             fresh = 0, n = 0;
    uint32_t *add = spare + live;
    for (uint32_t r = 0; r < o->n_runs; r++)
        for (uint32_t i = 0; i < o->run[r].n; i++) {
            uint32_t row = name_order_rows(o, r)[i];
            if (o->gen[row] == gen_now(o, k, row))
                spare[kept++] = row;
            else
                o->gen[row] = 0;
        }
    for (uint32_t row = 0; row < rows; row++)
        if (gen_now(o, k, row) && o->gen[row] == 0) add[fresh++] = row;
    name_order_sort(&names, add, sorted, fresh);
    for (uint32_t i = 0, j = 0; i < kept || j < fresh;) {
        int old = j == fresh || (i < kept && name_order_before(&names, spare[i], add[j]));
        sorted[n++] = old ? spare[i++] : add[j++];
    }
    for (uint32_t i = 0; i < n; i++) o->gen[sorted[i]] = k->c[o->of.gen].u32[sorted[i]];
    return n;
}

int32_t name_order_renew(struct name_order *o, struct columns *k) {
    uint32_t live = table_live(k, o->of.table);
    int32_t rc = name_order_reserve(o, k);
    steps_add(k, table_rows(k, o->of.table));
    size_t bytes = (3ul * live + 1) * sizeof(uint32_t);
    uint32_t *sorted = rc == LSCHED_OK ? alloc_new(k->alloc, bytes) : NULL;
    if (sorted) rc = fill_runs(o, k, sorted, name_order_sorted(o, k, sorted, sorted + live));
    alloc_free(k->alloc, sorted, sorted ? bytes : 0);
    if (!sorted || rc != LSCHED_OK) {
        name_order_close(o, k);
        return LSCHED_E_NOMEM;
    }
    o->changes++;
    return LSCHED_OK;
}
