/* explain_wait.c -- see explain_wait.h. The text is one line, which is also shown in tables of
 * plans. */
#include "engine/explain/explain_wait.h"

#include "base/padded_names.h"
#include "engine/policy_hooks/growth_gain.h"
#include "engine/exclusions/explain_contention.h"
#include "engine/exclusions/explain_absence.h"
#include "engine/explain/explain_allowance.h"
#include "engine/exclusions/explain_devices.h"
#include "engine/exclusions/explain_machine.h"
#include "engine/exclusions/explain_mig.h"
#include "engine/explain/explain_gate.h"
#include "engine/explain/explain_names.h"
#include "engine/exclusions/explain_nodes.h"
#include "engine/explain/explain_places.h"
#include "engine/explain/explain_refresh.h"
#include "engine/exclusions/explain_rules.h"
#include "engine/exclusions/explain_shortage.h"
#include "engine/exclusions/explain_supply.h"
#include "engine/waits/refusal_wait.h"
#include "model/devices/resource_part.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/queues/user_queue.h"
#include "model/store/timer.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"

/* If the policy's hook sets the queue's limit, writes this and the time until which the limit
 * holds. */
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
    text_put(o, ", until %s", shown_moment(until, now).text);
}

static void put_limit(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    uint32_t q = (uint32_t)w->limiting_queue;
    struct resource_part_amount a = queue_limit(k, q, w->kind);
    if (a.limit_now > QUEUE_USED_MOST && !kind_is_part(k, w->kind)) {
        text_put(o, "no queue may use %s or more, and queue %s uses %s; the job needs %s more",
                 shown_amount(k, w->kind, LSCHED_AMOUNT_MAX).text, shown_queue(k, q).text,
                 shown_amount(k, w->kind, a.used).text, shown_amount(k, w->kind, w->need).text);
        return;
    }
    text_put(o, "queue %s may use %s and uses %s; the job needs %s more", shown_queue(k, q).text,
             shown_amount(k, w->kind, a.limit_now).text, shown_amount(k, w->kind, a.used).text,
             shown_amount(k, w->kind, w->need).text);
    put_limit_hook(c, w, o);
}

static void explain_wait_put_never(const struct columns *k, const lsched_waiting *w,
                                   struct text_out *o) {
    uint32_t shape = waiting_shape(k, w), said = 0;
    struct shortage s;
    explain_shortage_nearest(k, shape, DEVICE_EMPTY, 0, &s, NULL);
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
    explain_names_models(k, shape, o);
    uint32_t picky = k->c[C_SHAPE_PICKY].u8[shape];
    if (k->c[C_SHAPE_SELECTOR].u32[shape] != NO_ROW || (picky & PICKY_MATCH))
        text_put(o, ", counting only devices that its device requests allow");
    explain_machine_put_wishes(k, shape, o);
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    if (!put_mig_instance(k, shape, o) && milli > 0 && milli < 1000)
        text_put(o, " that tasks may share");
    explain_mig_put_fixed(k, shape, o);
    explain_names_labels(k, shape, s.node, o);
    if (s.node == NO_ROW) text_put(o, "; there is no node");
    if (s.kinds) text_put(o, "; ");
    if (s.kinds) explain_shortage_put(k, &s, o);
    explain_rules_put_unwelcome(k, shape, o);
}

/* Writes the text for a gang. A gang below its minimum needs room for all missing tasks at once. A
 * gang that has its minimum needs room for one more task. */
static void put_gang(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (job_satisfied(k, (uint32_t)w->job)) {
        text_put(o,
                 job_stands(k, (uint32_t)w->job)
                     ? "it has its minimum; one more task "
                     : "its minimum is nominated and starts when the room is free; one more task ");
        explain_nodes_put_room(k, w, o);
        return;
    }
    struct shortage s;
    uint32_t shape = waiting_shape(k, w), able = explain_nodes_count(k, shape, 0).able;
    explain_shortage_nearest(k, shape, DEVICE_NOW, 1, &s, NULL);
    if (w->need == 1)
        text_put(o, "its one member that must start does not fit; it needs ");
    else
        text_put(o,
                 "%" PRId64 " of the %" PRId64 " members that must start together fit; each needs ",
                 w->have, w->need);
    put_task_need(k, shape, w->kind, o);
    text_put(o, " on one node");
    explain_machine_put_wishes(k, shape, o);
    text_put(o, ", which %u node%s can hold when empty", able, plural(able));
    explain_nodes_put_too_large(k, (uint32_t)w->job, waiting_shape(k, w), o);
    explain_rules_put_tainted_devices(k, shape, o);
    if (s.node == NO_ROW || (s.kinds & ~(1u << w->kind)) == 0) return;
    text_put(o, "; for one more ");
    explain_shortage_put(k, &s, o);
    text_put(o, " free");
}

/* Writes the limits on the group's tasks in one domain and on one node, such as "at most 1 task of
 * the group may be in one rack: 2 of the 3 needed find a place; a task ". */
static void put_spread(const struct columns *k, const lsched_waiting *w, uint32_t row,
                       struct text_out *o) {
    uint32_t level = k->c[C_GROUP_SPREAD].u32[row], max = k->c[C_GROUP_SPREAD_MAX].u32[row],
             node_max = k->c[C_GROUP_NODE_MAX].u32[row];
    if (level != NO_ROW) {
        lsched_text key = topology_level_key(k, k->c[C_GROUP_TOPOLOGY].u32[row], level);
        text_put(o, "at most %u task%s of the group may be in one %s", max, plural(max),
                 shown(key).text);
    }
    if (node_max && level != NO_ROW) text_put(o, ", and at most %u on one node", node_max);
    if (node_max && level == NO_ROW)
        text_put(o, "at most %u task%s of the group may be on one node", node_max,
                 plural(node_max));
    text_put(o, ": %" PRId64 " of the %" PRId64 " needed find a place; a task ", w->have, w->need);
}

static void put_level(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[(uint32_t)w->job], w->task_group);
    if (w->have >= 0 && group_is_spread(k, row))
        put_spread(k, w, row, o);
    else
        explain_places_put(k, w, o);
}

/* ---- limits, guarantees and lending of queues ---- */

/* Returns the name of the limiting queue in the record, "a queue" if the record has none. */
static struct shown shown_limiting(const struct columns *k, const lsched_waiting *w) {
    return w->limiting_queue ? shown_queue(k, (uint32_t)w->limiting_queue)
                             : (struct shown){"a queue"};
}

static void put_quota(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o,
             "it is not preemptible, so its minimum must fit the guarantee: that of %s leaves %s "
             "for such work, and it needs %s",
             shown_limiting(k, w).text, shown_amount(k, w->kind, w->have > 0 ? w->have : 0).text,
             shown_number(w->kind, w->need).text);
}

static void put_jobs(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "queue %s has %" PRId64 " job%s that hold%s tasks, and may have %" PRId64,
             shown_limiting(k, w).text, w->need - 1, plural((uint64_t)w->need - 1),
             w->need == 2 ? "s" : "", w->have);
}

/* Writes that idle amounts are kept: by a lend limit for the owners of guarantees, or, if the
 * record names the job's own queue, by the guarantee reserve for jobs within their guarantee. */
static void put_lending(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (queue_same_real(k, (uint32_t)w->limiting_queue, k->c[C_JOB_QUEUE].u32[(uint32_t)w->job])) {
        text_put(o,
                 "idle amounts are kept for jobs within their guarantee, whose victims are still "
                 "in their minimum run time: %s would be left for it, and it needs %s",
                 shown_amount(k, w->kind, w->have).text, shown_number(w->kind, w->need).text);
        return;
    }
    text_put(o,
             "idle amounts are kept for their owners, most for %s: they lend %s more, and "
             "it needs %s",
             shown_limiting(k, w).text, shown_amount(k, w->kind, w->have).text,
             shown_number(w->kind, w->need).text);
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

/* Writes that the job waits for releasing tasks. With LSCHED_WAIT_LEAVING, these are the job's own
 * evicted tasks. With LSCHED_WAIT_NOMINATED, they are the tasks that hold the room for which the
 * job is nominated. */
static void put_claim(const struct columns *k, const lsched_waiting *w, int64_t now,
                      struct text_out *o) {
    int late = w->until_us < now, due = w->until_us == now;
    const char *it = w->code == LSCHED_WAIT_LEAVING ? "its old tasks are still stopping; they"
                     : job_releasing(k, (uint32_t)w->job) > 0 ? "it moves: its old place"
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

/* Writes the planned start, such as "planned for 14:20 on node n3, when job x ends". A job without
 * a planned start gets the text that a start now would delay planned jobs. */
static void put_planned(const struct columns *k, const lsched_waiting *w, int64_t now,
                        struct text_out *o) {
    uint32_t node = live_row(k, w->plan_node, LSCHED_KIND_NODE, T_NODE),
             job = live_row(k, w->plan_job, LSCHED_KIND_JOB, T_JOB);
    if (node == NO_ROW) {
        text_put(o,
                 w->plan_node
                     ? "it was planned for a node that does not exist any more; it is planned again"
                     : "a place now would delay jobs before it; it is planned again");
        if (w->plan_node == 0) put_time(o, w->until_us, now);
        return;
    }
    text_put(o,
             w->firm_us == LSCHED_NEVER_US ? "planned for %s on node %s" : "firm by %s on node %s",
             shown_moment(w->until_us, now).text, shown_node(k, node).text);
    if (job != NO_ROW) text_put(o, ", when %s ends", shown_job(k, job).text);
}

static void explain_wait_put_held(const struct columns *k, uint32_t job, struct text_out *o) {
    int64_t us = job_held(k, job) ? k->c[C_COST_HELD_US].i64[k->c[C_JOB_COST].u32[job]] : 0;
    text_put(o, job_held(k, job) == LSCHED_HELD_IDLE
                    ? "held: was idle for "
                    : "held: ran for longer than its time limit of ");
    text_put(o, "%s; an update with LSCHED_JOB_SET_AGAIN lets it start again", shown_span(us).text);
}

void explain_wait_put_host(const struct columns *k, uint32_t job, int64_t now, struct text_out *o) {
    int64_t until = job_host_hold(k, job);
    uint32_t w = k->c[C_JOB_WATCH].u32[job],
             reason = w == NO_ROW ? NO_ROW : k->c[C_WATCH_HOST_REASON].u32[w];
    text_put(o, "held by the orchestrator until ");
    if (until == 0 || until == LSCHED_NEVER_US)
        text_put(o, "it is released");
    else
        text_put(o, "%s", shown_moment(until, now).text);
    if (reason != NO_ROW) {
        text_put(o, ": ");
        put_name(k, o, intern_text(k, T_STRING, reason));
    }
    if (!job_held(k, job)) return;
    text_put(o, "; besides, it is ");
    explain_wait_put_held(k, job, o);
}

static void put_refused(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t reason = k->c[C_JOB_REASON].u32[(uint32_t)w->job];
    text_put(o, w->code == LSCHED_WAIT_ADMIT ? "not admitted by the policy"
                                             : "the policy failed, and this hook fails closed");
    if (reason == NO_ROW) return;
    text_put(o, ": %s", shown_name(k, intern_text(k, T_STRING, reason)).text);
}

/* ---- all codes ---- */

enum { BOUND_SHOWN = 1 << 30 }; /* a budget of this size or more is not shown */

static void put_budget(const lsched_waiting *w, struct text_out *o) {
    if (w->need == 0) {
        text_put(o, "its turn has not come: the cycle's budget was spent first; the next cycle "
                    "continues");
        return;
    }
    if (w->have == INT64_MAX) { /* step_aside in place_calls.c sets this value */
        text_put(o,
                 "interrupts ended several cycles in a row while they tried it; the next refresh "
                 "tries it again");
        return;
    }
    text_put(o, "it alone needs more work units than a whole cycle had");
    if (w->need < BOUND_SHOWN) text_put(o, ", %" PRId64 " units of work", w->need);
    if (w->have > 0 && w->have < BOUND_SHOWN)
        text_put(o, "%s %" PRId64 " decisions", w->need < BOUND_SHOWN ? " and" : ",", w->have);
}

/* Writes that the policy's filter hook left no node for the job. As an example, the text names the
 * first node by name that has room. */
static void put_filter(const struct lsched_cluster *c, const lsched_waiting *w,
                       struct text_out *o) {
    const struct columns *k = &c->k;
    uint32_t shape = waiting_shape(k, w), first = NO_ROW;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
        if (node_is_usable(k, n, shape) && node_fits(k, n, shape) &&
            name_before(k, C_NODE_NAME, n, first))
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
    text_put(o, " left none of the nodes that have room, such as %s; %" PRIu64 " could hold it",
             shown_node(k, first).text, w->nodes_able);
}

/* Writes the text for a wait code about nodes. Returns 0 and writes nothing if the code is about
 * something else. */
static int put_nodes(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    switch (w->code) {
    case LSCHED_WAIT_ROOM: explain_nodes_put_room(k, w, o); break;
    case LSCHED_WAIT_NEVER_FITS: explain_wait_put_never(k, w, o); break;
    case LSCHED_WAIT_GANG: put_gang(k, w, o); break;
    case LSCHED_WAIT_FILTER: put_filter(c, w, o); break;
    case LSCHED_WAIT_ABSENCE:
        /* other work can have taken the room of the nodes that leave */
        if (!explain_absence_put(k, w, o)) explain_nodes_put_room(k, w, o);
        break;
    case LSCHED_WAIT_TOPOLOGY:
        put_level(k, w, o);
        explain_nodes_put_room(k, w, o);
        explain_places_put_lack(k, w, o);
        break;
    case LSCHED_WAIT_RULES: explain_rules_put_neighbours(k, w, o); break;
    case LSCHED_WAIT_REFUSED: refusal_wait_put(k, w, o); break;
    default: return 0;
    }
    if (waits_for_room(w->code) || w->code == LSCHED_WAIT_NEVER_FITS)
        explain_devices_put_closed(k, waiting_shape(k, w), o);
    if (waits_for_room(w->code)) explain_contention_put(k, waiting_shape(k, w), o);
    if (waits_for_room(w->code)) explain_nodes_put_stuck(k, w, o);
    return 1;
}

/* Writes the text for a wait code about queues or supplies. Returns 0 and writes nothing if the
 * code is about something else. */
static int put_queues(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    switch (w->code) {
    case LSCHED_WAIT_LIMIT: put_limit(c, w, o); break;
    case LSCHED_WAIT_QUOTA: put_quota(&c->k, w, o); break;
    case LSCHED_WAIT_JOBS: put_jobs(&c->k, w, o); break;
    case LSCHED_WAIT_LENDING: put_lending(&c->k, w, o); break;
    case LSCHED_WAIT_SUPPLY: explain_supply_put(&c->k, w, o); break;
    case LSCHED_WAIT_ALLOWANCE: explain_allowance_put(&c->k, w, o); break;
    default: return 0;
    }
    return 1;
}

static void put_retries(const lsched_waiting *w, struct text_out *o) {
    text_put(o,
             "failed %s, and is tried again after at most %" PRId64
             " failure%s; an update with LSCHED_JOB_SET_AGAIN sets the count to 0",
             counted((uint64_t)w->have, "time").text, w->need, plural((uint64_t)w->need));
}

/* Writes that the job waits for members that do not exist yet. */
static void put_members(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    if (job_satisfied(k, (uint32_t)w->job))
        text_put(o, "all members that exist have a place: %" PRId64 " of %" PRId64, w->have,
                 w->need);
    else if (w->need == 1)
        text_put(o, "the one member that must start does not exist");
    else
        text_put(o, "%" PRId64 " of the %" PRId64 " members that must start together exist",
                 w->have, w->need);
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[(uint32_t)w->job]] > 1)
        text_put(o, " in group %u", w->task_group);
    text_put(o, "; it is tried again when lsched_jobs_update says that more members exist");
}

/* Writes that the job has all devices that make it faster. */
static void put_gain(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct policy *p = &c->policy.policy;
    const struct speed_table *t = &p->desc.speeds;
    const struct growth_gain g = growth_gain_of(p, &c->k, (uint32_t)w->job);
    if (!g.kind) { /* another policy has been loaded since */
        text_put(o, "a further task gained nothing; the next cycle tries it again");
        return;
    }
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    text_put(o, "a further task gains nothing: by speeds.scaling, work of kind '%s' has the speed ",
             shown(padded_text(&kinds, g.kind - 1)).text);
    put_number(o, LSCHED_CPU, growth_gain_speed(t, g.kind - 1, g.devices));
    text_put(o, " on the %s that it has and ", counted(g.devices, "device").text);
    put_number(o, LSCHED_CPU, growth_gain_speed(t, g.kind - 1, g.devices + g.more));
    text_put(o, " on %u; it is tried again when one of its tasks ends or the policy changes",
             g.devices + g.more);
}

static void put_pipeline(const struct lsched_cluster *c, struct text_out *o) {
    text_put(o, "the policy's pipeline");
    put_hook_line(c, POLICY_HOOK_PIPELINE, o);
    text_put(o, " places nothing");
}

void explain_wait_put(const struct lsched_cluster *c, const lsched_waiting *w, struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t now = (int64_t)meta(k, M_NOW);
    if (explain_refresh_is_over(k, w)) {
        text_put(o, "what it waited for has happened: the next cycle tries it again");
        return;
    }
    if (put_nodes(c, w, o) || put_queues(c, w, o)) return;
    switch (w->code) {
    case LSCHED_WAIT_ADMIT:
    case LSCHED_WAIT_POLICY: put_refused(k, w, o); break;
    case LSCHED_WAIT_BUDGET: put_budget(w, o); break;
    case LSCHED_WAIT_BACKOFF: put_backoff(w, now, o); break;
    case LSCHED_WAIT_RETRIES: put_retries(w, o); break;
    case LSCHED_WAIT_PIPELINE: put_pipeline(c, o); break;
    case LSCHED_WAIT_MEMBERS: put_members(k, w, o); break;
    case LSCHED_WAIT_GAIN: put_gain(c, w, o); break;
    case LSCHED_WAIT_PLANNED: put_planned(k, w, now, o); break;
    case LSCHED_WAIT_HELD: explain_wait_put_held(k, (uint32_t)w->job, o); break;
    case LSCHED_WAIT_HOST_HOLD: explain_wait_put_host(k, (uint32_t)w->job, now, o); break;
    case LSCHED_WAIT_BEGIN:
    case LSCHED_WAIT_DEPENDENCY:
    case LSCHED_WAIT_DEPENDENCY_NEVER: explain_gate_put(k, (uint32_t)w->job, now, o); break;
    case LSCHED_WAIT_LEAVING:
    case LSCHED_WAIT_NOMINATED: put_claim(k, w, now, o); break;
    default: text_put(o, "waits for the next cycle"); break;
    }
}
