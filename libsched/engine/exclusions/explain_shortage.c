/* explain_shortage.c -- see explain_shortage.h. */
#include "engine/exclusions/explain_shortage.h"

#include "engine/exclusions/explain_subject.h"
#include "model/shapes/daily_demand.h"
#include "model/store/intern.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/shapes/node_rules.h"
#include "model/devices/contention.h"
#include "model/devices/device_select.h"

static int64_t times(int64_t amount, int64_t n) {
    int64_t product;
    return __builtin_mul_overflow(amount, n, &product) ? INT64_MAX : product;
}

/* Returns the amount of a resource kind that is free on the node for a demand that does not follow
 * the time of day. The amount is computed as in node_fits. */
static int64_t free_of(const struct columns *k, uint32_t node, uint32_t kind,
                       enum device_when when) {
    if (when == DEVICE_EMPTY) return k->c[C_NODE_CAP + kind].i64[node];
    int64_t f = k->c[C_NODE_FREE + kind].i64[node], c = k->c[C_NODE_COMING + kind].i64[node];
    return k->c[C_NODE_FUTURE].u32[node] && c < 0 ? f + c : f;
}

static void kind_short(const struct columns *k, uint32_t node, uint32_t shape, uint32_t r,
                       enum device_when when, int64_t tasks, struct shortage *s) {
    int64_t need = times(daily_demand_peak(k, shape, r), tasks), have = free_of(k, node, r, when);
    int daily = daily_demand_row(k, C_SHAPE_DAY, shape, r) != NO_ROW;
    if (daily && when != DEVICE_EMPTY) {
        struct daily_room m;
        uint32_t cell;
        daily_room_of(k, node, r, when, &m);
        int64_t lacks = daily_room_lack(k, shape, r, &m, &cell);
        have = daily_demand_peak(k, shape, r) - lacks;
        need = daily_demand_peak(k, shape, r);
    }
    if (have >= need && (have >= 0 || when == DEVICE_EMPTY)) return;
    s->kinds |= 1u << r;
    s->need[r] = need;
    s->have[r] = have;
}

/* Returns how many tasks of the shape a device with room for n of them takes: one, if the table of
 * slow-downs bars such tasks from each other. */
static int64_t shares_of(const struct columns *k, uint32_t device, uint32_t shape, int64_t n) {
    int alone = work_kinds_bar(k, shape, shape) && contention_can_be(k, device);
    return alone && n > 1 ? 1 : n;
}

static void count_idle(struct shortage *s, int64_t f) {
    if (f <= 0) return;
    s->pieces++;
    s->idle += f;
    if (f > s->largest) s->largest = f;
}

/* Finds out what the devices of the node lack. Only devices that could serve a task if they were
 * empty count, and those with work beside which the task may not be count as full. */
static void devices_lack(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, int64_t tasks, struct shortage *s) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], n = k->c[C_NODE_N_DEVICES].u8[node],
             allowed = 0;
    int64_t need = times(k->c[C_SHAPE_DEVICES].u32[shape], tasks), parts = 0, good = 0, enough = 0,
            beside = 0, size = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    if (need == 0) return;
    if (size == 0 || size > DEVICE_WHOLE) size = DEVICE_WHOLE;
    for (uint32_t d = first; d < first + n; d++) {
        int64_t each = device_milli_need(k, d, shape), f = device_milli_free(k, d, when);
        if (!device_takes(k, d, shape, DEVICE_EMPTY)) continue;
        int takes = device_takes(k, d, shape, when);
        if (each <= 0 || each > 1000) each = 1000;
        allowed++;
        size = each;
        good += takes;
        parts += takes ? shares_of(k, d, shape, f / each) : 0;
        if (contention_bars(k, d, shape, when)) {
            beside += f >= each;
            continue;
        }
        enough += f >= each;
        count_idle(s, f);
    }
    if ((tasks == 1 ? good : parts) >= need) return;
    s->kinds |= 1u << LSCHED_GPU;
    s->need[LSCHED_GPU] = times(k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape], tasks);
    if (when == DEVICE_EMPTY) {
        s->have[LSCHED_GPU] = size * (n >= need ? (int64_t)allowed : (int64_t)n);
        if (n >= need) s->other |= SHORT_DEVICES;
        return;
    }
    s->have[LSCHED_GPU] = need == 1 ? s->largest : enough * size;
    if (enough >= need)
        s->other |= SHORT_DEVICES;
    else if (enough + beside >= need)
        s->other |= SHORT_BESIDE;
    else if (s->idle >= s->need[LSCHED_GPU])
        s->other |= SHORT_PIECES;
}

void explain_shortage_of(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, int64_t tasks, struct shortage *s) {
    struct hold hold;
    *s = (struct shortage){.node = node};
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (r != LSCHED_GPU)
            kind_short(k, node, shape, r, when, tasks, s);
        else if (when != DEVICE_EMPTY && free_of(k, node, r, when) < 0)
            kind_short(k, node, shape, r, when, tasks, s);
    }
    if (!(s->kinds >> LSCHED_GPU & 1)) devices_lack(k, node, shape, when, tasks, s);
    if (when != DEVICE_EMPTY && node_places(k, node, when) < tasks) s->other |= SHORT_TASKS;
    if (when == DEVICE_EMPTY && !node_selected(k, node, shape)) s->other |= SHORT_LABELS;
    if (when == DEVICE_EMPTY && rules_judge(k, node, shape, NULL) != RULES_ALLOW)
        s->other |= SHORT_RULES;
    /* Subtract the amounts of the earlier tasks, so that need and have are those of the last
     * task. */
    for (uint32_t r = 1; tasks > 1 && r < meta(k, M_N_KINDS); r++) {
        int64_t before = times(daily_demand_peak(k, shape, r), tasks - 1);
        if (!(s->kinds >> r & 1)) continue;
        s->need[r] -= before;
        s->have[r] = s->have[r] > before ? s->have[r] - before : 0;
    }
    if (s->kinds == 0 && k->c[C_SHAPE_PICKY].u8[shape] && tasks == 1 &&
        !device_select(k, node, shape, when, NULL, &hold))
        s->other |= SHORT_TOGETHER;
}

/* Returns the lacking amount in thousandths of the needed amount, summed over the resource
 * kinds. */
static int64_t part_lacking(const struct columns *k, const struct shortage *s) {
    int64_t sum = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(s->kinds >> r & 1)) continue;
        int64_t need = s->need[r] > 0 ? s->need[r] : 1, lacks = s->need[r] - s->have[r],
                part = lacks > INT64_MAX / 1000 ? lacks / (need / 1000 + 1) : lacks * 1000 / need;
        sum += part > 1000000 ? 1000000 : part;
    }
    return sum;
}

static uint32_t things(const struct shortage *s) {
    return (uint32_t)__builtin_popcount(s->kinds) +
           (uint32_t)__builtin_popcount(s->other &
                                        ~(SHORT_PIECES | SHORT_BESIDE | (uint32_t)SHORT_DEVICES));
}

int explain_shortage_nearer(const struct columns *k, const struct shortage *a,
                            const struct shortage *b) {
    if (b->node == NO_ROW) return 1;
    uint32_t x = things(a), y = things(b);
    if (x != y) return x < y;
    int64_t p = part_lacking(k, a), q = part_lacking(k, b);
    if (p != q) return p < q;
    return name_before(k, C_NODE_NAME, a->node, b->node);
}

void explain_shortage_nearest(const struct columns *k, uint32_t shape, enum device_when when,
                              int after_fit, struct shortage *best, uint32_t *nodes) {
    *best = (struct shortage){.node = NO_ROW};
    for (uint32_t r = 0; nodes && r < KINDS_MAX; r++) nodes[r] = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        struct shortage s;
        if (when == DEVICE_EMPTY ? !row_is_live(k, T_NODE, n) : !node_is_usable(k, n, shape))
            continue;
        int64_t fit = after_fit ? node_count_above(k, n, shape, when) : 0;
        explain_shortage_of(k, n, shape, when, fit + 1, &s);
        if (s.kinds == 0 && s.other == 0) continue;
        for (uint32_t r = 1; nodes && r < meta(k, M_N_KINDS); r++) nodes[r] += s.kinds >> r & 1;
        if (nodes) nodes[0] += s.kinds == 0;
        if (explain_shortage_nearer(k, &s, best)) *best = s;
    }
}

uint32_t explain_shortage_kind(const struct shortage *s) {
    if (s->kinds >> LSCHED_GPU & 1) return LSCHED_GPU;
    return s->kinds ? (uint32_t)__builtin_ctz(s->kinds) : 0;
}

void explain_shortage_put(const struct columns *k, const struct shortage *s, struct text_out *o) {
    uint32_t said = 0, left = s->kinds;
    text_put(o, "%s comes closest, %swith ", shown_node(k, s->node).text,
             s->other & SHORT_BESIDE ? "if devices whose work bars it do not count, " : "");
    while (left) {
        uint32_t r = (uint32_t)__builtin_ctz(left);
        left &= left - 1;
        text_put(o, said++ == 0 ? "" : left ? ", " : " and ");
        text_put(o, "%s of the %s", shown_number(r, s->have[r]).text,
                 shown_amount(k, r, s->need[r]).text);
    }
}
