/*
 * explain_others.c -- writes what keeps running work from being evicted for a job, besides
 * guarantees and fair shares; explain_parts.h.
 *
 * The rules are those of victim_rules.c. The rules are applied to all work that holds what the job
 * lacks on nodes that could hold the job. Non-preemptible work can be evicted only above its
 * minimum. Work that was disturbed as often as its budget allows cannot be evicted. Work that the
 * orchestrator has just refused to stop is left alone for the grace time of the policy. Work of
 * the job's own queue can be evicted only if its priority is lower. For the remaining work,
 * guarantees and fair shares decide, and the policy's hook. Whether the policy's saturation factor
 * protects a queue is found when the job is tried, and is kept in the record. Cost: O(nodes +
 * tasks).
 */
#include "base/times.h"
#include "engine/explain/explain_parts.h"
#include "engine/victims/victim_search.h"
#include "model/devices/resource_part.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/jobs/stops.h"
#include "model/jobs/task.h"
#include "policy/policy.h"

struct others {
    /* amounts of the resource kind, by what protects the work */
    int64_t firm, spent, refused, own, turns, rest;
    uint32_t firm_job, spent_job, refused_job, turns_job; /* first job of each sort by name */
    uint32_t firm_jobs, own_job;
    int32_t own_least; /* lowest priority of that work in the own queue */
};

static uint32_t first_by_name(const struct columns *k, uint32_t a, uint32_t b) {
    if (a == NO_ROW || b == NO_ROW) return a == NO_ROW ? b : a;
    return text_compare(k, k->c[C_JOB_NAME].u32[a], k->c[C_JOB_NAME].u32[b]) <= 0 ? a : b;
}

static int has_surplus(const struct columns *k, uint32_t job) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        if (job_leaf_held(k, job, g) > k->c[C_GROUP_MIN].u32[group_row(k, jobshape, g)]) return 1;
    }
    return 0;
}

static int is_spent(const struct columns *k, uint32_t job) {
    uint32_t c = k->c[C_JOB_COST].u32[job];
    if (c == NO_ROW || k->c[C_COST_DISRUPTIONS_MAX].u32[c] == 0) return 0;
    int64_t window = k->c[C_COST_WINDOW].i64[c], now = (int64_t)meta(k, M_NOW);
    if (window && now - k->c[C_COST_WINDOW_START].i64[c] >= window) return 0;
    return k->c[C_COST_DISRUPTIONS].u32[c] >= k->c[C_COST_DISRUPTIONS_MAX].u32[c];
}

int64_t refused_stop_until(const struct lsched_cluster *c, uint32_t job) {
    const struct columns *k = &c->k;
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t at = cost == NO_ROW ? 0 : k->c[C_COST_REFUSED_AT].i64[cost];
    int64_t until = at ? time_after(at, c->policy.policy.desc.eviction.grace_us) : 0;
    return until > (int64_t)meta(k, M_NOW) ? until : 0;
}

static void count_job(const struct lsched_cluster *c, uint32_t waits, uint32_t job, int64_t amount,
                      struct others *x) {
    const struct columns *k = &c->k;
    int firm = (k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE) != 0,
        same = victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]) ==
               victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[waits]);
    int32_t priority = k->c[C_JOB_PRIORITY].i32[job];
    if (is_spent(k, job)) {
        x->spent += amount;
        x->spent_job = first_by_name(k, x->spent_job, job);
    } else if (firm && !has_surplus(k, job)) {
        x->firm += amount;
        x->firm_job = first_by_name(k, x->firm_job, job);
    } else if (refused_stop_until(c, job)) {
        x->refused += amount;
        x->refused_job = first_by_name(k, x->refused_job, job);
    } else if (same && priority >= k->c[C_JOB_PRIORITY].i32[waits]) {
        x->own += amount;
        if (x->own_job == NO_ROW || priority < x->own_least) {
            x->own_least = priority;
            x->own_job = job;
        } else if (priority == x->own_least) {
            x->own_job = first_by_name(k, x->own_job, job);
        }
    } else if (!same && stops_stand(k, waits) && stops_stand(k, job)) {
        x->turns += amount;
        x->turns_job = first_by_name(k, x->turns_job, job);
    } else {
        x->rest += amount;
    }
}

/* Returns the resource kind that victims would have to give. For a resource part, the whole kind
 * is returned. */
static uint32_t kind_of(const struct columns *k, const lsched_waiting *w) {
    uint32_t kind = w->evict_kind ? w->evict_kind : kind_base(k, w->kind);
    return kind ? kind : LSCHED_GPU;
}

/* True if evicting the task could help: it is on a node that could hold the job or, if the job
 * waits for a queue's limit, below that queue. */
static int may_help(const struct columns *k, const lsched_waiting *w, uint32_t shape, uint32_t t) {
    if (w->code == LSCHED_WAIT_LIMIT)
        return queue_is_below(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]],
                              (uint32_t)w->limiting_queue);
    return node_is_usable(k, k->c[C_TASK_NODE].u32[t], shape);
}

static int is_own(const struct columns *k, const lsched_waiting *w, uint32_t job) {
    return victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[job]) ==
           victim_rules_real_queue(k, k->c[C_JOB_QUEUE].u32[(uint32_t)w->job]);
}

/* Sums the running work by what protects it. If the job's queue may not evict work of other
 * queues, only work of its own queue counts. */
static struct others explain_others_look(const struct lsched_cluster *c, const lsched_waiting *w) {
    const struct columns *k = &c->k;
    struct others x = {.firm_job = NO_ROW,
                       .spent_job = NO_ROW,
                       .refused_job = NO_ROW,
                       .own_job = NO_ROW,
                       .turns_job = NO_ROW};
    uint32_t shape = waiting_shape(k, w), kind = kind_of(k, w);
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
        int64_t amount = task_amount(k, t, kind);
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        if (amount == 0 || job == (uint32_t)w->job || !may_help(k, w, shape, t)) continue;
        if (w->evict_code == LSCHED_EVICT_SHARE && !is_own(k, w, job)) continue;
        count_job(c, (uint32_t)w->job, job, amount, &x);
    }
    return x;
}

int explain_others_may_go(const struct lsched_cluster *c, const lsched_waiting *w) {
    return explain_others_look(c, w).rest > 0;
}

static void explain_others_put_held(const struct columns *k, uint32_t kind, int64_t amount,
                                    const char *by, uint32_t job, struct text_out *o) {
    if (amount == 0) return;
    text_put(o, "; ");
    put_amount(k, o, kind, amount);
    text_put(o, amount == 1000 && kind != LSCHED_MEMORY ? " is held by " : " are held by ");
    text_put(o, "%s (", by);
    put_job(k, o, job);
    text_put(o, ")");
}

/* Writes which queue is above its fair share and still protected, because of the policy's
 * saturation factor. */
static void put_saturation(const struct lsched_cluster *c, const lsched_waiting *w,
                           struct text_out *o) {
    int64_t milli = c->policy.policy.desc.eviction.saturation_milli;
    if (w->evict_code == LSCHED_EVICT_SHARE || !w->evict_queue || milli <= 1000) return;
    text_put(o, "; ");
    put_queue(&c->k, o, (uint32_t)w->evict_queue);
    text_put(o, " is above its fair share, but its work may be stopped only above ");
    put_number(o, LSCHED_CPU, milli);
    text_put(o, " times that share (the policy's saturation)");
}

/* Writes which work the orchestrator refused to stop, and until when it is left alone. */
static void put_refused_stop(const struct lsched_cluster *c, uint32_t kind, const struct others *x,
                             struct text_out *o) {
    if (x->refused == 0) return;
    explain_others_put_held(&c->k, kind, x->refused, "work that the host refused to stop",
                            x->refused_job, o);
    text_put(o, ": it is left alone until ");
    put_moment(o, refused_stop_until(c, x->refused_job), (int64_t)meta(&c->k, M_NOW));
}

/* Writes that two jobs that were both stopped for others do not stop each other in turn, and which
 * job's end changes that. */
static void put_turns(const struct columns *k, const lsched_waiting *w, uint32_t kind,
                      const struct others *x, struct text_out *o) {
    if (x->turns == 0) return;
    explain_others_put_held(k, kind, x->turns,
                            "work that was stopped for another queue before, as it was itself",
                            x->turns_job, o);
    text_put(o, ": they do not take turns while ");
    put_job(k, o, stops_for(k, (uint32_t)w->job));
    text_put(o, " is here");
}

void put_others(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    const struct policy *p = &c->policy.policy;
    struct others x = explain_others_look(c, w);
    uint32_t kind = kind_of(k, w);
    if (w->evict_code == LSCHED_EVICT_SHARE && !pipeline_has(c, "preempt")) return;
    explain_others_put_held(k, kind, x.firm, "work that is not preemptible", x.firm_job, o);
    explain_others_put_held(k, kind, x.spent, "work that was disturbed as often as it may be",
                            x.spent_job, o);
    put_refused_stop(c, kind, &x, o);
    put_turns(k, w, kind, &x, o);
    if (x.own && pipeline_has(c, "preempt")) {
        explain_others_put_held(k, kind, x.own, "jobs of its own queue that do not go before it",
                                x.own_job, o);
        text_put(o, ": with priority %" PRId64 " or more it may stop work there",
                 (int64_t)x.own_least + 1);
    }
    put_saturation(c, w, o);
    /* the proofs do not depend on the hook, therefore the hook is not the reason why the job
     * waits */
    int is_proved =
        w->evict_code == LSCHED_EVICT_PROTECTED || w->evict_code == LSCHED_EVICT_IMPOSSIBLE;
    if (x.rest == 0 || w->evict_code == LSCHED_EVICT_SHARE || is_proved ||
        !(p->desc.hooks & LSCHED_HOOK_VICTIM))
        return;
    text_put(o, "; the policy's hook victim");
    put_hook_line(c, POLICY_HOOK_VICTIM, o);
    text_put(o, " decides which of the other work may be stopped");
}
