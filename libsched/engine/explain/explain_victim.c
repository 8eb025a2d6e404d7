/*
 * explain_victim.c -- see explain_victim.h.
 *
 * This file writes a text about the rules of victim_verdict.c, but calls no function of that file.
 * Those functions judge victims for one known waiting job. The text is about all jobs that could
 * come later.
 */
#include "engine/explain/explain_victim.h"

#include <string.h>

#include "engine/explain/explain_protection.h"
#include "engine/explain/explain_queue.h"
#include "engine/plan/plan_waiting.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/soft_limit.h"
#include "policy/eviction.h"

/* ---- tasks that are evicted ---- */

static const char *const reasons[] = {
    "stop",       "reclaim", "preempt",   "consolidate", "evict-stale-gangs", "evict-overdue",
    "evict-idle", "drain",   "collision", "allowance",   "absence",           "speed-up"};

/* Cause of an eviction that is not for another job, by reason; NULL for the other reasons. */
static const char *const own_causes[sizeof reasons / sizeof reasons[0]] = {
    [LSCHED_FOR_STALE_GANG] = "the gang was below its minimum for longer than allowed",
    [LSCHED_FOR_TIME_LIMIT] = "it ran for longer than its time limit, and is held",
    [LSCHED_FOR_IDLE] = "the policy found it idle, and it is held",
    [LSCHED_FOR_DRAIN] = "its node drains, or has a taint that it does not tolerate",
    [LSCHED_FOR_ALLOWANCE] = "the allowance of its queue is spent, and the grace is over",
    [LSCHED_FOR_SPEED] = "on faster devices it saves more time than the move costs"};

static void put_cost(const struct explain *e, int64_t cost) {
    /* With a victim hook, the hook defines the unit of the cost, and the number would say nothing
     * to a reader. */
    if (e->c->policy.policy.desc.hooks & LSCHED_HOOK_VICTIM) return;
    text_put(e->o, ", ");
    put_work(e->o, cost);
    text_put(e->o, " of work");
}

void explain_victim_put_task(const struct explain *e, uint32_t t, int say_why) {
    const struct columns *k = e->k;
    uint32_t d = k->c[C_TASK_DECISION].u32[t];
    if (d != NO_ROW && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_CHECKPOINT) {
        if (k->c[C_DECISION_STATE].u8[d] == LSCHED_DECISION_CONFIRMED)
            text_put(e->o, ", has written its checkpoint, and is told to stop next");
        else
            text_put(e->o, ", can write a checkpoint until %s",
                     shown_moment(k->c[C_DECISION_UNTIL].i64[d], e->now).text);
    }
    if (k->c[C_TASK_STUCK].u8[t])
        text_put(e->o, ", but is overdue: no plan counts on its room any more");
    else
        text_put(e->o, ", gone by %s", shown_moment(k->c[C_TASK_RELEASE_AT].i64[t], e->now).text);
    if (d == NO_ROW || !say_why) return;
    uint32_t job = live_row(k, k->c[C_DECISION_FOR_JOB].u64[d], LSCHED_KIND_JOB, T_JOB);
    text_put(e->o, ": %s", reasons[k->c[C_DECISION_REASON].u8[d]]);
    if (job != NO_ROW) text_put(e->o, " for %s", shown_job(k, job).text);
}

static void put_why_stopped(const struct explain *e, uint32_t reason, uint32_t for_queue) {
    const struct columns *k = e->k;
    switch (reason) {
    case LSCHED_FOR_RECLAIM:
        text_put(e->o, ", because %s held more than its entitlement, and %s did not",
                 shown_queue(k, e->queue).text, shown_queue(k, for_queue).text);
        break;
    case LSCHED_FOR_PREEMPT: text_put(e->o, ", which ranks before it in the same queue"); break;
    case LSCHED_FOR_CONSOLIDATE: text_put(e->o, ", which fits when this one runs elsewhere"); break;
    default: break;
    }
}

/* Returns the number of the job's tasks that are evicted for the job `for_job` and the reason.
 * *cost is set to the sum of the costs of these evictions. Each call reads the whole list of
 * releasing tasks; this is cheap, because a job's tasks are evicted for few jobs. */
static uint32_t sum_of(const struct explain *e, uint64_t for_job, uint32_t reason, int64_t *cost) {
    const struct columns *k = e->k;
    uint32_t n = 0;
    *cost = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t d = k->c[C_TASK_DECISION].u32[t];
            if (d == NO_ROW || k->c[C_DECISION_FOR_JOB].u64[d] != for_job ||
                k->c[C_DECISION_REASON].u8[d] != reason)
                continue;
            n++;
            *cost += k->c[C_DECISION_COST].i64[d];
        }
    }
    return n;
}

static void taker_line(const struct explain *e, uint32_t d) {
    const struct columns *k = e->k;
    uint64_t id = k->c[C_DECISION_FOR_JOB].u64[d];
    uint32_t reason = k->c[C_DECISION_REASON].u8[d], job = live_row(k, id, LSCHED_KIND_JOB, T_JOB);
    int64_t cost;
    uint32_t n = sum_of(e, id, reason, &cost);
    PUT_LINE(e->o, "stopped", "%u task%s", n, plural(n));
    if (reason < LSCHED_FOR_STALE_GANG) put_cost(e, cost);
    text_put(e->o, ", by %s", reasons[reason]);
    if (own_causes[reason])
        text_put(e->o, ": %s", own_causes[reason]);
    else if (id == 0)
        text_put(e->o, ", so that whole nodes come free");
    else if (job == NO_ROW)
        text_put(e->o, " for a job that does not exist any more");
    else {
        uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
        text_put(e->o, " for %s (%s, priority %d)", shown_job(k, job).text,
                 shown_queue(k, queue).text, k->c[C_JOB_PRIORITY].i32[job]);
        put_why_stopped(e, reason, queue);
    }
    text_put(e->o, "\n");
}

/* For which job tasks were stopped, 0 for none, and why: one line of the text for each pair. */
struct taker {
    uint64_t job;
    uint8_t reason;
};

uint32_t explain_victim_takers(const struct explain *e) {
    const struct columns *k = e->k;
    struct taker told[4];
    uint32_t n = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[e->job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        for (uint32_t t = k->c[C_LEAF_LEAVING_FIRST].u32[l]; t != NO_ROW && n < 4;
             t = k->c[C_TASK_NEXT].u32[t]) {
            uint32_t d = k->c[C_TASK_DECISION].u32[t], i = 0;
            if (d == NO_ROW) continue;
            struct taker by = {k->c[C_DECISION_FOR_JOB].u64[d], k->c[C_DECISION_REASON].u8[d]};
            while (i < n && (told[i].job != by.job || told[i].reason != by.reason)) i++;
            if (i < n) continue;
            told[n++] = by;
            taker_line(e, d);
        }
    }
    return n;
}

/* ---- tasks on whose room the job waits ---- */

enum { NAMES_MAX = 4 };

struct leavers {
    uint32_t job[NAMES_MAX], n_jobs, tasks, stuck, more;
    int64_t last;
};

/* Counts a releasing task of any job. v->job[] keeps the first NAMES_MAX jobs by name. Therefore
 * the named jobs do not depend on the order of the nodes. */
static void add_leaver(const struct columns *k, uint32_t t, struct leavers *v) {
    uint32_t job = k->c[C_TASK_JOB].u32[t], i = 0;
    v->tasks++;
    v->stuck += k->c[C_TASK_STUCK].u8[t];
    if (k->c[C_TASK_RELEASE_AT].i64[t] > v->last) v->last = k->c[C_TASK_RELEASE_AT].i64[t];
    while (i < v->n_jobs && v->job[i] != job) i++;
    if (i < v->n_jobs) return;
    v->more |= v->n_jobs == NAMES_MAX;
    if (v->n_jobs < NAMES_MAX)
        v->n_jobs++;
    else if (!name_before(k, C_JOB_NAME, job, v->job[NAMES_MAX - 1]))
        return;
    for (i = v->n_jobs - 1; i > 0 && name_before(k, C_JOB_NAME, job, v->job[i - 1]); i--)
        v->job[i] = v->job[i - 1];
    v->job[i] = job;
}

static int nominations_room(const struct columns *k, uint32_t node, uint32_t job) {
    uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node];
    while (t != NO_ROW &&
           (k->c[C_TASK_JOB].u32[t] != job || k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_NOMINATED))
        t = k->c[C_TASK_NODE_NEXT].u32[t];
    return t != NO_ROW;
}

/* Writes which jobs still hold the room for which this job is nominated. Each node is read once,
 * even if the job has several nominations on the node. */
void explain_victim_nominations(const struct explain *e) {
    const struct columns *k = e->k;
    struct leavers v = {.last = 0};
    if (plan_waiting_nominated(k, e->job) == 0) return;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n) || k->c[C_NODE_FUTURE].u32[n] == 0 ||
            !nominations_room(k, n, e->job))
            continue;
        for (uint32_t u = k->c[C_NODE_TASK_FIRST].u32[n]; u != NO_ROW;
             u = k->c[C_TASK_NODE_NEXT].u32[u])
            if (k->c[C_TASK_STATE].u8[u] == LSCHED_TASK_RELEASING) add_leaver(k, u, &v);
    }
    if (v.tasks == 0) return;
    PUT_LINE(e->o, "room", "%u task%s still leave%s its nodes: ", v.tasks, plural(v.tasks),
             v.tasks == 1 ? "s" : "");
    for (uint32_t i = 0; i < v.n_jobs; i++)
        text_put(e->o, "%s%s", i ? ", " : "", shown_job(k, v.job[i]).text);
    text_put(e->o, "%s; the last by %s", v.more ? " and others" : "",
             shown_moment(v.last, e->now).text);
    if (v.stuck) text_put(e->o, " (%u overdue)", v.stuck);
    text_put(e->o, "\n");
}

/* ---- jobs that may evict this job ---- */

struct standing {
    uint32_t running, surplus;
    int64_t youngest;
};

/* Counts the job's running tasks, and how many of them are surplus. Surplus tasks are those above
 * the minimum of their leaf group. */
static struct standing explain_victim_standing_of(const struct columns *k, uint32_t job) {
    struct standing s = {0, 0, job_youngest(k, job)};
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l]) {
        uint32_t held = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l],
                 running = k->c[C_LEAF_RUNNING].u32[l],
                 min = k->c[C_GROUP_MIN].u32[group_row(k, jobshape, k->c[C_LEAF_GROUP].u32[l])];
        uint32_t spare = held > min ? held - min : 0;
        s.running += running;
        s.surplus += spare < running ? spare : running;
    }
    return s;
}

/* True if reclaim can evict the job for a queue whose common ancestor with the job's queue is
 * directly above path[level]. For this, each queue from the job's own queue up to path[level] must
 * use more than its guarantee. With the setting POLICY_PROTECT_DIVERGENCE, only path[level] must do
 * so. *stop is set to the index of the queue that forbids it. */
static int may_lose(const struct explain *e, uint32_t level, uint32_t *stop) {
    int divergence =
        policy_eviction_of(&e->c->policy.policy).protection == POLICY_PROTECT_DIVERGENCE;
    uint32_t kind;
    for (*stop = divergence ? level : 0; *stop <= level; ++*stop)
        if (!explain_queue_exceeded(e, *stop, &kind)) return 0;
    return 1;
}

/* Writes which queues can evict the job by reclaim. Returns 1 if there are such queues. */
static int put_other_queues(const struct explain *e) {
    /* queues below path[from] can evict the job; from == n_path means all queues, and 0 means
     * none */
    uint32_t from = 0, blocked = e->n_path, stop, kind;
    for (uint32_t level = 0; level < e->n_path; level++) {
        if (may_lose(e, level, &stop))
            from = level + 1;
        else if (blocked == e->n_path)
            blocked = stop;
    }
    if (from == 0) {
        text_put(e->o, "other queues must not stop it: %s is within its guarantee",
                 shown_queue(e->k, e->path[blocked < e->n_path ? blocked : 0]).text);
        return 0;
    }
    if (from < e->n_path)
        text_put(e->o, "queues below %s may stop it, other queues must not: ",
                 shown_queue(e->k, e->path[from]).text);
    else
        text_put(e->o, "other queues may stop it: ");
    explain_queue_exceeded(e, 0, &kind);
    const struct right *t = &e->right[kind][0];
    text_put(e->o, "%s is %s above its guarantee", shown_queue(e->k, e->path[0]).text,
             shown_amount(e->k, e->kinds[kind], t->used - t->guarantee).text);
    if (from < e->n_path && blocked < e->n_path)
        text_put(e->o, ", %s within its own", shown_queue(e->k, e->path[blocked]).text);
    return 1;
}

static void put_runtime(const struct explain *e, const struct standing *s, uint32_t column) {
    const struct columns *k = e->k;
    for (uint32_t i = 0; i < e->n_path; i++) {
        int64_t least = k->c[column].i64[e->path[i]];
        if (least == 0) continue;
        int64_t until = time_after(s->youngest, least);
        if (until <= e->now) return;
        text_put(e->o, ", but not before %s, a minimum run time of %s",
                 shown_moment(until, e->now).text, shown_span(least).text);
        if (s->surplus) text_put(e->o, ", except what is above its minimum");
        return;
    }
}

static void reclaim_line(const struct explain *e, const struct standing *s, int firm) {
    put_label(e->o, "reclaim");
    if (firm && s->surplus == 0) {
        text_put(e->o,
                 "no job may stop it: it is not preemptible and has no more than its minimum\n");
        return;
    }
    if (firm)
        text_put(e->o,
                 "only %s above its minimum can be stopped: ", counted(s->surplus, "task").text);
    int may = 1;
    if (e->has_rights)
        may = put_other_queues(e);
    else
        text_put(e->o, "other queues may stop it while its own has the larger dominant share");
    if (may && !firm) put_runtime(e, s, C_QUEUE_RECLAIM_MIN);
    text_put(e->o, "\n");
}

static void preempt_line(const struct explain *e, const struct standing *s, int firm) {
    int32_t priority = e->k->c[C_JOB_RANK].i32[e->job];
    const char *word = explain_rank_word(e->c);
    int is_over = soft_limit_end(e->k, e->job) <= e->now;
    put_label(e->o, "preempt");
    if (firm && s->surplus)
        text_put(e->o,
                 "jobs of its queue may stop what is above its minimum, %u task%s, from "
                 "%s %d on",
                 s->surplus, plural(s->surplus), word, priority);
    else if (firm)
        text_put(e->o, "no job of its queue may stop it: it is not preemptible");
    else
        text_put(e->o, "jobs of its queue %s %s %d%s may stop it", is_over ? "from" : "above", word,
                 priority, is_over ? " on" : "");
    if (!firm && !is_over && s->surplus)
        text_put(e->o, ", and at that priority what is above its minimum, %u task%s", s->surplus,
                 plural(s->surplus));
    if (!firm) put_runtime(e, s, C_QUEUE_PREEMPT_MIN);
    text_put(e->o, "\n");
}

void explain_victim(const struct explain *e) {
    struct standing s = explain_victim_standing_of(e->k, e->job);
    int firm = (e->k->c[C_JOB_FLAGS].u8[e->job] & LSCHED_JOB_NON_PREEMPTIBLE) != 0;
    if (s.running == 0) return;
    if (pipeline_has(e->c, "reclaim")) reclaim_line(e, &s, firm);
    if (pipeline_has(e->c, "preempt") && !(firm && s.surplus == 0 && pipeline_has(e->c, "reclaim")))
        preempt_line(e, &s, firm);
}

/* Writes three lines if they apply: the minimum that the policy has set, the time limit, and how
 * long the job has been idle. */
void explain_victim_limits(const struct explain *e) {
    const struct columns *k = e->k;
    int64_t limit = job_limit(k, e->job), due = job_due(k, e->job), idle;
    if (job_minimum_replaced(k, e->job)) {
        PUT_LINE(e->o, "gang",
                 "needs %u task%s to start because the policy says so; it was submitted with "
                 "%u\n",
                 k->c[C_JOBSHAPE_TASKS_MIN].u32[k->c[C_JOB_SHAPE].u32[e->job]],
                 plural(k->c[C_JOBSHAPE_TASKS_MIN].u32[k->c[C_JOB_SHAPE].u32[e->job]]),
                 job_minimum_submitted(k, e->job));
    }
    if (limit > 0) {
        put_label(e->o, "limit");
        if (due == LSCHED_NEVER_US)
            text_put(e->o, "may run for %s", shown_span(limit).text);
        else
            text_put(e->o, "runs until %s: its time limit of %s", shown_moment(due, e->now).text,
                     shown_span(limit).text);
        if (!e->ends_overdue)
            text_put(e->o, ", but is not stopped then (the pipeline has no evict-overdue)");
        text_put(e->o, "\n");
    }
    idle = job_idle_us(k, e->job, e->now);
    if (idle <= 0 || !pipeline_has(e->c, "evict-idle")) return;
    PUT_LINE(e->o, "idle",
             "uses %" PRId64 " %% of its GPUs, and not more than 5 %% for %s; the policy may stop "
             "it\n",
             job_gpu_used_milli(k, e->job) / 10, shown_span(idle).text);
}

void explain_victim_disturbed(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t c = k->c[C_JOB_COST].u32[e->job];
    if (c == NO_ROW) return;
    uint32_t n = k->c[C_COST_DISRUPTIONS].u32[c], max = k->c[C_COST_DISRUPTIONS_MAX].u32[c];
    int64_t window = k->c[C_COST_WINDOW].i64[c],
            until = time_after(k->c[C_COST_WINDOW_START].i64[c], window);
    if (window && n && until <= e->now) n = 0;
    if (n == 0 && max == 0) return;
    PUT_LINE(e->o, "disturbed", "%u time%s so far", n, plural(n));
    if (max) text_put(e->o, ", of at most %u", max);
    if (max && window) text_put(e->o, " in %s", shown_span(window).text);
    if (max && n >= max) {
        text_put(e->o, ": no more");
        if (window) text_put(e->o, " until %s", shown_moment(until, e->now).text);
    }
    text_put(e->o, "\n");
}
