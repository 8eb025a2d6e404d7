/*
 * explain_nodes.c -- writes which nodes could hold a job, which queues and jobs hold them, and
 * which job's end would help; explain_parts.h.
 */
#include "engine/explain/explain_parts.h"
#include "engine/explain/explain_short.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/device_mig.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task.h"

/* ---- the job whose end would help ---- */

struct helper {
    uint32_t job;
    uint32_t nodes; /* nodes that would have room after the job ends */
    int64_t ends;   /* estimated end of the job, LSCHED_NEVER_US if unknown */
};

struct job_tasks {
    const struct columns *k;
    uint32_t job;
};

static int is_of_job(const void *of, uint32_t task) {
    const struct job_tasks *j = of;
    return j->k->c[C_TASK_JOB].u32[task] == j->job;
}

/* True if the node could hold one task of the shape after all tasks of `job` left it. Devices are
 * checked one by one, and also together if the shape asks for that. */
static int fits_without(const struct columns *k, uint32_t node, uint32_t shape, uint32_t job) {
    struct daily_room amount[KINDS_MAX];
    int64_t used[LSCHED_DEVICES_PER_NODE_MAX] = {0};
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], good = 0;
    uint32_t slices[LSCHED_DEVICES_PER_NODE_MAX] = {0}; /* by device: MIG slices in use */
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_of(k, node, r, DEVICE_APART, &amount[r]);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t s = task_shape(k, t);
        if (k->c[C_TASK_JOB].u32[t] == job) {
            for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
                daily_room_add(k, s, r, task_amount(k, t, r), 1, &amount[r]);
            continue;
        }
        for (uint32_t m = k->c[C_TASK_MASK].u16[t]; m; m &= m - 1) {
            uint32_t d = (uint32_t)__builtin_ctz(m);
            used[d] += device_milli_need(k, first + d, s);
            struct hold hold = task_hold(k, t);
            if (k->c[C_SHAPE_MIG_SLICES].u8[s])
                slices[d] |= device_mig_bits(k, first + d, s, hold_start(&hold, d));
        }
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (r != LSCHED_GPU &&
            (daily_room_left(&amount[r]) < 0 || daily_room_count(k, shape, r, &amount[r]) < 1))
            return 0;
    for (uint32_t d = 0; d < k->c[C_NODE_N_DEVICES].u8[node]; d++)
        good += used[d] + device_milli_need(k, first + d, shape) <= 1000 &&
                (!device_mig_asked(k, first + d, shape) ||
                 device_mig_could(k, first + d, shape, slices[d]));
    struct job_tasks of = {k, job};
    return good >= k->c[C_SHAPE_DEVICES].u32[shape] &&
           (!k->c[C_SHAPE_PICKY].u8[shape] || together_if(k, node, shape, is_of_job, &of));
}

static int helper_better(const struct columns *k, const struct helper *a, const struct helper *b) {
    if (b->job == NO_ROW) return 1;
    if (a->nodes != b->nodes) return a->nodes > b->nodes;
    if (a->ends != b->ends) return a->ends < b->ends;
    return text_compare(k, k->c[C_JOB_NAME].u32[a->job], k->c[C_JOB_NAME].u32[b->job]) < 0;
}

/* Returns the running job whose end would give room on the most nodes. A node is counted once for
 * consecutive tasks of a leaf group. */
static struct helper find_helper(const struct columns *k, uint32_t shape, uint32_t own) {
    struct helper best = {NO_ROW, 0, LSCHED_NEVER_US};
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW || j == own) continue;
        struct helper h = {j, 0, LSCHED_NEVER_US};
        for (uint32_t l = k->c[C_JOB_LEAVES].u32[j]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
            uint32_t last = NO_ROW;
            for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
                 t = k->c[C_TASK_NEXT].u32[t]) {
                uint32_t n = k->c[C_TASK_NODE].u32[t];
                if (!task_holds(k->c[C_TASK_STATE].u8[t]) || n == last) continue;
                last = n;
                if (k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY || !node_able(k, n, shape) ||
                    !fits_without(k, n, shape, j))
                    continue;
                h.nodes++;
                int64_t e = job_ends(k, j, t);
                if (h.ends == LSCHED_NEVER_US || (e != LSCHED_NEVER_US && e > h.ends)) h.ends = e;
            }
        }
        if (h.nodes && helper_better(k, &h, &best)) best = h;
    }
    return best;
}

/* ---- nodes ---- */

struct room_counts {
    uint32_t able, ready, fit, drain;
    int64_t best; /* most free of the kind on an able, ready node */
};

static struct room_counts explain_nodes_look(const struct columns *k, uint32_t shape,
                                             uint32_t kind) {
    struct room_counts m = {0, 0, 0, 0, 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || !node_able(k, n, shape)) continue;
        m.able++;
        m.drain += k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_DRAINING;
        if (k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) continue;
        m.ready++;
        m.fit += (uint32_t)node_fits(k, n, shape);
        if (kind && k->c[C_NODE_FREE + kind].i64[n] > m.best)
            m.best = k->c[C_NODE_FREE + kind].i64[n];
    }
    return m;
}

/* Writes " (the nearest lacks 2 cores at 14:15)": the nearest is the node, among those that take
 * new work, that lacks least at its worst quarter-hour. */
static void explain_nodes_put_nearest(const struct columns *k, uint32_t shape, uint32_t kind,
                                      struct text_out *o) {
    int64_t least = INT64_MAX;
    uint32_t at = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        struct daily_room m;
        uint32_t cell = 0;
        if (!node_is_usable(k, n, shape)) continue;
        daily_room_of(k, n, kind, DEVICE_APART, &m);
        int64_t lacks = daily_room_lack(k, shape, kind, &m, &cell);
        if (lacks >= least) continue;
        least = lacks;
        at = cell;
    }
    if (least == INT64_MAX || least == 0) return;
    text_put(o, " (the nearest lacks ");
    put_amount(k, o, kind, least);
    text_put(o, " at %02u:%02u)", at / 4, at % 4 * 15);
}

/* Writes ": 1 lacks cores, 2 lack memory; n1 comes closest, with 4 of the 16 GiB memory" */
static void put_each_kind(const struct columns *k, uint32_t shape, const struct shortage *near,
                          const uint32_t *nodes, struct text_out *o) {
    uint32_t said = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (nodes[r] == 0) continue;
        text_put(o, "%s %u lack%s", said++ ? "," : ":", nodes[r], nodes[r] == 1 ? "s" : "");
        put_unit(k, o, r, 2000);
    }
    if (near->kinds == 0) return;
    text_put(o, "; ");
    put_name(k, o, k->c[C_NODE_NAME].u32[near->node]);
    text_put(o, " comes closest, with ");
    put_short(k, near, o);
    text_put(o, " free");
    if (near->other & SHORT_PIECES) {
        text_put(o, k->c[C_SHAPE_DEVICES].u32[shape] > 1 ? ": " : " in one piece: ");
        put_amount(k, o, LSCHED_GPU, near->idle);
        text_put(o, " are idle in %u pieces of at most ", near->pieces);
        put_number(o, LSCHED_GPU, near->largest);
    }
    if (near->other & SHORT_DEVICES) text_put(o, ", and devices without the memory or cores");
}

/* Writes which nodes lack which resource kinds; only one number if all nodes lack nothing but
 * `kind`. */
static void put_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                     const struct room_counts *m, struct text_out *o) {
    struct shortage near;
    uint32_t nodes[KINDS_MAX];
    explain_short_nearest(k, shape, DEVICE_NOW, 0, &near, nodes);
    if (near.node == NO_ROW) return;
    int one = nodes[kind] == m->ready && near.kinds == 1u << kind && near.other == 0 &&
              m->best < k->c[C_SHAPE_REQ + kind].i64[shape];
    if (!one) {
        put_each_kind(k, shape, &near, nodes, o);
        return;
    }
    text_put(o, " (at most ");
    put_amount(k, o, kind, m->best);
    text_put(o, " free)");
}

void put_room(const struct columns *k, const lsched_waiting *w, int64_t now, struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), kind = w->kind;
    if (kind == 0 || kind >= meta(k, M_N_KINDS) || k->c[C_SHAPE_REQ + kind].i64[shape] == 0)
        kind = shape_scarcest(k, shape); /* the record was about another task shape */
    struct room_counts m = explain_nodes_look(k, shape, kind);
    int daily = daily_demand_row(k, C_SHAPE_DAY, shape, kind) != NO_ROW;
    text_put(o, daily ? "needs up to " : "needs ");
    put_task_need(k, shape, kind, o);
    if (daily) text_put(o, ", by the hour,");
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) {
        text_put(o, " as a MIG instance ");
        put_name(k, o, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape]));
    }
    text_put(o, " on one node");
    put_together(k, shape, o);
    text_put(o, "; %u node%s can hold that", m.able, m.able == 1 ? "" : "s");
    uint32_t cordoned = m.able - m.ready - m.drain;
    if (cordoned && m.drain)
        text_put(o, " (%u cordoned, %u draining)", cordoned, m.drain);
    else if (cordoned || m.drain)
        text_put(o, " (%u %s)", cordoned + m.drain, m.drain ? "draining" : "cordoned");
    if (m.fit == 0)
        text_put(o, ", none has room now");
    else
        text_put(o, ", %u ha%s room now", m.fit, m.fit == 1 ? "s" : "ve");
    if (m.fit == 0 && daily)
        explain_nodes_put_nearest(k, shape, kind, o);
    else if (m.fit == 0)
        put_lack(k, shape, kind, &m, o);
    put_unwelcome(k, shape, o);
    if (m.fit) return;
    put_never_recut(k, shape, o);
    struct helper h = find_helper(k, shape, (uint32_t)w->job);
    if (h.job == NO_ROW) return;
    text_put(o, "; %u would after ", h.nodes);
    put_job(k, o, h.job);
    text_put(o, " ends");
    if (h.ends >= now) {
        put_time(o, h.ends, now);
    } else {
        text_put(o, ", which is ");
        put_span(o, now - h.ends);
        text_put(o, " over its estimate");
    }
}

uint32_t nodes_able(const struct columns *k, uint32_t shape) {
    return explain_nodes_look(k, shape, 0).able;
}

/* ---- tasks that are overdue ---- */

struct stuck {
    int64_t amount[KINDS_MAX];
    uint32_t jobs, job, node; /* number of jobs; first job by name; first of its nodes by name */
};

static void add_stuck(const struct columns *k, uint32_t t, struct stuck *s) {
    uint32_t job = k->c[C_TASK_JOB].u32[t], node = k->c[C_TASK_NODE].u32[t];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) s->amount[r] += task_amount(k, t, r);
    int c = s->job == NO_ROW || job == s->job
                ? 0
                : text_compare(k, k->c[C_JOB_NAME].u32[job], k->c[C_JOB_NAME].u32[s->job]);
    s->jobs += s->job != job;
    if (s->job != NO_ROW && (c > 0 || (c == 0 && text_compare(k, k->c[C_NODE_NAME].u32[node],
                                                              k->c[C_NODE_NAME].u32[s->node]) > 0)))
        return;
    s->job = job;
    s->node = node;
}

/* Sums what overdue tasks hold on nodes that could hold a task of the shape. */
static struct stuck find_stuck(const struct columns *k, uint32_t shape) {
    struct stuck s = {.job = NO_ROW};
    for (uint32_t n = 0; meta(k, M_LEAVING) && n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape)) continue;
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[n]; t != NO_ROW;
             t = k->c[C_TASK_NODE_NEXT].u32[t])
            if (k->c[C_TASK_STUCK].u8[t]) add_stuck(k, t, &s);
    }
    return s;
}

void put_stuck(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), kind = w->kind, n = (uint32_t)meta(k, M_N_KINDS);
    struct stuck s = find_stuck(k, shape);
    if (s.job == NO_ROW) return;
    if (kind == 0 || kind >= n || s.amount[kind] == 0)
        for (kind = 1; kind < n && (s.amount[kind] == 0 || daily_demand_peak(k, shape, kind) == 0);)
            kind++;
    if (kind == n) return; /* the overdue tasks hold nothing that the job needs */
    text_put(o, "; ");
    put_amount(k, o, kind, s.amount[kind]);
    text_put(o, " %s held by tasks that were told to stop and are overdue (",
             s.amount[kind] == 1000 && kind != LSCHED_MEMORY ? "is" : "are");
    put_job(k, o, s.job);
    text_put(o, " on ");
    put_name(k, o, k->c[C_NODE_NAME].u32[s.node]);
    text_put(o, s.jobs > 1 ? ", and others)" : ")");
}

/* ---- queues that hold the room ---- */

enum { HOLDERS_SHOWN = 3 };

struct held {
    int64_t total, idle;
    int64_t overdue; /* held by tasks that should be gone */
};

static struct held held_by_all(const struct explain *e, uint32_t shape, int64_t *by_queue) {
    const struct columns *k = e->k;
    struct held h = {0, 0, 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape)) continue;
        h.total += k->c[C_NODE_CAP + e->kind].i64[n];
        if (k->c[C_NODE_FREE + e->kind].i64[n] > 0) h.idle += k->c[C_NODE_FREE + e->kind].i64[n];
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[n]; t != NO_ROW;
             t = k->c[C_TASK_NODE_NEXT].u32[t]) {
            /* a nominated task holds no room yet */
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED) continue;
            int64_t held = task_amount(k, t, e->kind);
            by_queue[k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]]] += held;
            if (k->c[C_TASK_STUCK].u8[t]) h.overdue += held;
        }
    }
    return h;
}

static uint32_t largest(const struct columns *k, const int64_t *by_queue) {
    uint32_t best = NO_ROW;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (by_queue[q] <= 0) continue;
        if (best == NO_ROW || by_queue[q] > by_queue[best] ||
            (by_queue[q] == by_queue[best] &&
             text_compare(k, k->c[C_QUEUE_NAME].u32[q], k->c[C_QUEUE_NAME].u32[best]) < 0))
            best = q;
    }
    return best;
}

static void put_holders(const struct explain *e, int64_t *by_queue) {
    int64_t rest = 0;
    uint32_t q, shown = 0;
    while ((q = largest(e->k, by_queue)) != NO_ROW) {
        if (shown++ < HOLDERS_SHOWN) {
            text_put(e->o, shown > 1 ? ", " : ": ");
            put_queue(e->k, e->o, q);
            text_put(e->o, " holds ");
            put_number(e->o, e->kind, by_queue[q]);
        } else {
            rest += by_queue[q];
        }
        by_queue[q] = 0;
    }
    if (rest) text_put(e->o, ", others hold ");
    if (rest) put_number(e->o, e->kind, rest);
    text_put(e->o, shown ? ", " : ": ");
}

int32_t explain_holders(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t rows = table_rows(k, T_QUEUE);
    int64_t *by_queue = alloc_zero(k->alloc, rows * sizeof *by_queue);
    if (!by_queue) return LSCHED_E_NOMEM;
    struct held h = held_by_all(e, waiting_shape(k, &e->w), by_queue);
    if (h.total > 0) {
        put_label(e->o, "held");
        text_put(e->o, "of ");
        put_amount(k, e->o, e->kind, h.total);
        text_put(e->o, " on nodes that could hold it");
        put_holders(e, by_queue);
        put_number(e->o, e->kind, h.idle);
        text_put(e->o, " idle");
        if (h.overdue) {
            text_put(e->o, "; ");
            put_number(e->o, e->kind, h.overdue);
            text_put(e->o, " are held by tasks that were told to stop and are overdue");
        }
        text_put(e->o, "\n");
    }
    alloc_free(k->alloc, by_queue, rows * sizeof *by_queue);
    return LSCHED_OK;
}
