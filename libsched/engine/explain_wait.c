/* explain_wait.c -- why a job waits, code by code; explain_parts.h. One line, which also stands in tables of plans. */
#include "engine/explain_parts.h"
#include "model/derived.h"
#include "model/domain.h"
#include "model/leaving.h"
#include "model/watch.h"

static void put_limit(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t q = (uint32_t)w->limiting_queue;
    struct derived_amount a = {.used = 0};
    if (kind_is_derived(k, w->kind)) {
        a = derived_get(k, q, w->kind);
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
}

static void put_never(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "no node could hold a task even when empty: it needs ");
    put_amount(k, o, w->kind, w->need);
    text_put(o, " on one node");
    uint32_t shape = waiting_shape(k, w);
    if (k->c[C_SHAPE_N_MODELS].u32[shape]) text_put(o, " with a device model that it allows");
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
    if (k->c[C_SHAPE_N_SELECTORS].u32[shape]) text_put(o, " with the labels that it selects");
    put_unwelcome(k, shape, o);
}

/* Room for one more says nothing to a gang that needs its minimum at once; to one that stands it is all. */
static void put_gang(const struct columns *k, const lsched_waiting *w, int64_t now,
                     struct text_out *o) {
    if (w->have >= w->need) {
        text_put(o, "it has its minimum; one more task ");
        put_room(k, w, now, o);
        return;
    }
    uint32_t shape = waiting_shape(k, w), able = nodes_able(k, shape);
    text_put(o, "%" PRId64 " of the %" PRId64 " members that must start together fit; each needs ",
             w->have, w->need);
    put_amount(k, o, w->kind, k->c[C_SHAPE_REQ + w->kind].i64[shape]);
    text_put(o, " on one node");
    put_together(k, shape, o);
    text_put(o, ", which %u node%s can hold when empty", able, plural(able));
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

static void put_level(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[(uint32_t)w->job], w->task_group);
    if (w->have >= 0 && k->c[C_GROUP_SPREAD].u32[row] != NO_ROW)
        put_spread(k, w, row, o);
    else
        put_places(k, w, o);
}

/* ---- what queues say ---- */

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

/* Its own tasks still stop, or those of others in its place. */
static void put_claim(const struct columns *k, const lsched_waiting *w, int64_t now,
                      struct text_out *o) {
    int late = w->until_us <= now;
    const char *it = w->code == LSCHED_WAIT_LEAVING ? "its old tasks are still stopping; they"
                     : job_leaving(k, (uint32_t)w->job) > 0 ? "it moves: what it leaves"
                                                            : "its place is being released; it";
    text_put(o, late ? "%s should have been " : "%s should be ", it);
    text_put(o, w->code == LSCHED_WAIT_NOMINATED && !job_leaving(k, (uint32_t)w->job) ? "free"
                                                                                      : "gone");
    if (late)
        text_put(o, " by now");
    else
        put_time(o, w->until_us, now);
    if (w->code == LSCHED_WAIT_LEAVING && job_held(k, (uint32_t)w->job))
        text_put(o, "; then it is held");
}

/* "planned for 14:20 on node n3, when job x ends", or behind jobs that are. */
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

static void put_held(const struct columns *k, uint32_t job, struct text_out *o) {
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

/* ---- all of them ---- */

static int queue_is_live(const struct columns *k, lsched_id id) {
    uint32_t q = (uint32_t)id;
    return row_is_live(k, T_QUEUE, q) && id_make(k, LSCHED_KIND_QUEUE, q) == id;
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
           (w->code == LSCHED_WAIT_LIMIT && kind_is_derived(k, w->kind));
}

static void put_nodes(const struct columns *k, const lsched_waiting *w, int64_t now,
                      struct text_out *o) {
    switch (w->code) {
    case LSCHED_WAIT_ROOM: put_room(k, w, now, o); break;
    case LSCHED_WAIT_NEVER_FITS: put_never(k, w, o); break;
    case LSCHED_WAIT_GANG: put_gang(k, w, now, o); break;
    case LSCHED_WAIT_FILTER:
        text_put(o,
                 "the policy's filter left none of the nodes that have room; %" PRIu64
                 " could hold it",
                 w->nodes_able);
        break;
    default: /* LSCHED_WAIT_TOPOLOGY */
        put_level(k, w, o);
        put_room(k, w, now, o);
        break;
    }
}

void put_reason(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    int64_t now = (int64_t)meta(k, M_NOW);
    switch (w->code) {
    case LSCHED_WAIT_ROOM:
    case LSCHED_WAIT_NEVER_FITS:
    case LSCHED_WAIT_GANG:
    case LSCHED_WAIT_FILTER:
    case LSCHED_WAIT_TOPOLOGY: put_nodes(k, w, now, o); break;
    case LSCHED_WAIT_LIMIT: put_limit(k, w, o); break;
    case LSCHED_WAIT_ADMIT:
    case LSCHED_WAIT_POLICY: put_refused(k, w, o); break;
    case LSCHED_WAIT_BUDGET:
        text_put(o, w->need ? "it alone needs more than the whole budget or bound of a cycle"
                            : "its turn has not come: the cycle's budget was spent first");
        break;
    case LSCHED_WAIT_QUOTA: put_quota(k, w, o); break;
    case LSCHED_WAIT_JOBS: put_jobs(k, w, o); break;
    case LSCHED_WAIT_LENDING: put_lending(k, w, o); break;
    case LSCHED_WAIT_BACKOFF: put_backoff(w, now, o); break;
    case LSCHED_WAIT_RETRIES:
        text_put(o,
                 "failed %" PRId64 " times, and may be tried again after %" PRId64
                 " failure%s; a new priority begins the count anew",
                 w->have, w->need, plural((uint64_t)w->need));
        break;
    case LSCHED_WAIT_RULES: put_neighbours(k, w, o); break;
    case LSCHED_WAIT_PLANNED: put_planned(k, w, now, o); break;
    case LSCHED_WAIT_HELD: put_held(k, (uint32_t)w->job, o); break;
    case LSCHED_WAIT_LEAVING:
    case LSCHED_WAIT_NOMINATED: put_claim(k, w, now, o); break;
    default: text_put(o, "waits for the next cycle"); break;
    }
}

void explain_waiting(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (!waiting_is_live(k, w)) {
        text_put(o, "what it speaks of is gone");
        return;
    }
    put_reason(k, w, o);
    if (w->evict_code == LSCHED_EVICT_NOT_TRIED) return;
    text_put(o, "; ");
    put_evict(k, w, o);
}
