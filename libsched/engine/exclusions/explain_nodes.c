/* explain_nodes.c -- see explain_nodes.h. */
#include "engine/exclusions/explain_nodes.h"

#include "engine/exclusions/explain_absence.h"
#include "engine/exclusions/explain_machine.h"
#include "engine/exclusions/explain_mig.h"
#include "engine/exclusions/explain_rules.h"
#include "engine/exclusions/explain_shortage.h"
#include "model/absences/job_absence.h"
#include "model/shapes/daily_demand.h"
#include "model/devices/contention.h"
#include "model/devices/device_mig.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/nodes/node_count.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/shapes/job_states.h"

/* ---- the job whose end would help ---- */

struct helper {
    uint32_t job;
    uint32_t nodes; /* nodes that would have room for one task after the job ends */
    /* latest estimated end of the job's tasks on these nodes, LSCHED_NEVER_US if unknown */
    int64_t ends;
};

/* Nodes that would have room after the end of a job, and that an absence keeps from the waiting job
 * at that time. */
struct kept_away {
    uint32_t first; /* the first of them by name, NO_ROW if there is none */
    int others;     /* 1 if there are more of them */
    int64_t at;     /* the first time at which `first` would have room */
};

struct job_tasks {
    const struct columns *k;
    uint32_t job;
};

static int is_of_job(const void *of, uint32_t task) {
    const struct job_tasks *j = of;
    return j->k->c[C_TASK_JOB].u32[task] == j->job;
}

/* True if the node could hold one task of the shape after all tasks of `job` left the node. Each
 * device is checked alone. If the shape has wishes for links, NUMA node or network cards, the
 * devices are also checked together. */
static int fits_without(const struct columns *k, uint32_t node, uint32_t shape, uint32_t job) {
    struct daily_room amount[KINDS_MAX];
    int64_t used[LSCHED_DEVICES_PER_NODE_MAX] = {0};
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], good = 0;
    /* MIG slices in use on each device, as bit masks */
    uint32_t slices[LSCHED_DEVICES_PER_NODE_MAX] = {0};
    device_set bad = 0; /* devices with a task beside which one of the shape may not be */
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
        DEVICE_SET_EACH(m, task_device_set(k, t)) {
            uint32_t d = m.at;
            used[d] += device_milli_need(k, first + d, s);
            if (work_kinds_bar(k, shape, s) && contention_can_be(k, first + d))
                bad |= device_set_bit(d);
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
                !device_set_has(bad, d) &&
                (!device_mig_asked(k, first + d, shape) ||
                 device_mig_could(k, first + d, shape, slices[d]));
    struct job_tasks of = {k, job};
    return good >= k->c[C_SHAPE_DEVICES].u32[shape] &&
           (!k->c[C_SHAPE_PICKY].u8[shape] ||
            explain_machine_fits_if(k, node, shape, is_of_job, &of));
}

static int helper_better(const struct columns *k, const struct helper *a, const struct helper *b) {
    if (b->job == NO_ROW) return 1;
    if (a->nodes != b->nodes) return a->nodes > b->nodes;
    return a->ends != b->ends ? a->ends < b->ends : name_before(k, C_JOB_NAME, a->job, b->job);
}

/* True if an absence bars the waiting job `own` from the node when the job ends that holds the node
 * up to the time `ends`. If nobody knows that end, the present time counts. */
static int is_kept_away(const struct columns *k, uint32_t own, uint32_t node, int64_t ends,
                        struct kept_away *away) {
    int64_t now = (int64_t)meta(k, M_NOW), at = ends == LSCHED_NEVER_US || ends < now ? now : ends;
    if (!job_absence_bars(k, node, at, own)) return 0;
    if (away->first == node) {
        if (at < away->at) away->at = at;
        return 1;
    }
    away->others = away->first != NO_ROW;
    if (!away->others || name_before(k, C_NODE_NAME, node, away->first)) {
        away->first = node;
        away->at = at;
    }
    return 1;
}

/* Returns the job whose end would give room for a task of the waiting job `own` on the most nodes.
 * If consecutive tasks of a leaf group are on the same node, the node is counted once. */
static struct helper find_helper(const struct columns *k, uint32_t shape, uint32_t own,
                                 struct kept_away *away) {
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
                if (!node_is_usable(k, n, shape) || !fits_without(k, n, shape, j)) continue;
                enum task_end_why why;
                int64_t e = task_ends_first_at(k, t, &why);
                if (is_kept_away(k, own, n, e, away)) continue;
                h.nodes++;
                if (h.ends == LSCHED_NEVER_US || (e != LSCHED_NEVER_US && e > h.ends)) h.ends = e;
            }
        }
        if (h.nodes && helper_better(k, &h, &best)) best = h;
    }
    return best;
}

/* ---- nodes ---- */

struct node_counts explain_nodes_count(const struct columns *k, uint32_t shape, uint32_t kind) {
    struct node_counts m = {0, 0, 0, 0, 0};
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

/* Writes how much the nearest node lacks, such as " (the nearest lacks 2 cores at 14:15)". The
 * nearest node is the one with the smallest lack in its worst quarter-hour, among the nodes that
 * take new work. */
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
    text_put(o, " (the nearest lacks %s at %02u:%02u)", shown_amount(k, kind, least).text, at / 4,
             at % 4 * 15);
}

/* Writes how many nodes lack each resource kind, and the closest node, such as ": 1 lacks cores, 2
 * lack memory; n1 comes closest, with 4 of the 16 GiB memory free". */
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
    explain_shortage_put(k, near, o);
    text_put(o, " free");
    if (near->other & SHORT_PIECES)
        text_put(o, "%s: %s are idle in %u pieces of at most %s",
                 k->c[C_SHAPE_DEVICES].u32[shape] > 1 ? "" : " in one piece",
                 shown_amount(k, LSCHED_GPU, near->idle).text, near->pieces,
                 shown_number(LSCHED_GPU, near->largest).text);
    if (near->other & SHORT_DEVICES)
        text_put(o, ", and devices without the memory or streaming multiprocessors");
}

/* Writes which resource kinds the nodes lack. If `kind` is the only thing that each ready node
 * lacks, writes only the largest free amount of `kind`. */
static void put_lack(const struct columns *k, uint32_t shape, uint32_t kind,
                     const struct node_counts *m, struct text_out *o) {
    struct shortage near;
    uint32_t nodes[KINDS_MAX];
    explain_shortage_nearest(k, shape, DEVICE_NOW, 0, &near, nodes);
    if (near.node == NO_ROW) return;
    int one = nodes[kind] == m->ready && near.kinds == 1u << kind && near.other == 0 &&
              m->best < k->c[C_SHAPE_REQ + kind].i64[shape];
    if (!one) {
        put_each_kind(k, shape, &near, nodes, o);
        return;
    }
    text_put(o, " (at most %s free)", shown_amount(k, kind, m->best).text);
}

/* Writes the amount that a task needs on one node, such as "needs 8 GPUs on one node, linked by
 * NVLINK or better". */
static void put_request_of_task(const struct columns *k, uint32_t shape, uint32_t kind, int daily,
                                struct text_out *o) {
    text_put(o, daily ? "needs up to " : "needs ");
    put_task_need(k, shape, kind, o);
    if (daily) text_put(o, ", by the hour,");
    put_mig_instance(k, shape, o);
    text_put(o, " on one node");
    explain_machine_put_wishes(k, shape, o);
}

/* Writes how many nodes could hold the task, and how many of these have room now, such as "; 4
 * nodes can hold that (1 cordoned), none has room now". */
static void put_node_counts(const struct node_counts *m, struct text_out *o) {
    uint32_t cordoned = m->able - m->ready - m->drain;
    text_put(o, "; %u node%s can hold that", m->able, plural(m->able));
    if (cordoned && m->drain)
        text_put(o, " (%u cordoned, %u draining)", cordoned, m->drain);
    else if (cordoned || m->drain)
        text_put(o, " (%u %s)", cordoned + m->drain, m->drain ? "draining" : "cordoned");
    if (m->fit == 0)
        text_put(o, ", none has room now");
    else
        text_put(o, ", %u ha%s room now", m->fit, m->fit == 1 ? "s" : "ve");
}

/* Writes the job whose end would help most, such as "; 2 would after job x ends at 14:20". If an
 * absence keeps the job from each node that would have room, writes the first of these absences. */
static void put_helper(const struct columns *k, uint32_t shape, uint32_t own, struct text_out *o) {
    struct kept_away away = {NO_ROW, 0, 0};
    struct helper h = find_helper(k, shape, own, &away);
    int64_t now = (int64_t)meta(k, M_NOW);
    if (h.job == NO_ROW && away.first != NO_ROW) {
        text_put(o, "; ");
        explain_absence_put_node(k, away.first, away.at, o);
        if (away.others) text_put(o, ", and other nodes that could get room are reserved or leave");
    }
    if (h.job == NO_ROW) return;
    text_put(o, "; %u would after %s ends", h.nodes, shown_job(k, h.job).text);
    if (h.ends >= now) {
        put_time(o, h.ends, now);
        return;
    }
    text_put(o, ", which is %s over its %s", shown_span(now - h.ends).text,
             job_due(k, h.job) == h.ends ? "time limit" : "estimate");
}

int explain_nodes_put_too_large(const struct columns *k, uint32_t job, uint32_t shape,
                                struct text_out *o) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], 0), leaf = job_leaf(k, job, 0),
             most = k->c[C_GROUP_NODE_MAX].u32[row], need = k->c[C_GROUP_MIN].u32[row];
    uint64_t room = 0;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]] != 1) return 0;
    if (jobshape_chooses(k, k->c[C_JOB_SHAPE].u32[job])) return 0;
    if (leaf != NO_ROW)
        need -= need < k->c[C_LEAF_DONE].u32[leaf] ? need : k->c[C_LEAF_DONE].u32[leaf];
    for (uint32_t n = 0; n < table_rows(k, T_NODE) && room < need; n++) {
        if (!row_is_live(k, T_NODE, n) || !node_able(k, n, shape)) continue;
        uint32_t tasks = node_count_above(k, n, shape, DEVICE_EMPTY);
        room += most && most < tasks ? most : tasks;
    }
    if (room >= need) return 0;
    if (need == 1)
        text_put(o, "; even when empty, these nodes do not hold the task");
    else
        text_put(o,
                 "; even when empty, these nodes hold at most %" PRIu64
                 " of the %u tasks that must run at the same time",
                 room, need);
    return 1;
}

/* Writes which of the nodes that have room an absence keeps from the job, such as "; node n1 is
 * reserved for queue research until 12:00 (reservation night)". */
static void put_away(const struct columns *k, uint32_t shape, uint32_t job, struct text_out *o) {
    int64_t now = (int64_t)meta(k, M_NOW);
    uint32_t first = NO_ROW, nodes = 0;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape) || !job_absence_bars(k, n, now, job) ||
            !node_fits(k, n, shape))
            continue;
        nodes++;
        if (first == NO_ROW || name_before(k, C_NODE_NAME, n, first)) first = n;
    }
    if (first == NO_ROW) return;
    text_put(o, "; ");
    explain_absence_put_node(k, first, now, o);
    if (nodes > 1) text_put(o, ", and %u more of these nodes are reserved or leave", nodes - 1);
}

void explain_nodes_put_room(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), kind = w->kind;
    if (kind == 0 || kind >= meta(k, M_N_KINDS) || k->c[C_SHAPE_REQ + kind].i64[shape] == 0)
        /* the record's kind belongs to the shape of another task group */
        kind = shape_scarcest(k, shape);
    struct node_counts m = explain_nodes_count(k, shape, kind);
    int daily = daily_demand_row(k, C_SHAPE_DAY, shape, kind) != NO_ROW;
    put_request_of_task(k, shape, kind, daily, o);
    put_node_counts(&m, o);
    if (m.fit == 0 && daily)
        explain_nodes_put_nearest(k, shape, kind, o);
    else if (m.fit == 0)
        put_lack(k, shape, kind, &m, o);
    explain_rules_put_unwelcome(k, shape, o);
    put_away(k, shape, (uint32_t)w->job, o);
    int large = explain_nodes_put_too_large(k, (uint32_t)w->job, shape, o);
    if (m.fit) return;
    explain_mig_put_fixed(k, shape, o);
    if (large) return; /* the end of no job helps */
    put_helper(k, shape, (uint32_t)w->job, o);
}

/* ---- tasks that are overdue ---- */

struct stuck {
    int64_t amount[KINDS_MAX];
    uint32_t jobs, /* number of jobs with overdue tasks */
        job,       /* first of these jobs by name */
        node;      /* node with overdue tasks of `job`, the first by name */
};

static void add_stuck(const struct columns *k, uint32_t t, struct stuck *s) {
    uint32_t job = k->c[C_TASK_JOB].u32[t], node = k->c[C_TASK_NODE].u32[t];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) s->amount[r] += task_amount(k, t, r);
    s->jobs += s->job != job;
    if (job == s->job ? !name_before(k, C_NODE_NAME, node, s->node)
                      : !name_before(k, C_JOB_NAME, job, s->job))
        return;
    s->job = job;
    s->node = node;
}

/* Sums the amounts that overdue releasing tasks hold on nodes that could hold a task of the
 * shape. */
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

void explain_nodes_put_stuck(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), kind = w->kind, n = (uint32_t)meta(k, M_N_KINDS);
    struct stuck s = find_stuck(k, shape);
    if (s.job == NO_ROW) return;
    if (kind == 0 || kind >= n || s.amount[kind] == 0)
        for (kind = 1; kind < n && (s.amount[kind] == 0 || daily_demand_peak(k, shape, kind) == 0);)
            kind++;
    if (kind == n) return; /* the overdue tasks hold nothing that the job needs */
    text_put(o, "; %s %s held by tasks that were told to stop and are overdue (%s on %s%s)",
             shown_amount(k, kind, s.amount[kind]).text, is_or_are(kind, s.amount[kind]),
             shown_job(k, s.job).text, shown_node(k, s.node).text,
             s.jobs > 1 ? ", and others" : "");
}

/* ---- queues that hold the room ---- */

enum { HOLDERS_SHOWN = 3 };

struct held {
    int64_t total, idle;
    int64_t overdue; /* amount held by tasks whose release time has passed */
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
            (by_queue[q] == by_queue[best] && name_before(k, C_QUEUE_NAME, q, best)))
            best = q;
    }
    return best;
}

static void put_holders(const struct explain *e, int64_t *by_queue) {
    int64_t rest = 0;
    uint32_t q, shown = 0;
    while ((q = largest(e->k, by_queue)) != NO_ROW) {
        if (shown++ < HOLDERS_SHOWN)
            text_put(e->o, "%s %s holds %s", shown > 1 ? "," : ":", shown_queue(e->k, q).text,
                     shown_number(e->kind, by_queue[q]).text);
        else
            rest += by_queue[q];
        by_queue[q] = 0;
    }
    if (rest) text_put(e->o, ", others hold %s", shown_number(e->kind, rest).text);
    text_put(e->o, shown ? ", " : ": ");
}

int32_t explain_nodes_holders(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t rows = table_rows(k, T_QUEUE);
    int64_t *by_queue = alloc_zero(k->alloc, rows * sizeof *by_queue);
    if (!by_queue) return LSCHED_E_NOMEM;
    struct held h = held_by_all(e, waiting_shape(k, &e->w), by_queue);
    if (h.total > 0) {
        PUT_LINE(e->o, "held", "of %s on nodes that could hold it",
                 shown_amount(k, e->kind, h.total).text);
        put_holders(e, by_queue);
        text_put(e->o, "%s idle", shown_number(e->kind, h.idle).text);
        if (h.overdue) {
            text_put(e->o, "; %s are held by tasks that were told to stop and are overdue",
                     shown_number(e->kind, h.overdue).text);
        }
        text_put(e->o, "\n");
    }
    alloc_free(k->alloc, by_queue, rows * sizeof *by_queue);
    return LSCHED_OK;
}
