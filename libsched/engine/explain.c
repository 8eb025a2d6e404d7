/* explain.c -- see explain.h. */
#include "engine/explain.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/plan.h"
#include "model/derived.h"
#include "model/domain.h"
#include "model/job.h"
#include "model/node.h"
#include "model/task.h"

void text_put(struct text_out *o, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    size_t room = o->n < o->cap ? o->cap - o->n : 0;
    int n = vsnprintf(room ? o->p + o->n : NULL, room, format, ap);
    va_end(ap);
    if (n > 0) o->n += (size_t)n;
}

static void put_name(const struct columns *k, struct text_out *o, uint32_t text) {
    text_put(o, "%.*s", (int)text_len(k, text), (const char *)text_bytes(k, text));
}

/* 1500 milli-cores: "1.5 cores"; 8000 milli-GPU: "8 GPUs"; bytes in GiB or MiB. */
static void put_amount(const struct columns *k, struct text_out *o, uint32_t kind, int64_t v) {
    if (kind == LSCHED_MEMORY) {
        int gib = v % (1 << 30) == 0 || v >= (int64_t)10 << 30;
        int64_t unit = gib ? 1 << 30 : 1 << 20, tenth = (v % unit) * 10 / unit;
        text_put(o, "%" PRId64, v / unit);
        if (tenth) text_put(o, ".%" PRId64, tenth);
        text_put(o, gib ? " GiB memory" : " MiB memory");
        return;
    }
    int is_device = kind == LSCHED_GPU || kind_is_derived(k, kind);
    if (kind != LSCHED_CPU && !is_device) {
        text_put(o, "%" PRId64 " ", v);
        put_name(k, o, k->c[C_KIND_NAME].u32[kind]);
        return;
    }
    int64_t whole = v / 1000, milli = v % 1000 < 0 ? -(v % 1000) : v % 1000;
    text_put(o, "%" PRId64, whole);
    if (milli) {
        char digits[8];
        int n = snprintf(digits, sizeof digits, "%03" PRId64, milli);
        while (n > 1 && digits[n - 1] == '0') digits[--n] = 0;
        text_put(o, ".%s", digits);
    }
    if (kind != LSCHED_CPU && kind != LSCHED_GPU) { /* "16 gpu:H100" */
        text_put(o, " ");
        put_name(k, o, kind_name(k, kind));
        return;
    }
    text_put(o, kind == LSCHED_CPU ? (v == 1000 ? " core" : " cores")
                                   : (v == 1000 ? " GPU" : " GPUs"));
}

/* ---- who would help ---- */

struct helper {
    uint32_t job;
    uint32_t nodes; /* that would have room after it ends */
    int64_t ends;   /* by its estimate, LSCHED_NEVER_US if unknown */
};

/* Would the node hold one task of the shape if all tasks of `job` left it: amounts, and devices one by one. */
static int fits_without(const struct columns *k, uint32_t node, uint32_t shape, uint32_t job) {
    int64_t free_amount[KINDS_MAX];
    uint32_t used[LSCHED_DEVICES_PER_NODE_MAX] = {0}, need = k->c[C_SHAPE_DEVICES].u32[shape],
             good = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        free_amount[r] = k->c[C_NODE_FREE + r].i64[node];
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t s = task_shape(k, t);
        if (k->c[C_TASK_JOB].u32[t] == job) {
            for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
                free_amount[r] += k->c[C_SHAPE_REQ + r].i64[s];
            continue;
        }
        for (uint32_t m = k->c[C_TASK_MASK].u16[t]; m; m &= m - 1)
            used[__builtin_ctz(m)] += k->c[C_SHAPE_DEVICE_MILLI].u32[s];
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_SHAPE_REQ + r].i64[shape] > free_amount[r]) return 0;
    for (uint32_t d = 0; d < k->c[C_NODE_N_DEVICES].u8[node]; d++)
        good += used[d] + k->c[C_SHAPE_DEVICE_MILLI].u32[shape] <= 1000;
    return good >= need;
}

static int64_t job_ends(const struct columns *k, uint32_t job, uint32_t task) {
    int64_t d = k->c[C_JOB_DURATION].i64[job], start = k->c[C_TASK_START].i64[task];
    return d && start <= LSCHED_AMOUNT_MAX ? start + d : LSCHED_NEVER_US;
}

static int helper_better(const struct columns *k, const struct helper *a, const struct helper *b) {
    if (b->job == NO_ROW) return 1;
    if (a->nodes != b->nodes) return a->nodes > b->nodes;
    if (a->ends != b->ends) return a->ends < b->ends;
    return text_compare(k, k->c[C_JOB_NAME].u32[a->job], k->c[C_JOB_NAME].u32[b->job]) < 0;
}

/* The one running job whose end would give room on most nodes. Each job is counted once, at its first task on the first such node. */
static struct helper find_helper(const struct columns *k, uint32_t shape) {
    struct helper best = {NO_ROW, 0, LSCHED_NEVER_US};
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW) continue;
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

struct room {
    uint32_t able, ready, fit;
    int64_t best; /* most free of the kind on an able, ready node */
};

static struct room look_at_nodes(const struct columns *k, uint32_t shape, uint32_t kind) {
    struct room m = {0, 0, 0, 0};
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || !node_able(k, n, shape)) continue;
        m.able++;
        if (k->c[C_NODE_STATE].u8[n] != LSCHED_NODE_READY) continue;
        m.ready++;
        m.fit += (uint32_t)node_fits(k, n, shape);
        if (kind && k->c[C_NODE_FREE + kind].i64[n] > m.best)
            m.best = k->c[C_NODE_FREE + kind].i64[n];
    }
    return m;
}

static void put_time(struct text_out *o, int64_t us, int64_t now) {
    if (us == LSCHED_NEVER_US) return;
    int64_t s = us > now ? (us - now + 999999) / 1000000 : 0;
    if (s >= 7200)
        text_put(o, " in %" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
    else if (s >= 120)
        text_put(o, " in %" PRId64 " min", s / 60);
    else
        text_put(o, " in %" PRId64 " s", s);
}

static uint32_t waiting_shape(const struct columns *k, const lsched_waiting *w) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[(uint32_t)w->job],
             n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape], g = w->task_group;
    while (g < n && group_shape(k, jobshape, g) == NO_ROW) g++;
    return group_shape(k, jobshape, g < n ? g : 0);
}

static void put_room(const struct columns *k, const lsched_waiting *w, int64_t now,
                     struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), kind = w->kind;
    while (kind == 0 || (kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + kind].i64[shape] == 0))
        kind++;
    struct room m = look_at_nodes(k, shape, kind);
    text_put(o, "needs ");
    put_amount(k, o, kind, k->c[C_SHAPE_REQ + kind].i64[shape]);
    text_put(o, " on one node; %u node%s can hold that", m.able, m.able == 1 ? "" : "s");
    if (m.ready < m.able) text_put(o, " (%u cordoned)", m.able - m.ready);
    if (m.fit == 0)
        text_put(o, ", none has room now");
    else
        text_put(o, ", %u ha%s room now", m.fit, m.fit == 1 ? "s" : "ve");
    if (m.fit == 0 && m.best < k->c[C_SHAPE_REQ + kind].i64[shape]) {
        text_put(o, " (at most ");
        put_amount(k, o, kind, m.best);
        text_put(o, " free)");
    }
    if (m.fit) return;
    struct helper h = find_helper(k, shape);
    if (h.job == NO_ROW) return;
    text_put(o, "; %u would after ", h.nodes);
    put_name(k, o, k->c[C_JOB_NAME].u32[h.job]);
    text_put(o, " ends");
    put_time(o, h.ends, now);
}

static void put_limit(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t q = (uint32_t)w->limiting_queue;
    struct derived_amount a = {.used = 0};
    if (kind_is_derived(k, w->kind)) {
        a = derived_get(k, q, w->kind);
    } else {
        a.limit = k->c[C_QUEUE_LIMIT + w->kind].i64[q];
        a.used = k->c[C_QUEUE_USED + w->kind].i64[q];
    }
    text_put(o, "queue ");
    put_name(k, o, k->c[C_QUEUE_NAME].u32[q]);
    text_put(o, " may use ");
    put_amount(k, o, w->kind, a.limit);
    text_put(o, " and uses ");
    put_amount(k, o, w->kind, a.used);
    text_put(o, "; the job needs ");
    put_amount(k, o, w->kind, w->need);
    text_put(o, " more");
}

static void put_never(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "no node could hold a task even when empty: it needs ");
    put_amount(k, o, w->kind, w->need);
    text_put(o, " on one node");
    uint32_t shape = waiting_shape(k, w);
    if (k->c[C_SHAPE_N_MODELS].u32[shape]) text_put(o, " with a device model that it allows");
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    if (milli > 0 && milli < 1000) text_put(o, " that tasks may share");
    if (k->c[C_SHAPE_N_SELECTORS].u32[shape]) text_put(o, " with the labels that it selects");
}

/* Room for one more says nothing here: the gang needs its minimum at once. */
static void put_gang(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t shape = waiting_shape(k, w);
    struct room m = look_at_nodes(k, shape, w->kind);
    text_put(o, "%" PRId64 " of the %" PRId64 " members that must start together fit; each needs ",
             w->have, w->need);
    put_amount(k, o, w->kind, k->c[C_SHAPE_REQ + w->kind].i64[shape]);
    text_put(o, " on one node, which %u node%s can hold when empty", m.able,
             m.able == 1 ? "" : "s");
}

/* "at most 1 task of the group in one rack: 2 of the 3 needed are placed; a task ". */
static void put_spread(const struct columns *k, const lsched_waiting *w, uint32_t row,
                       struct text_out *o) {
    lsched_text key =
        topology_level_key(k, k->c[C_GROUP_TOPOLOGY].u32[row], k->c[C_GROUP_SPREAD].u32[row]);
    uint32_t max = k->c[C_GROUP_SPREAD_MAX].u32[row];
    text_put(o, "at most %u task%s of the group may be in one %.*s: ", max, max == 1 ? "" : "s",
             (int)key.len, key.ptr);
    text_put(o, "%" PRId64 " of the %" PRId64 " needed find a place; a task ", w->have, w->need);
}

/* "no rack has room for 32 tasks at once; a task ". */
static void put_level(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[(uint32_t)w->job], g = w->task_group;
    uint32_t tree = NO_ROW, level = NO_ROW;
    if (w->have >= 0 && k->c[C_GROUP_SPREAD].u32[group_row(k, jobshape, g)] != NO_ROW) {
        put_spread(k, w, group_row(k, jobshape, g), o);
        return;
    }
    for (;; g = k->c[C_GROUP_PARENT]
                    .u32[group_row(k, jobshape, g)]) { /* the wish may stand at a group above */
        uint32_t row = group_row(k, jobshape, g);
        tree = k->c[C_GROUP_TOPOLOGY].u32[row];
        level = k->c[C_GROUP_REQUIRED].u32[row];
        if (level != NO_ROW || g == 0) break;
    }
    if (level == NO_ROW) {
        text_put(o, "no domain has room for the group; a task ");
        return;
    }
    lsched_text key = topology_level_key(k, tree, level);
    text_put(o, "no %.*s has room for ", (int)key.len, key.ptr);
    if (w->need > 1)
        text_put(o, "%" PRId64 " tasks at once; a task ", w->need);
    else
        text_put(o, "the group; a task ");
}

static int waiting_is_live(const struct columns *k, const lsched_waiting *w) {
    uint32_t j = (uint32_t)w->job, q = (uint32_t)w->queue;
    if (!row_is_live(k, T_JOB, j) || !row_is_live(k, T_QUEUE, q)) return 0;
    if (id_make(k, LSCHED_KIND_JOB, j) != w->job || id_make(k, LSCHED_KIND_QUEUE, q) != w->queue)
        return 0;
    if (w->code == LSCHED_WAIT_LIMIT && !row_is_live(k, T_QUEUE, (uint32_t)w->limiting_queue))
        return 0;
    return w->kind < meta(k, M_N_KINDS) ||
           (w->code == LSCHED_WAIT_LIMIT && kind_is_derived(k, w->kind));
}

void explain_waiting(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (!waiting_is_live(k, w)) {
        text_put(o, "what it speaks of is gone");
        return;
    }
    uint32_t reason = k->c[C_JOB_REASON].u32[(uint32_t)w->job];
    int64_t now = (int64_t)meta(k, M_NOW);
    switch (w->code) {
    case LSCHED_WAIT_ROOM: put_room(k, w, now, o); break;
    case LSCHED_WAIT_NEVER_FITS: put_never(k, w, o); break;
    case LSCHED_WAIT_GANG: put_gang(k, w, o); break;
    case LSCHED_WAIT_LIMIT: put_limit(k, w, o); break;
    case LSCHED_WAIT_ADMIT:
    case LSCHED_WAIT_POLICY:
        text_put(o, w->code == LSCHED_WAIT_ADMIT ? "not admitted by the policy"
                                                 : "the policy failed, and this hook fails closed");
        if (reason != NO_ROW) text_put(o, ": ");
        if (reason != NO_ROW) put_name(k, o, intern_text(k, T_STRING, reason));
        break;
    case LSCHED_WAIT_FILTER:
        text_put(o, "the policy's filter left none of the %" PRIu64 " nodes that could hold it",
                 w->nodes_able);
        break;
    case LSCHED_WAIT_BUDGET:
        text_put(o, w->need ? "it alone needs more than the whole budget or bound of a cycle"
                            : "its turn has not come: the cycle's budget was spent first");
        break;
    case LSCHED_WAIT_TOPOLOGY:
        put_level(k, w, o);
        put_room(k, w, now, o);
        break;
    case LSCHED_WAIT_BACKOFF:
        text_put(o, "failed %" PRId64 " time%s; it is tried again", w->have, w->have == 1 ? "" : "s");
        put_time(o, w->until_us, now);
        break;
    case LSCHED_WAIT_LEAVING:
        text_put(o, "its old tasks are still stopping; they should be gone");
        put_time(o, w->until_us, now);
        break;
    case LSCHED_WAIT_NOMINATED:
        text_put(o, "its place is being released; it should be free");
        put_time(o, w->until_us, now);
        break;
    case LSCHED_WAIT_RETRIES:
        text_put(o, "failed %" PRId64 " times, and may be tried again after %" PRId64
                    " failure%s; a new priority begins the count anew",
                 w->have, w->need, w->need == 1 ? "" : "s");
        break;
    default: text_put(o, "waits for the next cycle"); break;
    }
}

/* When the last of what a job leaves behind should be gone, or of what its claims wait for; LSCHED_NEVER_US without any. */
static int64_t last_release(const struct columns *k, uint32_t job, int claims) {
    int64_t last = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[claims ? C_LEAF_TASK_FIRST : C_LEAF_LEAVING_FIRST].u32[l];
             t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            if (claims && k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED) continue;
            int64_t at = !claims       ? k->c[C_TASK_RELEASE_AT].i64[t]
                         : d == NO_ROW ? 0
                                       : k->c[C_DECISION_AT].i64[d];
            if (at > last) last = at;
        }
    return last ? last : LSCHED_NEVER_US;
}

static uint32_t nominated(const struct columns *k, uint32_t job) {
    uint32_t n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        n += k->c[C_LEAF_NOMINATED].u32[l];
    return n;
}

/* A job that stands in no line: not admitted, or it has all that it can have for now. */
static void waiting_outside(const struct columns *k, uint32_t job, lsched_waiting *w) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    int claims = nominated(k, job) > 0;
    w->jobs = 1;
    w->until_us = LSCHED_NEVER_US;
    w->queue = id_make(k, LSCHED_KIND_QUEUE, k->c[C_JOB_QUEUE].u32[job]);
    if (phase == JOB_REFUSED)
        w->code = k->c[C_JOB_FLAGS].u8[job] & JOB_HOOK_FAILED ? LSCHED_WAIT_POLICY
                                                              : LSCHED_WAIT_ADMIT;
    else if (claims || phase == JOB_LEAVING) {
        w->code = claims ? LSCHED_WAIT_NOMINATED : LSCHED_WAIT_LEAVING;
        w->until_us = last_release(k, job, claims);
    }
}

/* The live record of a job that waits. */
static void waiting_of_job(const struct columns *k, uint32_t job, lsched_waiting *w) {
    uint8_t phase = k->c[C_JOB_PHASE].u8[job];
    memset(w, 0, sizeof *w);
    if (phase == JOB_QUEUED) {
        waiting_of_bundle(k, k->c[C_JOB_BUNDLE].u32[job], w);
        if (k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[job]] == BUNDLE_ACTIVE)
            w->code = LSCHED_WAIT_NONE; /* it stands in line */
    } else {
        waiting_outside(k, job, w);
    }
    w->size = sizeof *w;
    w->job = id_make(k, LSCHED_KIND_JOB, job);
}

static void put_shape(const struct columns *k, uint32_t job, struct text_out *o) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape],
             said = 0;
    for (uint32_t g = 0; g < n; g++) {
        uint32_t shape = group_shape(k, jobshape, g),
                 max = k->c[C_GROUP_MAX].u32[group_row(k, jobshape, g)];
        if (shape == NO_ROW) continue;
        text_put(o, "%s%u task%s x ", said++ ? ", " : "", max, max == 1 ? "" : "s");
        uint32_t kind = k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape] ? LSCHED_GPU : LSCHED_CPU;
        while (kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + kind].i64[shape] == 0) kind++;
        put_amount(k, o, kind, k->c[C_SHAPE_REQ + kind].i64[shape]);
    }
    uint32_t min = k->c[C_JOBSHAPE_TASKS_MIN].u32[jobshape],
             all = k->c[C_JOBSHAPE_TASKS].u32[jobshape];
    if (min > 1) text_put(o, min == all ? ", gang" : ", gang of at least %u", min);
}

static void put_task(const struct columns *k, uint32_t task, struct text_out *o) {
    static const char *const states[] = {"waits",     "proposed", "confirmed", "runs",
                                         "releasing", "done",     "nominated"};
    text_put(o, "  task %-6u %s on ", k->c[C_TASK_INDEX].u32[task],
             states[k->c[C_TASK_STATE].u8[task]]);
    put_name(k, o, k->c[C_NODE_NAME].u32[k->c[C_TASK_NODE].u32[task]]);
    if (k->c[C_TASK_MASK].u16[task]) text_put(o, " devices");
    for (uint32_t m = k->c[C_TASK_MASK].u16[task]; m; m &= m - 1)
        text_put(o, " %d", __builtin_ctz(m));
    text_put(o, "\n");
}

/* Where its tasks are, and what it has not left yet. */
static void put_placed(const struct columns *k, uint32_t job, struct text_out *o) {
    static const uint16_t lists[] = {C_LEAF_TASK_FIRST, C_LEAF_LEAVING_FIRST};
    uint32_t shown = 0, more = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (int i = 0; i < 2; i++)
            for (uint32_t t = k->c[lists[i]].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t]) {
                if (k->c[C_TASK_NODE].u32[t] == NO_ROW) continue;
                if (++shown > 8)
                    more++;
                else
                    put_task(k, t, o);
            }
    if (more) text_put(o, "  and %u more\n", more);
}

/* What the queue and its ancestors use, are guaranteed and may use, of the kind that the job is about. */
static void put_queues(const struct columns *k, uint32_t job, struct text_out *o) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], g = 0, kind = LSCHED_GPU;
    while (group_shape(k, jobshape, g) == NO_ROW) g++;
    uint32_t shape = group_shape(k, jobshape, g);
    if (k->c[C_SHAPE_REQ + kind].i64[shape] == 0)
        for (kind = LSCHED_CPU;
             kind + 1 < meta(k, M_N_KINDS) && k->c[C_SHAPE_REQ + kind].i64[shape] == 0;)
            kind++;
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        int64_t quota = k->c[C_QUEUE_QUOTA_NOW + kind].i64[q],
                limit = k->c[C_QUEUE_LIMIT + kind].i64[q];
        text_put(o, "  queue       ");
        put_name(k, o, k->c[C_QUEUE_NAME].u32[q]);
        text_put(o, " uses ");
        put_amount(k, o, kind, k->c[C_QUEUE_USED + kind].i64[q]);
        if (quota) text_put(o, ", is guaranteed ");
        if (quota == LSCHED_UNLIMITED)
            text_put(o, "all");
        else if (quota)
            put_amount(k, o, kind, quota);
        text_put(o, limit == LSCHED_UNLIMITED ? ", has no limit\n" : ", may use ");
        if (limit == LSCHED_UNLIMITED) continue;
        put_amount(k, o, kind, limit);
        text_put(o, "\n");
    }
}

void explain_job(const struct columns *k, uint32_t job, int64_t now, struct text_out *o,
                 lsched_waiting *record) {
    lsched_waiting w;
    struct job_counts n = job_count(k, job);
    uint32_t wanted = k->c[C_JOBSHAPE_TASKS].u32[k->c[C_JOB_SHAPE].u32[job]],
             q = k->c[C_JOB_QUEUE].u32[job];
    (void)now;
    waiting_of_job(k, job, &w);
    put_name(k, o, k->c[C_JOB_NAME].u32[job]);
    text_put(o,
             n.placed + n.done == 0 || w.code == LSCHED_WAIT_NOMINATED ? " waits"
             : n.placed + n.done < wanted ? " has %u of %u tasks placed"
                                          : " is placed",
             n.placed + n.done, wanted);
    text_put(o, " (");
    put_name(k, o, k->c[C_QUEUE_NAME].u32[q]);
    text_put(o, ", priority %d, ", k->c[C_JOB_PRIORITY].i32[job]);
    put_shape(k, job, o);
    text_put(o, ").\n");
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW && k->c[C_COST_STALE_SINCE].i64[cost] != LSCHED_NEVER_US)
        text_put(o, "  gang        runs below its minimum\n");
    put_placed(k, job, o);
    if (n.placed + n.done < wanted || w.code == LSCHED_WAIT_NOMINATED) {
        text_put(o, "  waits       ");
        explain_waiting(k, &w, o);
        text_put(o, "\n");
    }
    put_queues(k, job, o);
    if (record) *record = w;
}
