/* daily_demand.c -- see daily_demand.h. */
#include "model/shapes/daily_demand.h"

#include "model/store/blocks.h"

uint32_t daily_demand_row(const struct columns *k, uint32_t head, uint32_t of, uint32_t kind) {
    uint32_t at = k->c[head].u32[of];
    while (at && k->c[C_DAY_KIND].u8[at - 1] != kind) at = k->c[C_DAY_NEXT].u32[at - 1];
    return at ? at - 1 : NO_ROW;
}

static const int64_t *cells_of(const struct columns *k, uint32_t row, uint32_t column) {
    return k->c[column].i64 + k->c[C_DAY_CELLS].u32[row];
}

/* Returns the curve of the shape for the kind, NULL if the kind is constant. */
static const int64_t *curve_of(const struct columns *k, uint32_t shape, uint32_t kind) {
    uint32_t row =
        shape_is_daily(k, shape) ? daily_demand_row(k, C_SHAPE_DAY, shape, kind) : NO_ROW;
    return row == NO_ROW ? NULL : cells_of(k, row, C_CELL_NOW);
}

int64_t daily_demand_peak(const struct columns *k, uint32_t shape, uint32_t kind) {
    uint32_t row =
        shape_is_daily(k, shape) ? daily_demand_row(k, C_SHAPE_DAY, shape, kind) : NO_ROW;
    return row == NO_ROW ? k->c[C_SHAPE_REQ + kind].i64[shape] : k->c[C_DAY_PEAK].i64[row];
}

static int64_t highest(const int64_t *cells) {
    int64_t most = cells[0];
    for (uint32_t c = 1; c < DAY_CELLS; c++) most = cells[c] > most ? cells[c] : most;
    return most;
}

/* Makes a DAY row for the kind and inserts it into the list of `of`, which is ordered by kind.
 * Returns NO_ROW if out of memory. */
static uint32_t row_add(struct columns *k, uint32_t head, uint32_t of, uint32_t kind) {
    if (undo_room(k) != LSCHED_OK) return NO_ROW;
    uint32_t row = row_new(k, T_DAY), cells = block_new(k, BLOCKS_CELL, DAY_CELLS), last = NO_ROW;
    if (row == NO_ROW || cells == NO_ROW) return NO_ROW;
    uint32_t next = k->c[head].u32[of];
    for (; next && k->c[C_DAY_KIND].u8[next - 1] < kind; next = k->c[C_DAY_NEXT].u32[last])
        last = next - 1;
    set_u8(k, C_DAY_KIND, row, (uint8_t)kind);
    set_u32(k, C_DAY_CELLS, row, cells);
    set_u32(k, C_DAY_NEXT, row, next);
    if (last == NO_ROW)
        set_u32(k, head, of, row + 1);
    else
        set_u32(k, C_DAY_NEXT, last, row + 1);
    return row;
}

static void daily_demand_row_drop(struct columns *k, uint32_t row) {
    block_free(k, BLOCKS_CELL, k->c[C_DAY_CELLS].u32[row], DAY_CELLS);
    row_free(k, T_DAY, row);
}

/* ---- shapes ---- */

/* One step of a demand: the amount from `from_us` on. Before the first step of a day, the last
 * step of the previous day is in force. */
struct day_step {
    int64_t from_us, amount;
};

static int next_step(struct reader *r, lsched_text kind, uint32_t *left, struct day_step *s) {
    while (*left > 0 && !r->bad) {
        (*left)--;
        lsched_text name = reader_text(r);
        s->from_us = reader_i64(r);
        s->amount = reader_i64(r);
        if (!r->bad && text_order(name, kind) == 0) return 1;
    }
    return 0;
}

/* Raises each cell of the time from from_us to to_us that is below the amount to the amount. */
static void raise(int64_t cells[DAY_CELLS], int64_t from_us, int64_t to_us, int64_t amount) {
    for (int64_t c = from_us / DAY_CELL_US; c * DAY_CELL_US < to_us; c++)
        if (cells[c] < amount) cells[c] = amount;
}

int daily_demand_curve(struct reader steps, lsched_text kind, int64_t cells[DAY_CELLS]) {
    struct reader r = steps;
    uint32_t left = reader_u32(&r);
    struct day_step first, s, next;
    memset(cells, 0, DAY_CELLS * sizeof *cells);
    if (!next_step(&r, kind, &left, &first)) return r.bad ? -1 : 0;
    for (s = first; next_step(&r, kind, &left, &next); s = next) {
        if (s.from_us < 0 || next.from_us <= s.from_us || next.from_us >= DAY_US || s.amount < 0)
            return -1;
        raise(cells, s.from_us, next.from_us, s.amount);
    }
    if (r.bad || s.from_us < 0 || s.from_us >= DAY_US || s.amount < 0) return -1;
    raise(cells, s.from_us, DAY_US, s.amount);
    raise(cells, 0, first.from_us, s.amount);
    return 1;
}

int32_t daily_demand_shape_fill(struct columns *k, uint32_t shape, struct reader steps) {
    int64_t cells[DAY_CELLS];
    uint32_t rows = 0;
    for (uint32_t kind = 1; kind < meta(k, M_N_KINDS); kind++) {
        int has = daily_demand_curve(steps, text_of(k, k->c[C_KIND_NAME].u32[kind]), cells);
        if (has < 0 || (has && (kind == LSCHED_GPU || ++rows > LIMIT_DAILY_KINDS)))
            return LSCHED_E_CORRUPT;
        if (!has) continue;
        uint32_t row = row_add(k, C_SHAPE_DAY, shape, kind);
        if (row == NO_ROW) return LSCHED_E_NOMEM;
        set_i64(k, C_DAY_PEAK, row, highest(cells));
        if (highest(cells) > k->c[C_SHAPE_REQ + kind].i64[shape]) return LSCHED_E_CORRUPT;
        for (uint32_t c = 0; c < DAY_CELLS; c++)
            set_i64(k, C_CELL_NOW, k->c[C_DAY_CELLS].u32[row] + c, cells[c]);
    }
    return rows ? LSCHED_OK : LSCHED_E_CORRUPT;
}

void daily_demand_shape_drop(struct columns *k, uint32_t shape) {
    for (uint32_t at = k->c[C_SHAPE_DAY].u32[shape]; at;) {
        uint32_t next = k->c[C_DAY_NEXT].u32[at - 1];
        daily_demand_row_drop(k, at - 1);
        at = next;
    }
    set_u32(k, C_SHAPE_DAY, shape, 0);
}

/* ---- nodes ---- */

int32_t daily_demand_reserve(struct columns *k, uint32_t node, uint32_t shape) {
    for (uint32_t at = k->c[C_SHAPE_DAY].u32[shape]; at; at = k->c[C_DAY_NEXT].u32[at - 1]) {
        uint32_t kind = k->c[C_DAY_KIND].u8[at - 1];
        if (k->c[C_DAY_PEAK].i64[at - 1] == 0 ||
            daily_demand_row(k, C_NODE_DAY, node, kind) != NO_ROW)
            continue;
        if (row_add(k, C_NODE_DAY, node, kind) == NO_ROW) return LSCHED_E_NOMEM;
    }
    return undo_room(k);
}

/* Adds the shape's curve (sign 1) to one column of the node's cells, or subtracts it (sign -1).
 * Returns by how much the peak rises; below 0 if it falls. */
static int64_t add_curve(struct columns *k, uint32_t row, uint32_t shape_row, int sign,
                         uint32_t column, uint32_t peak) {
    uint32_t first = k->c[C_DAY_CELLS].u32[row];
    const int64_t *curve = cells_of(k, shape_row, C_CELL_NOW);
    for (uint32_t c = 0; sign && c < DAY_CELLS; c++)
        if (curve[c]) add_i64(k, column, first + c, sign * curve[c]);
    int64_t old = k->c[peak].i64[row], is = sign ? highest(cells_of(k, row, column)) : old;
    set_i64(k, peak, row, is);
    return is - old;
}

void daily_demand_add(struct columns *k, uint32_t node, uint32_t shape, uint32_t kind, int now,
                      int later) {
    uint32_t of = daily_demand_row(k, C_SHAPE_DAY, shape, kind),
             row = daily_demand_row(k, C_NODE_DAY, node, kind);
    if (k->c[C_DAY_PEAK].i64[of] == 0) return;
    int64_t up = add_curve(k, row, of, now, C_CELL_NOW, C_DAY_PEAK),
            then = add_curve(k, row, of, later, C_CELL_LATER, C_DAY_LATER);
    add_i64(k, C_NODE_FREE + kind, node, -up);
    add_i64(k, C_NODE_COMING + kind, node, up - then);
}

void daily_demand_review(struct columns *k, uint32_t node) {
    uint32_t last = NO_ROW;
    for (uint32_t at = k->c[C_NODE_DAY].u32[node]; at;) {
        uint32_t row = at - 1;
        at = k->c[C_DAY_NEXT].u32[row];
        if (k->c[C_DAY_PEAK].i64[row] || k->c[C_DAY_LATER].i64[row]) {
            last = row;
            continue;
        }
        if (last == NO_ROW)
            set_u32(k, C_NODE_DAY, node, at);
        else
            set_u32(k, C_DAY_NEXT, last, at);
        daily_demand_row_drop(k, row);
    }
}

/* Returns by how much the peak rises if the curve is added to cells that reach `peak`. cells
 * NULL: all cells are 0. */
static int64_t rise(const int64_t *cells, int64_t peak, const int64_t *curve) {
    int64_t most = peak;
    for (uint32_t c = 0; c < DAY_CELLS; c++) {
        int64_t sum = (cells ? cells[c] : 0) + curve[c];
        most = sum > most ? sum : most;
    }
    return most - peak;
}

static int64_t rise_on(const struct columns *k, uint32_t node, uint32_t kind, const int64_t *curve,
                       uint32_t column, uint32_t peak) {
    uint32_t row = daily_demand_row(k, C_NODE_DAY, node, kind);
    return row == NO_ROW ? rise(NULL, 0, curve)
                         : rise(cells_of(k, row, column), k->c[peak].i64[row], curve);
}

int daily_demand_fits(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind,
                      enum device_when when) {
    const int64_t *curve = curve_of(k, shape, kind);
    int64_t f = k->c[C_NODE_FREE + kind].i64[node],
            later = f + k->c[C_NODE_COMING + kind].i64[node];
    int future = k->c[C_NODE_FUTURE].u32[node] > 0;
    if (when != DEVICE_LATER &&
        (f < 0 || rise_on(k, node, kind, curve, C_CELL_NOW, C_DAY_PEAK) > f))
        return 0;
    if (when == DEVICE_APART || (when == DEVICE_NOW && !future)) return 1;
    return later >= 0 && rise_on(k, node, kind, curve, C_CELL_LATER, C_DAY_LATER) <= later;
}

int64_t daily_demand_charge(const struct columns *k, uint32_t node, uint32_t shape, uint32_t kind) {
    const int64_t *curve = curve_of(k, shape, kind);
    return curve ? rise_on(k, node, kind, curve, C_CELL_NOW, C_DAY_PEAK)
                 : k->c[C_SHAPE_REQ + kind].i64[shape];
}

/* ---- trial without changes ---- */

void daily_room_of(const struct columns *k, uint32_t node, uint32_t kind, enum device_when when,
                   struct daily_room *m) {
    uint32_t row =
        k->c[C_NODE_DAY].u32[node] ? daily_demand_row(k, C_NODE_DAY, node, kind) : NO_ROW;
    int later = when == DEVICE_LATER;
    m->daily = when != DEVICE_EMPTY && row != NO_ROW;
    m->room = k->c[(when == DEVICE_EMPTY ? C_NODE_CAP : C_NODE_FREE) + kind].i64[node];
    if (later) m->room += k->c[C_NODE_COMING + kind].i64[node];
    if (!m->daily) return;
    m->room += k->c[later ? C_DAY_LATER : C_DAY_PEAK].i64[row];
    memcpy(m->cells, cells_of(k, row, later ? C_CELL_LATER : C_CELL_NOW), sizeof m->cells);
}

void daily_room_add(const struct columns *k, uint32_t shape, uint32_t kind, int64_t amount,
                    int sign, struct daily_room *m) {
    const int64_t *curve = curve_of(k, shape, kind);
    if (!curve) {
        m->room += sign * amount;
        return;
    }
    if (!m->daily) memset(m->cells, 0, sizeof m->cells);
    m->daily = 1;
    for (uint32_t c = 0; c < DAY_CELLS; c++) m->cells[c] -= sign * curve[c];
}

int64_t daily_room_left(const struct daily_room *m) {
    return m->daily ? m->room - highest(m->cells) : m->room;
}

int64_t daily_room_count(const struct columns *k, uint32_t shape, uint32_t kind,
                         const struct daily_room *m) {
    const int64_t *curve = curve_of(k, shape, kind);
    int64_t left = daily_room_left(m), most = INT32_MAX;
    if (!curve) {
        int64_t q = k->c[C_SHAPE_REQ + kind].i64[shape];
        if (q == 0) return INT32_MAX;
        return left < 0 ? 0 : left / q;
    }
    if (left < 0) return 0;
    for (uint32_t c = 0; c < DAY_CELLS; c++) {
        if (curve[c] == 0) continue;
        int64_t fit = (m->room - (m->daily ? m->cells[c] : 0)) / curve[c];
        most = fit < most ? fit : most;
    }
    return most;
}

int64_t daily_room_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                        const struct daily_room *m, uint32_t *cell) {
    const int64_t *curve = curve_of(k, shape, kind);
    int64_t worst = 0;
    for (uint32_t c = 0; c < DAY_CELLS; c++) {
        int64_t lacks = (m->daily ? m->cells[c] : 0) + curve[c] - m->room;
        if (lacks <= worst) continue;
        worst = lacks;
        *cell = c;
    }
    return worst;
}
