/* hook_call.c -- see hook_call.h. */
#include "engine/policy_hooks/hook_call.h"

#include "engine/policy_hooks/hook_fields.h"
#include "model/nodes/node.h"

int hook_on(const struct lsched_cycle *y, uint32_t hook) {
    const struct policy_slot *p = &y->c->policy;
    return p->policy.ops && (p->policy.desc.hooks & hook) && !(y->hooks_off & hook);
}

int32_t hook_fail(struct lsched_cycle *y, uint32_t hook, int32_t rc, const lsched_error *err) {
    /* the cluster's allocator failed, not the policy's memory limit: the call fails and changes
     * nothing */
    if (rc == LSCHED_E_NOMEM) return rc;
    if (rc == LSCHED_E_INTERRUPTED) {
        y->flags |= LSCHED_PLAN_INTERRUPTED;
        y->c->interrupted = 1;
    }
    /* FAULT_SUB_* of the Lua host */
    if (err->sub) y->flags |= LSCHED_PLAN_POLICY_NOT_DETERMINISTIC;
    y->hook_failed = hook;
    y->policy_error = rc;
    memcpy(y->policy_message, err->message, sizeof y->policy_message);
    return LSCHED_E_POLICY;
}

static int view_label(void *engine, uint32_t node, const char *key, size_t key_len,
                      lsched_text *value) {
    const struct lsched_cycle *y = engine;
    return node_label(y->k, node, key, key_len, value);
}

int hooks_interrupted(void *engine) {
    const struct lsched_cycle *y = engine;
    return y->c->interrupted != 0;
}

static void view_log(void *engine, const char *line, size_t len) {
    policy_log_add(&((struct lsched_cycle *)engine)->log, line, len);
}

void hooks_view(struct lsched_cycle *y, struct policy_view *view) {
    *view = (struct policy_view){
        y,        (double)y->now / 1e6,    hook_fields_fill, view_label, hooks_interrupted,
        view_log, hook_fields_fill_numbers};
}
