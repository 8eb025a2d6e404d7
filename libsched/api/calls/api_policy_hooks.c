/*
 * api_policy_hooks.c -- calls about the hooks of the policy in force: how each hook is evaluated
 * (in Lua or compiled), and the summands of a hook's result.
 *
 * A hook needs a view of the state. Here the view is made as in a cycle, but no cycle runs.
 */
#include "api/door/args.h"
#include "engine/state/cycle_state.h"
#include "engine/policy_hooks/hook_nodes.h"

static void copy_text(char *out, size_t cap, const char *text) {
    size_t n = strlen(text);
    memcpy(out, text, n < cap ? n : cap - 1);
}

LSCHED_API int32_t lsched_policy_hooks_at(const lsched_cluster *c, size_t i,
                                          lsched_policy_hook_info *out, lsched_error *err) {
    int32_t rc = arg_query(c, out, err);
    if (rc != LSCHED_OK) return rc;
    if (c->busy) return arg_busy(err);
    const struct policy *p = &c->policy.policy;
    for (uint32_t hook = 0; p->ops && p->ops->describe && hook < POLICY_HOOKS; hook++) {
        struct policy_hook_note note;
        if (!(p->desc.hooks >> hook & 1) || i-- > 0) continue;
        p->ops->describe(p->self, (enum policy_hook)hook, &note);
        lsched_policy_hook_info info = {
            .size = sizeof info,
            .hook = UINT32_C(1) << hook,
            .line = note.line,
            .column = note.column,
            .lifted = note.is_lifted,
            .ops = note.ops,
            .reason_line = note.reason_line,
            .reason_column = note.reason_column,
            .instructions = note.instructions,
            .fields_read = {p->desc.fields_read[hook][0], p->desc.fields_read[hook][1]},
            .reads_now = p->desc.uses_now[hook] != 0,
            .spent = note.spent,
            .asked = note.asked,
            .kept = note.kept};
        copy_text(info.name, sizeof info.name, note.name);
        copy_text(info.reason, sizeof info.reason, note.reason);
        rc = arg_out(out, &info, (uint32_t)sizeof info);
        return rc == LSCHED_OK
                   ? rc
                   : fail(err, rc, "out: its size is not set; set it to sizeof of the struct");
    }
    return fail(err, LSCHED_E_NOENT, "the policy has %zu hooks", lsched_policy_hooks_size(c));
}

LSCHED_API size_t lsched_policy_hooks_size(const lsched_cluster *c) {
    const struct policy *p = c && !c->busy ? &c->policy.policy : NULL;
    return p && p->ops && p->ops->describe ? (size_t)__builtin_popcount(p->desc.hooks) : 0;
}

/* Evaluates a hook once and sets *value.
 * a: row of the job or queue
 * b: row of the node, or of the job's queue */
static int32_t ask(const struct policy *p, const struct policy_view *view, enum policy_hook hook,
                   uint32_t a, uint32_t b, double *value, lsched_error *err) {
    p->ops->cycle_begin(p->self);
    switch (hook) {
    case POLICY_HOOK_PRIORITY: return p->ops->priority(p->self, view, &a, &b, 1, value, err);
    case POLICY_HOOK_PREEMPT_PRIORITY:
        return p->ops->preempt_priority(p->self, view, &a, &b, 1, value, err);
    case POLICY_HOOK_TIME_LIMIT: return p->ops->time_limit(p->self, view, &a, &b, 1, value, err);
    case POLICY_HOOK_WEIGHT: return p->ops->weight(p->self, view, &a, 1, value, err);
    case POLICY_HOOK_QUEUE_ORDER: return p->ops->queue_order(p->self, view, &a, 1, value, err);
    default: return p->ops->score(p->self, view, a, &b, 1, value, err);
    }
}

struct hook_question {
    enum policy_hook hook;
    uint32_t job, a, b; /* job: row of the job; a, b: rows as in ask() */
};

static int32_t question_of(const lsched_cluster *c, uint32_t hook, lsched_id job, lsched_id node,
                           struct hook_question *q, lsched_error *err) {
    static const enum policy_hook known[] = {POLICY_HOOK_PRIORITY,    POLICY_HOOK_PREEMPT_PRIORITY,
                                             POLICY_HOOK_TIME_LIMIT,  POLICY_HOOK_WEIGHT,
                                             POLICY_HOOK_QUEUE_ORDER, POLICY_HOOK_SCORE};
    size_t i = 0;
    while (i < sizeof known / sizeof known[0] && hook != UINT32_C(1) << known[i]) i++;
    if (i == sizeof known / sizeof known[0])
        return fail(err, LSCHED_E_INVAL, "hook %u does not return a number for a job or a node",
                    hook);
    if (!c->policy.policy.ops || !(c->policy.policy.desc.hooks & hook))
        return fail(err, LSCHED_E_NOENT, "the policy has no such hook");
    q->hook = known[i];
    int32_t rc = arg_id(&c->k, job, LSCHED_KIND_JOB, &q->job, err);
    if (rc != LSCHED_OK) return rc;
    uint32_t queue = c->k.c[C_JOB_QUEUE].u32[q->job];
    int is_of_queue = q->hook == POLICY_HOOK_WEIGHT || q->hook == POLICY_HOOK_QUEUE_ORDER;
    q->a = is_of_queue ? queue : q->job;
    q->b = queue;
    if (q->hook != POLICY_HOOK_SCORE) return LSCHED_OK;
    return arg_id(&c->k, node, LSCHED_KIND_NODE, &q->b, err);
}

LSCHED_API int32_t lsched_policy_terms(const lsched_cluster *cluster, uint32_t hook, lsched_id job,
                                       lsched_id node, int64_t now_us, lsched_policy_term *terms,
                                       size_t capacity, double *value, lsched_error *err) {
    lsched_cluster *c = arg_caches_of(cluster);
    struct hook_question q = {0};
    struct policy_view view;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !value || (capacity && !terms))
        return fail(err, LSCHED_E_NULL, "cluster, value or terms is NULL");
    if (c->busy) return arg_busy(err);
    rc = arg_time(now_us, "now_us", err);
    if (rc == LSCHED_OK) rc = question_of(c, hook, job, node, &q, err);
    if (rc != LSCHED_OK) return rc;
    struct lsched_cycle *cy = alloc_zero(&c->alloc, sizeof *cy);
    if (!cy) return fail_plain(err, LSCHED_E_NOMEM);
    cy->c = c;
    cy->k = &c->k;
    cy->now = now_us;
    cy->turn.job = q.job;
    hook_view(cy, &view);
    view.log = NULL;
    const struct policy *p = &c->policy.policy;
    c->busy = 1;
    rc = ask(p, &view, q.hook, q.a, q.b, value, err);
    if (rc == LSCHED_OK && p->ops->terms)
        rc = (int32_t)p->ops->terms(p->self, &view, q.hook, q.a, q.b, terms, capacity);
    c->busy = 0;
    alloc_free(&c->alloc, cy, sizeof *cy);
    return rc;
}
