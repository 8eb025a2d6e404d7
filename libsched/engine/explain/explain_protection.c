/*
 * explain_protection.c -- see explain_protection.h.
 *
 * The rules are those of victim_verdict.c. They are applied to all running work on the nodes that
 * could hold the job. If the job waits for a queue's limit, they are applied to the running work
 * below that queue instead. The protected work is:
 *   - the minimum of a non-preemptible job; only its surplus can be evicted
 *   - a job that was evicted or moved as often as its disruption budget allows
 *   - a job that the orchestrator refused to evict, for the policy's grace time after the refusal
 *   - a job of the waiting job's own queue, unless its priority is lower, or equal and its soft
 *     limit is over while the waiting job lacks its minimum
 *   - a job that was itself evicted for another queue, if the waiting job was evicted for one, too
 * For all other work, guarantees, fair shares and the policy's hook decide. Whether the policy's
 * saturation factor protects a queue is found when the job is tried, and is stored in the waiting
 * record. Cost: O(nodes + tasks).
 */
#include "engine/explain/explain_protection.h"

#include "base/times.h"
#include "engine/exclusions/explain_print.h"
#include "engine/exclusions/explain_subject.h"
#include "engine/state/cycle_state.h"
#include "model/devices/resource_part.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/soft_limit.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/jobs/stops.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "policy/eviction.h"

/* The rule that protects running work. The rules are checked in this order, and the first that
 * holds is taken. NOTHING means that only guarantees, fair shares and the policy's hook decide. */
enum protection { SPENT, FIRM, REFUSED, OWN, TURNS, NOTHING, PROTECTIONS };

struct others {
    struct {
        int64_t amount; /* amount of the resource kind that the protected work holds */
        /* first protected job by name; for OWN, the first by name among the jobs of priority
         * `own_least` */
        uint32_t job;
    } by[PROTECTIONS];
    int32_t own_least; /* lowest priority of the work in by[OWN] */
    /* the first end of a soft limit in by[OWN] from which the waiting job can stop the work, and
     * the job that has it; LSCHED_NEVER_US if there is none */
    int64_t soft_end;
    uint32_t soft_job;
};

static int has_surplus(const struct columns *k, uint32_t job) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t g = k->c[C_LEAF_GROUP].u32[l];
        if (job_leaf_held(k, job, g) > k->c[C_GROUP_MIN].u32[group_row(k, jobshape, g)]) return 1;
    }
    return 0;
}

int64_t explain_protection_until(const struct lsched_cluster *c, uint32_t job) {
    return job_cost_refused_until(&c->k, job, (int64_t)meta(&c->k, M_NOW),
                                  policy_eviction_of(&c->policy.policy).grace_us);
}

const char *explain_rank_word(const struct lsched_cluster *c) {
    const struct policy *p = &c->policy.policy;
    return p->ops && (p->desc.hooks & LSCHED_HOOK_PREEMPT_PRIORITY) ? "preempt_priority"
                                                                    : "priority";
}

static int is_own(const struct columns *k, uint32_t waits, uint32_t job) {
    return queue_same_real(k, k->c[C_JOB_QUEUE].u32[job], k->c[C_JOB_QUEUE].u32[waits]);
}

/* Returns the time from which the waiting job can stop the job of its own queue, because the job's
 * soft limit is over then; LSCHED_NEVER_US if there is no such time. */
static int64_t soft_end_for(const struct columns *k, uint32_t waits, uint32_t job) {
    return k->c[C_JOB_RANK].i32[job] == k->c[C_JOB_RANK].i32[waits] &&
                   !(k->c[C_JOB_FLAGS].u8[waits] & LSCHED_JOB_NEVER_PREEMPTS) &&
                   !job_satisfied(k, waits)
               ? soft_limit_end(k, job)
               : LSCHED_NEVER_US;
}

static enum protection protection_of_job(const struct lsched_cluster *c, uint32_t waits,
                                         uint32_t job) {
    const struct columns *k = &c->k;
    int firm = k->c[C_JOB_FLAGS].u8[job] & LSCHED_JOB_NON_PREEMPTIBLE, own = is_own(k, waits, job);
    if (!job_cost_disruptions_left(k, job, (int64_t)meta(k, M_NOW))) return SPENT;
    if (firm && !has_surplus(k, job)) return FIRM;
    if (explain_protection_until(c, job)) return REFUSED;
    if (own && k->c[C_JOB_RANK].i32[job] >= k->c[C_JOB_RANK].i32[waits] &&
        soft_end_for(k, waits, job) > (int64_t)meta(k, M_NOW))
        return OWN;
    return !own && stops_stand(k, waits) && stops_stand(k, job) ? TURNS : NOTHING;
}

static void count_soft_limit(const struct columns *k, uint32_t waits, uint32_t job,
                             struct others *x) {
    int64_t end = soft_end_for(k, waits, job);
    if (end > x->soft_end || end == LSCHED_NEVER_US) return;
    if (end == x->soft_end && !name_before(k, C_JOB_NAME, job, x->soft_job)) return;
    x->soft_end = end;
    x->soft_job = job;
}

static void count_job(const struct lsched_cluster *c, uint32_t waits, uint32_t job, int64_t amount,
                      struct others *x) {
    enum protection by = protection_of_job(c, waits, job);
    int32_t priority = c->k.c[C_JOB_RANK].i32[job];
    uint32_t *first = &x->by[by].job;
    x->by[by].amount += amount;
    if (by == OWN) count_soft_limit(&c->k, waits, job, x);
    if (by == OWN && priority > x->own_least) return;
    if (by == OWN && priority < x->own_least) *first = NO_ROW;
    if (by == OWN) x->own_least = priority;
    if (name_before(&c->k, C_JOB_NAME, job, *first)) *first = job;
}

/* Returns the resource kind that evictions must free for the job. If the record names a resource
 * part, such as gpu:H100, the function returns the kind to which the part belongs. */
static uint32_t kind_of(const struct columns *k, const lsched_waiting *w) {
    uint32_t kind = w->evict_kind ? w->evict_kind : kind_base(k, w->kind);
    return kind ? kind : LSCHED_GPU;
}

/* True if evicting the task could help the job. If the job waits for a queue's limit, the task must
 * be below that queue. Else the task must be on a node that could hold the job. */
static int may_help(const struct columns *k, const lsched_waiting *w, uint32_t shape, uint32_t t) {
    if (w->code == LSCHED_WAIT_LIMIT)
        return queue_is_below(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]],
                              (uint32_t)w->limiting_queue);
    return node_is_usable(k, k->c[C_TASK_NODE].u32[t], shape);
}

/* Sums, for each rule of protection, the amount that the work protected by this rule holds. If fair
 * shares forbid the job's queue to evict work of other queues, only work of the job's own queue
 * counts. */
static struct others explain_protection_look(const struct lsched_cluster *c,
                                             const lsched_waiting *w) {
    const struct columns *k = &c->k;
    struct others x = {.own_least = INT32_MAX, .soft_end = LSCHED_NEVER_US, .soft_job = NO_ROW};
    for (int i = 0; i < PROTECTIONS; i++) x.by[i].job = NO_ROW;
    uint32_t shape = waiting_shape(k, w), kind = kind_of(k, w);
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        if (!row_is_live(k, T_TASK, t) || k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
        int64_t amount = task_amount(k, t, kind);
        uint32_t job = k->c[C_TASK_JOB].u32[t];
        if (amount == 0 || job == (uint32_t)w->job || !may_help(k, w, shape, t)) continue;
        if (w->evict_code == LSCHED_NO_VICTIM_SHARE && !is_own(k, (uint32_t)w->job, job)) continue;
        count_job(c, (uint32_t)w->job, job, amount, &x);
    }
    return x;
}

int64_t explain_protection_soft_end(const struct lsched_cluster *c, const lsched_waiting *w) {
    return pipeline_has(c, "preempt") ? explain_protection_look(c, w).soft_end : LSCHED_NEVER_US;
}

int explain_protection_may_go(const struct lsched_cluster *c, const lsched_waiting *w) {
    return explain_protection_look(c, w).by[NOTHING].amount > 0;
}

/* Writes the amount that the work protected by the rule `by` holds, such as "; 2 GPUs are held by
 * ... (x)", and returns 1. If the amount is 0, writes nothing and returns 0. */
static int explain_protection_put_held(const struct columns *k, uint32_t kind,
                                       const struct others *x, enum protection by,
                                       struct text_out *o) {
    static const char *const work[] = {
        [SPENT] = "work that was already disturbed as often as allowed",
        [FIRM] = "work that is not preemptible",
        [REFUSED] = "work that the orchestrator refused to stop",
        [OWN] = "jobs of its own queue with the same or a higher priority",
        [TURNS] = "work that was stopped for another queue before, as this job was"};
    int64_t amount = x->by[by].amount;
    if (amount == 0) return 0;
    text_put(o, "; %s %s held by %s (%s)", shown_amount(k, kind, amount).text,
             is_or_are(kind, amount), work[by], shown_job(k, x->by[by].job).text);
    return 1;
}

/* Writes the queue whose use is above its fair share, but not above the policy's saturation factor
 * times its fair share. Such a queue is still protected. */
static void put_saturation(const struct lsched_cluster *c, const lsched_waiting *w,
                           struct text_out *o) {
    int64_t milli = policy_eviction_of(&c->policy.policy).saturation_milli;
    if (w->evict_code == LSCHED_NO_VICTIM_SHARE || !w->evict_queue || milli <= 1000) return;
    text_put(o,
             "; %s is above its fair share, but its work may be stopped only if it uses "
             "more than %s times that share (the policy's saturation)",
             shown_queue(&c->k, (uint32_t)w->evict_queue).text,
             shown_number(LSCHED_CPU, milli).text);
}

/* Writes which work the orchestrator refused to evict, and until when this work is protected. */
static void put_refused_stop(const struct lsched_cluster *c, uint32_t kind, const struct others *x,
                             struct text_out *o) {
    if (!explain_protection_put_held(&c->k, kind, x, REFUSED, o)) return;
    text_put(
        o, ": libsched does not ask to stop this work again until %s",
        shown_moment(explain_protection_until(c, x->by[REFUSED].job), (int64_t)meta(&c->k, M_NOW))
            .text);
}

/* Writes which work the job cannot evict because both sides were evicted before: the job was
 * evicted for another queue, and so was that work. The text names the job whose end removes this
 * rule. */
static void put_turns(const struct columns *k, const lsched_waiting *w, uint32_t kind,
                      const struct others *x, struct text_out *o) {
    if (!explain_protection_put_held(k, kind, x, TURNS, o)) return;
    text_put(o, ": the two do not stop each other again while %s exists",
             shown_job(k, stops_for(k, (uint32_t)w->job)).text);
}

/* Writes which work of its own queue the job cannot evict, and what would change that: a higher
 * priority, or the end of a soft limit. */
static void put_own_queue(const struct lsched_cluster *c, uint32_t kind, const struct others *x,
                          struct text_out *o) {
    const struct columns *k = &c->k;
    if (!explain_protection_put_held(k, kind, x, OWN, o)) return;
    text_put(o, ": with %s %" PRId64 " or more it may stop work there", explain_rank_word(c),
             (int64_t)x->own_least + 1);
    if (x->soft_job == NO_ROW) return;
    text_put(o, "; from %s on, it may stop %s, whose soft limit is over then",
             shown_moment(x->soft_end, (int64_t)meta(k, M_NOW)).text,
             shown_job(k, x->soft_job).text);
}

void explain_protection_put(const struct lsched_cluster *c, const lsched_waiting *w,
                            struct text_out *o) {
    const struct columns *k = &c->k;
    const struct policy *p = &c->policy.policy;
    struct others x = explain_protection_look(c, w);
    uint32_t kind = kind_of(k, w);
    if (w->evict_code == LSCHED_NO_VICTIM_SHARE && !pipeline_has(c, "preempt")) return;
    explain_protection_put_held(k, kind, &x, FIRM, o);
    explain_protection_put_held(k, kind, &x, SPENT, o);
    put_refused_stop(c, kind, &x, o);
    put_turns(k, w, kind, &x, o);
    if (pipeline_has(c, "preempt")) put_own_queue(c, kind, &x, o);
    put_saturation(c, w, o);
    /* These two codes are proved without the policy's hook. Therefore the text does not name the
     * hook as a cause. */
    int is_proved =
        w->evict_code == LSCHED_NO_VICTIM_PROTECTED || w->evict_code == LSCHED_NO_VICTIM_IMPOSSIBLE;
    if (x.by[NOTHING].amount == 0 || w->evict_code == LSCHED_NO_VICTIM_SHARE || is_proved ||
        !(p->desc.hooks & LSCHED_HOOK_VICTIM))
        return;
    text_put(o, "; the policy's hook victim");
    put_hook_line(c, POLICY_HOOK_VICTIM, o);
    text_put(o, " decides which of the other work may be stopped");
}
