/* node_taints.c -- see node_taints.h. */
#include "api/forms/node_taints.h"

#include <stdio.h>

#include "api/door/args.h"
#include "model/jobs/losses.h"
#include "model/jobs/task.h"
#include "model/nodes/node.h"
#include "model/told/change_feed.h"
#include "model/shapes/node_rules.h"

static int taint_order(const lsched_taint *a, const lsched_taint *b) {
    int c = text_order(a->key, b->key);
    if (c == 0) c = text_order(a->value, b->value);
    return c != 0 ? c : a->effect < b->effect ? -1 : a->effect > b->effect;
}

static int32_t taint_read(lsched_taint *t, const char *where, lsched_error *err) {
    int32_t rc = arg_name(&t->key, "taint", err);
    if (rc != LSCHED_OK) return rc;
    t->value = arg_text(t->value);
    int len = (int)t->key.len;
    if (t->value.len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL, "%s: the value of taint '%.*s' is longer than 255 bytes",
                    where, len, t->key.ptr);
    if (t->effect > LSCHED_TAINT_STOP)
        return fail(err, LSCHED_E_INVAL, "%s: taint '%.*s' has effect %u; expected LSCHED_TAINT_*",
                    where, len, t->key.ptr, t->effect);
    return LSCHED_OK;
}

/* Returns the time at which a taint that stops running tasks was added. If the node already has
 * the taint, its earlier time is kept, unless the clock was set back to a time before it. */
static int64_t since_of(const struct columns *k, const lsched_taint *t, const lsched_taint *old,
                        const int64_t *since, uint32_t n_old) {
    int64_t now = (int64_t)meta(k, M_NOW);
    if (t->effect != LSCHED_TAINT_STOP) return 0;
    for (uint32_t i = 0; i < n_old; i++)
        if (taint_order(t, &old[i]) == 0) return since[i] < now ? since[i] : now;
    return now;
}

int32_t node_taints_read(const struct columns *k, uint32_t before, const lsched_taint *taints,
                         uint32_t n, struct bytes *out, const char *where, lsched_error *err) {
    lsched_taint sorted[LIMIT_TAINTS_PER_NODE], old[LIMIT_TAINTS_PER_NODE];
    int64_t since[LIMIT_TAINTS_PER_NODE];
    uint32_t n_old = rules_taints(k, before, old, since);
    if (n > LIMIT_TAINTS_PER_NODE)
        return fail(err, LSCHED_E_LIMIT, "%s: more than %u taints", where, LIMIT_TAINTS_PER_NODE);
    if (n && !taints) return fail(err, LSCHED_E_NULL, "%s: taints is NULL", where);
    for (uint32_t i = 0; i < n; i++) {
        lsched_taint t = taints[i];
        int32_t rc = arg_reserved_at(t.reserved_zero, "reserved_zero", where, "taint", i, err);
        if (rc == LSCHED_OK) rc = taint_read(&t, where, err);
        if (rc != LSCHED_OK) return rc;
        uint32_t j = i;
        for (; j > 0 && taint_order(&t, &sorted[j - 1]) < 0; j--) sorted[j] = sorted[j - 1];
        if (j > 0 && taint_order(&t, &sorted[j - 1]) == 0)
            return fail(err, LSCHED_E_INVAL, "%s: taint '%.*s' is given twice", where,
                        (int)t.key.len, t.key.ptr);
        sorted[j] = t;
    }
    if (n) bytes_u32(out, n);
    for (uint32_t i = 0; i < n; i++) {
        bytes_text(out, sorted[i].key);
        bytes_text(out, sorted[i].value);
        bytes_u32(out, sorted[i].effect);
        bytes_i64(out, since_of(k, &sorted[i], old, since, n_old));
    }
    return out->failed ? LSCHED_E_NOMEM : LSCHED_OK;
}

/* True if the node's labels and taints, and the taints of the devices that the task holds, allow
 * the task to start. */
static int is_welcome(const struct columns *k, uint32_t node, uint32_t task) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], shape = task_shape(k, task);
    if (!node_welcomes(k, node, shape)) return 0;
    if (k->c[C_NODE_TAINTED].u8[node] == 0) return 1;
    DEVICE_SET_EACH(m, task_device_set(k, task))
        if (rules_taints_judge(k, device_taints_row(k, first + m.at), shape, NULL) != RULES_ALLOW)
            return 0;
    return 1;
}

/* Returns a nominated task of the node that labels or taints no longer allow to start, NO_ROW if
 * there is none. */
static uint32_t claim_lost(const struct columns *k, uint32_t node) {
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED && !is_welcome(k, node, t)) return t;
    return NO_ROW;
}

int32_t node_rules_changed(struct columns *k, uint32_t node) {
    int32_t rc = undo_room(k);
    for (uint32_t t = claim_lost(k, node); t != NO_ROW && rc == LSCHED_OK;
         t = claim_lost(k, node)) {
        uint32_t job = k->c[C_TASK_JOB].u32[t], why = change_feed_because(k, LSCHED_BECAUSE_NODE);
        task_release(k, t, LSCHED_TASK_NONE);
        change_feed_because(k, why);
        rc = job_settle_losses(k, job, (int64_t)meta(k, M_NOW), NULL, NULL);
        if (rc == LSCHED_OK) rc = undo_room(k);
    }
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && rc == LSCHED_OK;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        rc = undo_room(k);
        int stray = !k->c[C_TASK_IMPORTED].u8[t] && !is_welcome(k, node, t);
        if (rc == LSCHED_OK) set_u8(k, C_TASK_STRAY, t, (uint8_t)stray);
    }
    return rc;
}

int32_t node_rules_update(struct columns *k, uint32_t node, const lsched_node_update *u,
                          lsched_error *err) {
    struct node_rules_change to = {.sets_taints = (u->set & LSCHED_NODE_SET_TAINTS) != 0,
                                   .sets_tasks_max = (u->set & LSCHED_NODE_SET_TASKS_MAX) != 0,
                                   .tasks_max = u->tasks_max};
    struct bytes taints;
    if (!to.sets_taints && !to.sets_tasks_max) return LSCHED_OK;
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    char where[LSCHED_NAME_BYTES_MAX + 32]; /* fail() shortens the name */
    snprintf(where, sizeof where, "node '%.*s'", (int)name.len, name.ptr);
    bytes_init(&taints, k->alloc);
    int32_t rc = to.sets_taints ? node_taints_read(k, node_taints_row(k, node), u->taints,
                                                   u->n_taints, &taints, where, err)
                                : LSCHED_OK;
    to.taints = taints.n ? &taints : NULL;
    if (rc == LSCHED_OK) rc = node_set_rules(k, node, &to);
    bytes_close(&taints);
    return rc == LSCHED_OK ? node_rules_changed(k, node) : rc;
}
