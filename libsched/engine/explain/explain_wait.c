/* explain_wait.c -- writes for each LSCHED_WAIT_* code why a job waits; explain_parts.h. The text
 * is one line, which tables of plans show, too. */
#include "engine/explain/explain_fresh.h"
#include "engine/explain/explain_names.h"
#include "engine/explain/explain_parts.h"
#include "engine/waits/refused.h"
#include "engine/explain/explain_short.h"
#include "model/devices/resource_part.h"
#include "model/shapes/domain.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/store/timer.h"
#include "model/jobs/job_limits.h"

/* Writes that the policy's hook sets the limit, and until when, if that is so. */
static void put_limit_hook(const struct lsched_cluster *c, const lsched_waiting *w,
                           struct text_out *o) {
    const struct columns *k = &c->k;
    const struct policy *p = &c->policy.policy;
    uint32_t q = (uint32_t)w->limiting_queue;
    int64_t until = LSCHED_NEVER_US, now = (int64_t)meta(k, M_NOW);
    if (!p->ops || !(p->desc.hooks & LSCHED_HOOK_LIMIT) || kind_is_part(k, w->kind)) return;
    if (k->c[C_QUEUE_LIMIT_NOW + w->kind].i64[q] == k->c[C_QUEUE_LIMIT + w->kind].i64[q]) return;
    text_put(o, "; the policy's hook limit");
    put_hook_line(c, POLICY_HOOK_LIMIT, o);
    text_put(o, " sets that limit");
    for (uint32_t t = 0; t < timer_count(k); t++)
        if (k->c[C_TIMER_REF].u32[t] == q && k->c[C_TIMER_AT].i64[t] > now &&
            k->c[C_TIMER_AT].i64[t] < until)
            until = k->c[C_TIMER_AT].i64[t];
    if (until == LSCHED_NEVER_US) return;
    text_put(o, ", until ");
    put_moment(o, until, now);
}

static void put_limit(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    uint32_t q = (uint32_t)w->limiting_queue;
    struct resource_part_amount a = {.used = 0};
    if (kind_is_part(k, w->kind)) {
        a = resource_part_get(k, q, w->kind);
    } else {
        a.limit_now = k->c[C_QUEUE_LIMIT_NOW + w->kind].i64[q];
        a.used = k->c[C_QUEUE_USED + w->kind].i64[q];
    }
    text_put(o, "queue ");
    put_queue(k, o, q);
    text_put(o, " may use ");
    put_amount(k, o, w->kind, a.limit_now);
    text_put(o, " and uses ");
    put_amount(k, o, w->kind, a.used);
    text_put(o, "; the job needs ");
    put_amount(k, o, w->kind, w->need);
    text_put(o, " more");
    put_limit_hook(c, w, o);
}

/* Writes which node comes closest to holding a task, and how much it has of each resource kind
 * that is short. */
static void put_closest(const struct columns *k, const struct shortage *s, struct text_out *o) {
    if (s->node == NO_ROW) {
        text_put(o, "; there is no node");
        return;
    }
    if (s->kinds == 0) return;
    text_put(o, "; ");
    put_name(k, o, k->c[C_NODE_NAME].u32[s->node]);
    text_put(o, " comes closest, with ");
    put_short(k, s, o);
}

static void explain_wait_put_never(const struct columns *k, const lsched_waiting *w,
                                   struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), said = 0;
    struct shortage s;
    explain_short_nearest(k, shape, DEVICE_EMPTY, 0, &s, NULL);
    text_put(o, "no node could hold a task even when empty: it needs ");
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        if (!(s.kinds >> r & 1)) continue;
        text_put(o, said++ ? " and " : "");
        if (r == LSCHED_GPU)
            put_task_need(k, shape, r, o);
        else
            put_amount(k, o, r, s.need[r]);
    }
    if (!said) put_amount(k, o, w->kind, w->need);
    text_put(o, " on one node");
    put_models_missing(k, shape, o);
    uint32_t picky = k->c[C_SHAPE_PICKY].u8[shape];
    if (k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW || (picky & PICKY_MATCH))
        text_put(o, ", of devices that its claim takes");
    put_together(k, shape, o);
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) {
        text_put(o, " as a MIG instance ");
        put_name(k, o, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape]));
    } else if (milli > 0 && milli < 1000) {
        text_put(o, " that tasks may share");
    }
    put_never_recut(k, shape, o);
    put_labels_missing(k, shape, s.node, o);
    put_closest(k, &s, o);
    put_unwelcome(k, shape, o);
}

/* Writes the text for a gang. A gang below its minimum needs room for all missing tasks at once; a
 * gang with its minimum needs room for one more task. */
static void put_gang(const struct columns *k, const lsched_waiting *w, int64_t now,
                     struct text_out *o) {
    if (job_satisfied(k, (uint32_t)w->job)) {
        text_put(o, job_stands(k, (uint32_t)w->job)
                        ? "it has its minimum; one more task "
                        : "it has claims for its minimum, which start when their room is free; one "
                          "more task ");
        put_room(k, w, now, o);
        return;
    }
    struct shortage s;
    uint32_t shape = waiting_shape(k, w), able = nodes_able(k, shape);
    explain_short_nearest(k, shape, DEVICE_NOW, 1, &s, NULL);
    text_put(o, "%" PRId64 " of the %" PRId64 " members that must start together fit; each needs ",
             w->have, w->need);
    put_task_need(k, shape, w->kind, o);
    text_put(o, " on one node");
    put_together(k, shape, o);
    text_put(o, ", which %u node%s can hold when empty", able, plural(able));
    if (s.node == NO_ROW || (s.kinds & ~(1u << w->kind)) == 0) return;
    text_put(o, "; for one more ");
    put_name(k, o, k->c[C_NODE_NAME].u32[s.node]);
    text_put(o, " comes closest, with ");
    put_short(k, &s, o);
    text_put(o, " free");
}

/* Writes "at most 1 task of the group in one rack: 2 of the 3 needed are placed; a task ". */
static void put_spread(const struct columns *k, const lsched_waiting *w, uint32_t row,
                       struct text_out *o) {
    lsched_text key =
        topology_level_key(k, k->c[C_GROUP_TOPOLOGY].u32[row], k->c[C_GROUP_SPREAD].u32[row]);
    uint32_t max = k->c[C_GROUP_SPREAD_MAX].u32[row];
    text_put(o, "at most %u task%s of the group may be in one %s: ", max, max == 1 ? "" : "s",
             shown(key).text);
    text_put(o, "%" PRId64 " of the %" PRId64 " needed find a place; a task ", w->have, w->need);
}

static void put_level(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[(uint32_t)w->job], w->task_group);
    if (w->have >= 0 && k->c[C_GROUP_SPREAD].u32[row] != NO_ROW)
        put_spread(k, w, row, o);
    else
        put_places(k, w, o);
}

/* ---- limits, guarantees and lending of queues ---- */

static void put_limiting(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (w->limiting_queue)
        put_queue(k, o, (uint32_t)w->limiting_queue);
    else
        text_put(o, "a queue");
}

static void put_quota(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "it is not preemptible, so its minimum must fit the guarantee: that of ");
    put_limiting(k, w, o);
    text_put(o, " leaves ");
    put_amount(k, o, w->kind, w->have > 0 ? w->have : 0);
    text_put(o, " for such work, and it needs ");
    put_number(o, w->kind, w->need);
}

static void put_jobs(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "queue ");
    put_limiting(k, w, o);
    text_put(o, " has %" PRId64 " job%s that hold%s tasks, and may have %" PRId64, w->need - 1,
             plural((uint64_t)w->need - 1), w->need == 2 ? "s" : "", w->have);
}

static void put_lending(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "what is idle is kept for its owners, most of it for ");
    put_limiting(k, w, o);
    text_put(o, ": they lend ");
    put_amount(k, o, w->kind, w->have);
    text_put(o, " more, and it needs ");
    put_number(o, w->kind, w->need);
}

static void put_backoff(const lsched_waiting *w, int64_t now, struct text_out *o) {
    if (w->have > 0)
        text_put(o, "failed %" PRId64 " time%s; it is tried again", w->have,
                 plural((uint64_t)w->have));
    else
        text_put(o, "was shrunk to make room for others, and grows again when its minimum run time"
                    " is over,");
    put_time(o, w->until_us, now);
}

/* Writes that the job waits because its own old tasks, or tasks of other jobs in the place for
 * which it is nominated, are still releasing. */
static void put_claim(const struct columns *k, const lsched_waiting *w, int64_t now,
                      struct text_out *o) {
    int late = w->until_us < now, due = w->until_us == now;
    const char *it = w->code == LSCHED_WAIT_LEAVING ? "its old tasks are still stopping; they"
                     : job_releasing(k, (uint32_t)w->job) > 0 ? "it moves: what it leaves"
                                                              : "its place is being released; it";
    text_put(o, late ? "%s should have been " : "%s should be ", it);
    text_put(o, w->code == LSCHED_WAIT_NOMINATED && !job_releasing(k, (uint32_t)w->job) ? "free"
                                                                                        : "gone");
    if (late || due)
        text_put(o, late ? " by now" : " now");
    else
        put_time(o, w->until_us, now);
    if (w->code == LSCHED_WAIT_LEAVING && job_held(k, (uint32_t)w->job))
        text_put(o, "; then it is held");
}

/* Writes "planned for 14:20 on node n3, when job x ends", or that a place now would delay planned
 * jobs. */
static void put_planned(const struct columns *k, const lsched_waiting *w, int64_t now,
                        struct text_out *o) {
    uint32_t node = (uint32_t)w->plan_node, job = (uint32_t)w->plan_job;
    if (w->plan_node == 0 || !row_is_live(k, T_NODE, node) ||
        id_make(k, LSCHED_KIND_NODE, node) != w->plan_node) {
        text_put(o, w->plan_node ? "planned for a node that is gone; it is planned anew"
                                 : "a place now would delay jobs before it; it is planned anew");
        if (w->plan_node == 0) put_time(o, w->until_us, now);
        return;
    }
    text_put(o, "planned for ");
    put_moment(o, w->until_us, now);
    text_put(o, " on node ");
    put_name(k, o, k->c[C_NODE_NAME].u32[node]);
    if (w->plan_job == 0 || !row_is_live(k, T_JOB, job) ||
        id_make(k, LSCHED_KIND_JOB, job) != w->plan_job)
        return;
    text_put(o, ", when ");
    put_job(k, o, job);
    text_put(o, " ends");
}

static void explain_wait_put_held(const struct columns *k, uint32_t job, struct text_out *o) {
    int64_t us = job_held(k, job) ? k->c[C_COST_HELD_US].i64[k->c[C_JOB_COST].u32[job]] : 0;
    text_put(o, job_held(k, job) == LSCHED_HELD_IDLE
                    ? "held: was idle for "
                    : "held: ran for longer than its time limit of ");
    put_span(o, us);
    text_put(o, "; a new priority lets it start again");
}

static void put_refused(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t reason = k->c[C_JOB_REASON].u32[(uint32_t)w->job];
    text_put(o, w->code == LSCHED_WAIT_ADMIT ? "not admitted by the policy"
                                             : "the policy failed, and this hook fails closed");
    if (reason == NO_ROW) return;
    text_put(o, ": ");
    put_name(k, o, intern_text(k, T_STRING, reason));
}

/* ---- all codes ---- */

static int queue_is_live(const struct columns *k, lsched_id id) {
    uint32_t q = (uint32_t)id;
    return row_is_live(k, T_QUEUE, q) && id_make(k, LSCHED_KIND_QUEUE, q) == id;
}

enum { BOUND_SHOWN = 1 << 30 }; /* a bound of this size or more is not shown */

static void put_budget(const lsched_waiting *w, struct text_out *o) {
    if (w->need == 0) {
        text_put(o, "its turn has not come: the cycle's budget was spent first; the next goes on");
        return;
    }
    if (w->have == INT64_MAX) { /* set by step_aside in place_calls.c */
        text_put(o,
                 "interrupts ended several cycles in a row while they tried it; the next refresh "
                 "tries it again");
        return;
    }
    text_put(o, "it alone needs more than a whole cycle had");
    if (w->need < BOUND_SHOWN) text_put(o, ", %" PRId64 " units of work", w->need);
    if (w->have > 0 && w->have < BOUND_SHOWN)
        text_put(o, "%s %" PRId64 " decisions", w->need < BOUND_SHOWN ? " and" : ",", w->have);
}

static int waiting_is_live(const struct columns *k, const lsched_waiting *w) {
    uint32_t j = (uint32_t)w->job;
    if (!row_is_live(k, T_JOB, j) || id_make(k, LSCHED_KIND_JOB, j) != w->job ||
        !queue_is_live(k, w->queue))
        return 0;
    if (w->limiting_queue || w->code == LSCHED_WAIT_LIMIT) {
        if (!queue_is_live(k, w->limiting_queue)) return 0;
    }
    if (w->evict_queue && !queue_is_live(k, w->evict_queue)) return 0;
    if (w->task_group >= k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[j]] ||
        w->evict_kind >= meta(k, M_N_KINDS))
        return 0;
    return w->kind < meta(k, M_N_KINDS) ||
           (w->code == LSCHED_WAIT_LIMIT && kind_is_part(k, w->kind));
}

/* Writes that the policy's filter left no node, with the first node by name that has room as an
 * example. */
static void put_filter(const struct lsched_cluster *c, const lsched_waiting *w,
                       struct text_out *o) {
    const struct columns *k = &c->k;
    uint32_t shape = waiting_shape(k, w), first = NO_ROW;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
        if (row_is_live(k, T_NODE, n) && k->c[C_NODE_STATE].u8[n] == LSCHED_NODE_READY &&
            node_able(k, n, shape) && node_fits(k, n, shape) &&
            (first == NO_ROW ||
             text_compare(k, k->c[C_NODE_NAME].u32[n], k->c[C_NODE_NAME].u32[first]) < 0))
            first = n;
    text_put(o, "the policy's filter");
    put_hook_line(c, POLICY_HOOK_FILTER, o);
    if (first == NO_ROW) {
        text_put(o,
                 " left none of the nodes that had room when it was tried; %" PRIu64
                 " could hold it, none has room now",
                 w->nodes_able);
        return;
    }
    text_put(o, " left none of the nodes that have room, such as ");
    put_name(k, o, k->c[C_NODE_NAME].u32[first]);
    text_put(o, "; %" PRIu64 " could hold it", w->nodes_able);
}

static void put_nodes(const struct lsched_cluster *c, const lsched_waiting *w, int64_t now,
                      struct text_out *o) {
    const struct columns *k = &c->k;
    switch (w->code) {
    case LSCHED_WAIT_ROOM: put_room(k, w, now, o); break;
    case LSCHED_WAIT_NEVER_FITS: explain_wait_put_never(k, w, o); break;
    case LSCHED_WAIT_GANG: put_gang(k, w, now, o); break;
    case LSCHED_WAIT_FILTER: put_filter(c, w, o); break;
    default: /* the code is LSCHED_WAIT_TOPOLOGY */
        put_level(k, w, o);
        put_room(k, w, now, o);
        put_places_lack(k, w, o);
        break;
    }
    if (w->code == LSCHED_WAIT_ROOM || w->code == LSCHED_WAIT_GANG ||
        w->code == LSCHED_WAIT_TOPOLOGY)
        put_stuck(k, w, o);
}

void put_reason(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t now = (int64_t)meta(k, M_NOW);
    if (explain_fresh_is_over(k, w)) {
        text_put(o, "what it waited for has come: the next cycle tries it again");
        return;
    }
    switch (w->code) {
    case LSCHED_WAIT_ROOM:
    case LSCHED_WAIT_NEVER_FITS:
    case LSCHED_WAIT_GANG:
    case LSCHED_WAIT_FILTER:
    case LSCHED_WAIT_TOPOLOGY: put_nodes(c, w, now, o); break;
    case LSCHED_WAIT_LIMIT: put_limit(c, w, o); break;
    case LSCHED_WAIT_ADMIT:
    case LSCHED_WAIT_POLICY: put_refused(k, w, o); break;
    case LSCHED_WAIT_BUDGET: put_budget(w, o); break;
    case LSCHED_WAIT_QUOTA: put_quota(k, w, o); break;
    case LSCHED_WAIT_JOBS: put_jobs(k, w, o); break;
    case LSCHED_WAIT_LENDING: put_lending(k, w, o); break;
    case LSCHED_WAIT_BACKOFF: put_backoff(w, now, o); break;
    case LSCHED_WAIT_REFUSED: refused_put(k, w, o); break;
    case LSCHED_WAIT_RETRIES:
        text_put(o,
                 "failed %" PRId64 " times, and may be tried again after %" PRId64
                 " failure%s; a new priority begins the count anew",
                 w->have, w->need, plural((uint64_t)w->need));
        break;
    case LSCHED_WAIT_RULES: put_neighbours(k, w, o); break;
    case LSCHED_WAIT_PIPELINE:
        text_put(o, "the policy's pipeline");
        put_hook_line(c, POLICY_HOOK_PIPELINE, o);
        text_put(o, " places nothing");
        break;
    case LSCHED_WAIT_PLANNED: put_planned(k, w, now, o); break;
    case LSCHED_WAIT_HELD: explain_wait_put_held(k, (uint32_t)w->job, o); break;
    case LSCHED_WAIT_LEAVING:
    case LSCHED_WAIT_NOMINATED: put_claim(k, w, now, o); break;
    default: text_put(o, "waits for the next cycle"); break;
    }
}

void explain_waiting(const struct lsched_cluster *c, lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    if (!waiting_is_live(k, w)) {
        text_put(o, "what it speaks of is gone");
        return;
    }
    explain_fresh_refresh(k, w);
    put_reason(c, w, o);
    if (w->evict_code == LSCHED_EVICT_NOT_TRIED) return;
    text_put(o, "; ");
    put_evict(c, w, 0, o);
}
