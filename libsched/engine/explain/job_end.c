/* job_end.c -- see job_end.h. */
#include "engine/explain/job_end.h"

#include "engine/state/decision_kinds.h"
#include "model/allowances/spent.h"
#include "model/jobs/job_cost.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/soft_limit.h"
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "policy/eviction.h"

/* Returns the time before which no cycle stops the job, because the orchestrator refused to stop
 * it; 0 if there is none. */
static int64_t job_end_spared(const struct lsched_cluster *c, uint32_t job) {
    return job_cost_refused_until(&c->k, job, (int64_t)meta(&c->k, M_NOW),
                                  policy_eviction_of(&c->policy.policy).grace_us);
}

/* ---- allowances ---- */

/* True if a running task of the job that is not being stopped costs the allowance something. */
static int job_end_costs(const struct columns *k, uint32_t job, uint32_t a) {
    uint32_t queue = k->c[C_ALLOWANCE_QUEUE].u32[a];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            for (uint32_t m = k->c[C_TASK_METER].u32[t]; m; m = k->c[C_METER_NEXT].u32[m - 1])
                if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING &&
                    k->c[C_METER_QUEUE].u32[m - 1] == queue && k->c[C_METER_RATE].i64[m - 1])
                    return 1;
    return 0;
}

/* Returns when a cycle stops the job because of the allowance, which is spent at the time `at`. A
 * grace that reaches into the next period stops nothing, and an orchestrator that does not ask for
 * evictions stops nothing. */
static int64_t job_end_stop(const struct lsched_cluster *c, uint32_t job, uint32_t a,
                            const struct allowance_state *s, int64_t at) {
    const struct columns *k = &c->k;
    int settled = s->start == k->c[C_ALLOWANCE_START].i64[a];
    int64_t due = k->c[C_ALLOWANCE_STOP_AT].i64[a], spared = job_end_spared(c, job);
    if (k->c[C_ALLOWANCE_SPENT].u8[a] != LSCHED_SPENT_END ||
        (decision_kinds_asked(k) & KINDS_TO_STOP) == 0)
        return LSCHED_NEVER_US;
    if (due == 0 || at > s->now || !settled) due = time_after(at, k->c[C_ALLOWANCE_GRACE].i64[a]);
    if (due < spared) due = spared;
    return due < s->end ? due : LSCHED_NEVER_US;
}

/* True if the allowance tells more about the end than that of *e: a stop before none and the first
 * one of two, then work that becomes the first victim before work that runs on, then what is spent
 * first. */
static int job_end_tells_more(const struct columns *k, const struct job_end *e, uint32_t a,
                              int64_t at, int64_t stop) {
    if (e->allowance == NO_ROW || stop != e->spent_stop)
        return e->allowance == NO_ROW || stop < e->spent_stop;
    int first = k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_FIRST_VICTIM,
        was = k->c[C_ALLOWANCE_SPENT].u8[e->allowance] == LSCHED_SPENT_FIRST_VICTIM;
    return first != was ? first : at < e->spent_at;
}

/* Reads the allowances of the job's queue and of all queues above. */
static void job_end_allowances(const struct lsched_cluster *c, uint32_t job, struct job_end *e) {
    const struct columns *k = &c->k;
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[job]; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t a = allowance_of(k, q);
        if (a == NO_ROW || !job_end_costs(k, job, a)) continue;
        struct allowance_state s = allowance_now(k, a);
        int64_t at = spent_time(&s), since = k->c[C_ALLOWANCE_SPENT_AT].i64[a];
        if (at <= s.now && since && s.start == k->c[C_ALLOWANCE_START].i64[a]) at = since;
        if (at == LSCHED_NEVER_US) continue;
        int64_t stop = job_end_stop(c, job, a, &s, at);
        if (!job_end_tells_more(k, e, a, at, stop)) continue;
        e->allowance = a;
        e->spent_at = at;
        e->spent_stop = stop;
    }
}

/* ---- the job's own tasks ---- */

/* Reads the tasks of the job: when the last of them ends, and which of their nodes leaves first. Of
 * two nodes that leave at the same time, it is the first by name. */
static void job_end_tasks(const struct columns *k, uint32_t job, int64_t now, struct job_end *e) {
    int64_t length = job_length(k, job), last = 0;
    struct absence away;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t node = k->c[C_TASK_NODE].u32[t];
            int64_t since = k->c[C_TASK_START].i64[t];
            if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING) continue;
            e->running++;
            if (since > last) last = since;
            if (!absence_is_set(k, node) || !absence_next(k, node, now, &away) ||
                reservation_admits(k, node, k->c[C_JOB_QUEUE].u32[job]))
                continue;
            if (e->node != NO_ROW && away.leaves >= e->leaves &&
                (away.leaves > e->leaves || !name_before(k, C_NODE_NAME, node, e->node)))
                continue;
            e->node = node;
            e->leaves = away.leaves;
            e->back = away.back;
        }
    if (e->running && length != LSCHED_NEVER_US) e->expected = time_after(last, length);
}

/* Returns when a cycle stops the job because of its time limit. A cycle after a refusal moves what
 * job_due() says; until that cycle, the refusal counts here. */
static int64_t job_end_limit(const struct lsched_cluster *c, uint32_t job) {
    int64_t due = job_due(&c->k, job), spared = job_end_spared(c, job);
    return due < spared ? spared : due;
}

struct job_end job_end_of(const struct lsched_cluster *c, uint32_t job) {
    const struct columns *k = &c->k;
    struct job_end e = {.expected = LSCHED_NEVER_US,
                        .limit = LSCHED_NEVER_US,
                        .allowance = NO_ROW,
                        .spent_at = LSCHED_NEVER_US,
                        .spent_stop = LSCHED_NEVER_US,
                        .node = NO_ROW,
                        .leaves = LSCHED_NEVER_US,
                        .back = LSCHED_NEVER_US,
                        .soft = LSCHED_NEVER_US};
    job_end_tasks(k, job, (int64_t)meta(k, M_NOW), &e);
    if (e.running == 0) return e;
    if (pipeline_has(c, "evict-overdue") && (decision_kinds_asked(k) & KINDS_TO_STOP) != 0)
        e.limit = job_end_limit(c, job);
    if (pipeline_has(c, "reclaim") || pipeline_has(c, "preempt")) e.soft = soft_limit_end(k, job);
    if (k->allowances) job_end_allowances(c, job, &e);
    return e;
}

/* ---- in words ---- */

static void job_end_put_expected(const struct explain *e, const struct job_end *end) {
    int64_t given = e->k->c[C_JOB_DURATION].i64[e->job], estimate = job_estimate(e->k, e->job);
    const char *by = given == estimate ? "" : " beside the slowest neighbours that are allowed";
    /* the line `limit` tells the end by the time limit */
    if (end->expected == LSCHED_NEVER_US || job_length(e->k, e->job) != estimate) return;
    if (end->expected > e->now)
        PUT_LINE(e->o, "end", "is expected at %s, by the estimate of %s%s\n",
                 shown_moment(end->expected, e->now).text, shown_span(estimate).text, by);
    else
        PUT_LINE(e->o, "end", "the estimate of %s%s is over, and the job still runs\n",
                 shown_span(estimate).text, by);
}

static void job_end_put_soft(const struct explain *e, const struct job_end *end) {
    PUT_LINE(e->o, "soft limit", "of %s ", shown_span(soft_limit(e->k, e->job)).text);
    if (end->soft <= e->now)
        text_put(e->o, "is over: the job is");
    else
        text_put(e->o, "is over at %s: the job is then", shown_moment(end->soft, e->now).text);
    text_put(e->o, " stopped before other work if a job needs room\n");
}

static void job_end_put_allowance(const struct explain *e, const struct job_end *end) {
    const struct columns *k = e->k;
    uint32_t a = end->allowance, spent = k->c[C_ALLOWANCE_SPENT].u8[a];
    int64_t grace = k->c[C_ALLOWANCE_GRACE].i64[a];
    PUT_LINE(e->o, "allowance", "of queue %s ",
             shown_queue(k, k->c[C_ALLOWANCE_QUEUE].u32[a]).text);
    if (end->spent_at <= e->now)
        text_put(e->o, "is spent: ");
    else
        text_put(e->o, "will be spent at %s if what runs now runs on: ",
                 shown_moment(end->spent_at, e->now).text);
    if (end->spent_stop != LSCHED_NEVER_US) {
        text_put(e->o, "the job is stopped at %s", shown_moment(end->spent_stop, e->now).text);
        if (grace) text_put(e->o, ", after a grace of %s", shown_span(grace).text);
    } else if (spent == LSCHED_SPENT_FIRST_VICTIM) {
        text_put(e->o, "the job is%s stopped before other work if a job needs room",
                 end->spent_at <= e->now ? "" : " then");
    } else {
        text_put(e->o, "the job runs on");
    }
    text_put(e->o, "\n");
}

static void job_end_put_node(const struct explain *e, const struct job_end *end) {
    struct shown name = shown_node(e->k, end->node);
    uint32_t r = e->k->c[C_NODE_RESERVATION].u32[end->node];
    if (r != NO_ROW)
        PUT_LINE(e->o, "leaves", "%s is reserved for queue %s from %s, and the job stays",
                 name.text, shown_queue(e->k, e->k->c[C_RESERVATION_QUEUE].u32[r]).text,
                 shown_moment(end->leaves, e->now).text);
    else if (end->leaves <= e->now)
        PUT_LINE(e->o, "leaves", "%s is away", name.text);
    else
        PUT_LINE(e->o, "leaves", "%s leaves at %s", name.text,
                 shown_moment(end->leaves, e->now).text);
    if (r == NO_ROW && end->back != LSCHED_NEVER_US)
        text_put(e->o, "%s %s", end->leaves <= e->now ? " until" : " and is back at",
                 shown_moment(end->back, e->now).text);
    text_put(e->o, "; the job is not stopped for that\n");
}

void job_end_put(const struct explain *e) {
    struct job_end end = job_end_of(e->c, e->job);
    if (end.running == 0) return;
    /* a job that has passed its expected end can run for any time */
    int64_t surely = end.expected > e->now ? end.expected : LSCHED_NEVER_US;
    job_end_put_expected(e, &end);
    if (end.soft < surely) job_end_put_soft(e, &end);
    if (end.allowance != NO_ROW && end.spent_at < surely &&
        (end.spent_stop == LSCHED_NEVER_US || end.spent_stop < surely))
        job_end_put_allowance(e, &end);
    if (end.node != NO_ROW && end.leaves < surely) job_end_put_node(e, &end);
}
