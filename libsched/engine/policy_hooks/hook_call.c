/* hook_call.c -- see hook_call.h. */
#include "engine/policy_hooks/hook_call.h"

#include "engine/policy_hooks/hook_fields.h"
#include "model/nodes/node.h"

int hook_on(const struct lsched_cycle *cy, uint32_t hook) {
    const struct policy_slot *p = &cy->c->policy;
    return p->policy.ops && (p->policy.desc.hooks & hook) && !(cy->policy.hooks_off & hook);
}

int32_t hook_fail(struct lsched_cycle *cy, uint32_t hook, int32_t rc, const lsched_error *err) {
    /* The cluster's memory ran out, and not the memory that the policy is allowed to use.
     * Therefore the call of the library fails and changes nothing. */
    if (rc == LSCHED_E_NOMEM) return rc;
    if (rc == LSCHED_E_INTERRUPTED) {
        cy->flags |= LSCHED_PLAN_INTERRUPTED;
        cy->c->interrupted = 1;
    }
    /* LSCHED_SUB_* of the Lua host */
    if (err->sub) cy->flags |= LSCHED_PLAN_POLICY_NOT_DETERMINISTIC;
    cy->policy.hook_failed = hook;
    cy->policy.error = rc;
    memcpy(cy->policy.message, err->message, sizeof cy->policy.message);
    return LSCHED_E_POLICY;
}

static int view_label(void *engine, uint32_t node, const char *key, size_t key_len,
                      lsched_text *value) {
    const struct lsched_cycle *cy = engine;
    return node_label(cy->k, node, key, key_len, value);
}

int hook_interrupted(void *engine) {
    const struct lsched_cycle *cy = engine;
    return cy->c->interrupted != 0;
}

static void view_log(void *engine, const char *line, size_t len) {
    policy_log_add(&((struct lsched_cycle *)engine)->policy.log, line, len);
}

void hook_view(struct lsched_cycle *cy, struct policy_view *view) {
    *view = (struct policy_view){
        cy,       (double)cy->now / 1e6,   hook_fields_fill, view_label, hook_interrupted,
        view_log, hook_fields_fill_numbers};
}

void hook_begin(struct lsched_cycle *cy, struct hook_call *h) {
    h->ops = cy->c->policy.policy.ops;
    h->self = cy->c->policy.policy.self;
    h->err = (lsched_error)LSCHED_ERROR_INIT;
    hook_view(cy, &h->view);
}

int hook_answer_changes(const struct policy_desc *d, enum policy_hook hook) {
    uint64_t each = 0;
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        uint32_t scope = policy_field_infos[f].scope;
        if (scope == POLICY_SCOPE_NOW || scope == POLICY_SCOPE_STATE)
            each |= d->fields_read[hook][f / 64] >> (f % 64) & 1;
    }
    return d->uses_now[hook] || each;
}

int64_t hook_round(double v) {
    double q = v * 1048576.0;
    if (q >= 4.0e18) return (int64_t)4e18;
    if (q <= -4.0e18) return -(int64_t)4e18;
    return (int64_t)(q < 0 ? q - 0.5 : q + 0.5);
}
