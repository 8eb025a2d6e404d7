/*
 * plan.c -- see plan.h.
 *
 * The plan hash is computed from the decisions and then from the wait reasons, which are sorted by
 * queue name and job order. A decision counts with its kind and reason, the names of its job and
 * node, the index of its task, and its devices. Because names and not rows are hashed, plans of
 * equal meaning have the same hash in every build.
 */
#include "engine/plan/plan.h"

#include "model/jobs/task_row.h"
#include "model/devices/device.h"
#include "base/hash.h"
#include "base/vec.h"
#include "engine/plan/plan_waiting.h"
#include "model/devices/device.h"

/* Returns the id of the node to which a moved task goes, 0 if there is none. A task with a MIGRATE
 * decision always has such a node. If the nomination of the task is withdrawn, task_release turns
 * the decision into an eviction. */
static lsched_id new_place(const struct columns *k, uint32_t releasing) {
    uint32_t t = task_find(k, k->c[C_TASK_JOB].u32[releasing], k->c[C_TASK_INDEX].u32[releasing]);
    int goes_on = t != NO_ROW && k->c[C_TASK_NODE].u32[t] != NO_ROW;
    assert(goes_on);
    return goes_on ? id_make(k, LSCHED_KIND_NODE, k->c[C_TASK_NODE].u32[t]) : 0;
}

void plan_decision_copy(const struct columns *k, uint32_t d, lsched_decision *out) {
    uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t],
             node = k->c[C_TASK_NODE].u32[t];
    uint32_t shape = task_shape(k, t);
    struct hold hold = task_hold(k, t);
    /* each field is set below: clearing the struct first costs more than the rest of the copy */
    out->size = sizeof *out;
    out->kind = k->c[C_DECISION_KIND].u8[d];
    out->id = id_make(k, LSCHED_KIND_DECISION, d);
    out->job = id_make(k, LSCHED_KIND_JOB, job);
    out->job_tag = k->c[C_JOB_TAG].u64[job];
    out->task_index = k->c[C_TASK_INDEX].u32[t];
    out->group_index = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[t]];
    out->node = id_make(k, LSCHED_KIND_NODE, node);
    out->node_tag = k->c[C_NODE_TAG].u64[node];
    out->device_mask = device_set_short(hold.mask);
    device_set_to_array(hold.mask, out->device_words);
    out->device_starts = hold.starts;
    out->recut_mask = out->kind == LSCHED_DECIDE_PLACE ? k->c[C_TASK_RECUT].u16[t] : 0;
    out->nic_mask = k->c[C_TASK_NICS].u16[t];
    out->numa_mask = k->c[C_TASK_NUMA].u8[t];
    out->alternative = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[t]];
    out->group = k->c[C_DECISION_GROUP].u64[d];
    out->at_us = k->c[C_DECISION_AT].i64[d];
    out->reason = k->c[C_DECISION_REASON].u8[d];
    out->for_job = k->c[C_DECISION_FOR_JOB].u64[d];
    out->cost = k->c[C_DECISION_COST].i64[d];
    out->state = k->c[C_DECISION_STATE].u8[d];
    out->proposed_us = k->c[C_DECISION_PROPOSED].i64[d];
    out->until_us = k->c[C_DECISION_UNTIL].i64[d];
    if (out->until_us == 0) out->until_us = LSCHED_NEVER_US;
    out->checkpoint = k->c[C_DECISION_FOLLOWS].u8[d];
    out->reserved_zero = 0;
    out->to_node = out->kind == LSCHED_DECIDE_MIGRATE ? new_place(k, t) : 0;
    out->device_milli = 0;
    out->device_memory_bytes = 0;
    if (!hold.mask) return;
    uint32_t device = k->c[C_NODE_DEVICE_FIRST].u32[node] + device_set_first(hold.mask);
    struct device_part need;
    device_need(k, device, shape, &need);
    out->device_milli = (uint32_t)need.milli;
    out->device_memory_bytes = need.memory;
}

/* The text that was hashed last, and its hash: decisions for one gang follow each other, and so do
 * decisions that fill a node. */
struct text_hash {
    uint32_t text;
    uint64_t hash;
};
struct known_texts {
    struct text_hash job, node;
};

static uint64_t hash_text(const struct columns *k, struct text_hash *known, uint32_t text) {
    if (known->text != text) *known = (struct text_hash){text, plan_waiting_text(k, text)};
    return known->hash;
}

static uint64_t hash_decision(const struct columns *k, struct known_texts *known, uint64_t h,
                              uint32_t d) {
    uint32_t t = k->c[C_DECISION_TASK].u32[d];
    h = hash_mix(h, k->c[C_DECISION_KIND].u8[d]);
    h = hash_mix(h, hash_text(k, &known->job, k->c[C_JOB_NAME].u32[k->c[C_TASK_JOB].u32[t]]));
    h = hash_mix(h, k->c[C_TASK_INDEX].u32[t]);
    h = hash_mix(h, hash_text(k, &known->node, k->c[C_NODE_NAME].u32[k->c[C_TASK_NODE].u32[t]]));
    if (k->c[C_DECISION_REASON].u8[d]) h = hash_mix(h, k->c[C_DECISION_REASON].u8[d]);
    h = hash_mix(h, k->c[C_TASK_MASK].u64[t]);
    /* Most tasks have 0 in these columns. A 0 does not change the hash. */
    uint64_t more[] = {k->c[C_TASK_STARTS].u64[t], k->c[C_TASK_NICS].u16[t],
                       k->c[C_TASK_NUMA].u8[t],
                       k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[t]]};
    if (k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_WARN)
        h = hash_mix(h, (uint64_t)k->c[C_DECISION_AT].i64[d]);
    if (k->c[C_DECISION_FOLLOWS].u8[d]) h = hash_mix(h, k->c[C_DECISION_FOLLOWS].u8[d]);
    uint32_t size = k->c[C_TASK_SIZE].u32[t];
    int resizes = size && k->c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_RESIZE;
    for (uint32_t r = 1; resizes && r < (uint32_t)meta(k, M_N_KINDS); r++)
        h = hash_mix(h, (uint64_t)k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_WANT].u32[size - 1]]);
    for (uint32_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i]) h = hash_mix(hash_mix(h, i + 1), more[i]);
    return h;
}

/* ---- build ---- */

static int32_t copy_withdrawn(const struct lsched_cycle *cy, struct lsched_plan *p) {
    uint64_t group = 0;
    if (cy->decisions.n_withdrawn == 0) return LSCHED_OK;
    p->n_withdrawn = cy->decisions.n_withdrawn;
    p->withdrawn = alloc_new(&p->alloc, p->n_withdrawn * sizeof *p->withdrawn);
    p->withdrawn_in = alloc_new(&p->alloc, p->n_withdrawn * sizeof *p->withdrawn_in);
    if (!p->withdrawn || !p->withdrawn_in) return LSCHED_E_NOMEM;
    for (size_t i = 0; i < p->n_withdrawn; i++) {
        const struct withdrawn_note *w = &cy->decisions.withdrawn[i];
        if (w->group > group) group = w->group;
        p->withdrawn[i] = w->id;
        p->withdrawn_in[i] = (struct verify_withdrawn){group, w->queue};
    }
    return LSCHED_OK;
}

int32_t plan_build(struct lsched_cycle *cy, int all_waiting, struct lsched_plan **out) {
    const struct columns *k = cy->k;
    struct alloc a;
    alloc_init(&a, &cy->c->alloc.hooks, 0);
    struct lsched_plan *p = alloc_zero(&a, sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    p->alloc = a;
    uint64_t h = LSCHED_SEMANTICS;
    struct known_texts known = {{NO_ROW, 0}, {NO_ROW, 0}};
    int32_t rc = LSCHED_OK;
    if (cy->decisions.n_fresh) {
        p->decisions = alloc_new(&p->alloc, cy->decisions.n_fresh * sizeof *p->decisions);
        if (!p->decisions) rc = LSCHED_E_NOMEM;
    }
    for (uint32_t i = 0; rc == LSCHED_OK && i < cy->decisions.n_fresh; i++) {
        plan_decision_copy(k, cy->decisions.fresh[i], &p->decisions[i]);
        h = hash_decision(k, &known, h, cy->decisions.fresh[i]);
    }
    if (rc == LSCHED_OK) p->n_decisions = cy->decisions.n_fresh;
    if (rc == LSCHED_OK) rc = plan_origin_note(cy->c, p);
    if (rc == LSCHED_OK) rc = copy_withdrawn(cy, p);
    if (rc == LSCHED_OK) rc = policy_log_take(&cy->policy.log, &p->alloc, &p->log);
    if (rc == LSCHED_OK) rc = plan_waiting_add(cy, all_waiting, p);
    if (rc != LSCHED_OK) {
        plan_free(p);
        return rc;
    }
    for (size_t i = 0; i < p->n_waiting; i++) h = plan_waiting_hash(k, h, &p->waiting[i]);
    lsched_plan_info *info = &p->info;
    *info = (lsched_plan_info){.size = sizeof *info,
                               .flags = cy->flags,
                               .decisions = p->n_decisions,
                               .waiting = p->n_waiting,
                               .work_spent = cy->spend.spent,
                               .policy_hash = cy->c->policy.policy.desc.hash,
                               .plan_hash = h,
                               .now_us = cy->now,
                               .semantics = LSCHED_SEMANTICS,
                               .policy_error = cy->policy.error,
                               .hooks_off = cy->policy.hooks_off,
                               .jobs_tried = cy->counts.jobs_tried,
                               .evictions = cy->counts.evictions,
                               .moves = cy->counts.moves,
                               .searches_proven = cy->counts.proven,
                               .searches_cut = cy->counts.cut,
                               .nodes_scored = cy->c->search.scored - cy->counts.scored_before,
                               .steps = *k->steps - cy->counts.steps_before};
    memcpy(p->policy_error, cy->policy.message, sizeof p->policy_error);
    *out = p;
    return LSCHED_OK;
}

int32_t plan_add_advice(struct lsched_plan *p, const struct columns *k, const char *algorithm,
                        const lsched_advice *advice) {
    if (!VEC_ROOM(&p->alloc, p->advice, p->cap_advice, p->n_advice + 1)) return LSCHED_E_NOMEM;
    lsched_plan_advice_record *r = &p->advice[p->n_advice++];
    memset(r, 0, sizeof *r);
    r->size = sizeof *r;
    r->code = advice->code;
    if (row_is_live(k, T_NODE, advice->node)) r->node = id_make(k, LSCHED_KIND_NODE, advice->node);
    if (row_is_live(k, T_QUEUE, advice->queue))
        r->queue = id_make(k, LSCHED_KIND_QUEUE, advice->queue);
    memcpy(r->number, advice->number, sizeof r->number);
    size_t n = strlen(algorithm);
    memcpy(r->algorithm, algorithm, n < sizeof r->algorithm ? n : sizeof r->algorithm - 1);
    memcpy(r->text, advice->text, sizeof r->text - 1);
    return LSCHED_OK;
}

/* Returns the VERIFY_PROTECT_* value that says how the policy in force protects guarantees. */
static uint32_t protection_of(const struct lsched_cluster *cluster) {
    const struct policy *p = &cluster->policy.policy;
    if (!p->ops || strcmp(p->desc.fair_share, "quota") != 0) return VERIFY_PROTECT_NONE;
    return p->desc.eviction.protection == POLICY_PROTECT_DIVERGENCE ? VERIFY_PROTECT_DIVERGENCE
                                                                    : VERIFY_PROTECT_PATH;
}

void plan_turn_decision(lsched_decision *d, const struct columns *k) {
    lsched_id *const ids[] = {&d->id, &d->job, &d->node, &d->for_job, &d->to_node};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) *ids[i] = id_outside(k, *ids[i]);
}

void plan_turn_waiting(lsched_waiting *w, const struct columns *k) {
    lsched_id *const ids[] = {&w->queue,     &w->job,      &w->limiting_queue, &w->evict_queue,
                              &w->plan_node, &w->plan_job, &w->near_node,      &w->starts_job};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) *ids[i] = id_outside(k, *ids[i]);
}

void plan_turn_ids(struct lsched_plan *p, const struct columns *k) {
    for (size_t i = 0; i < p->n_decisions; i++) plan_turn_decision(&p->decisions[i], k);
    for (size_t i = 0; i < p->n_waiting; i++) plan_turn_waiting(&p->waiting[i], k);
    for (size_t i = 0; i < p->n_withdrawn; i++) p->withdrawn[i] = id_outside(k, p->withdrawn[i]);
    for (size_t i = 0; i < p->n_advice; i++) {
        p->advice[i].node = id_outside(k, p->advice[i].node);
        p->advice[i].queue = id_outside(k, p->advice[i].queue);
    }
    for (size_t i = 0; i < p->adopted.n_groups; i++)
        p->adopted.groups[i].object = id_outside(k, p->adopted.groups[i].object);
    for (size_t i = 0; i < p->adopted.n_ids; i++)
        p->adopted.ids[i] = id_outside(k, p->adopted.ids[i]);
    p->id_salt ^= k->id_salt;
}

/* A plan with ids of the API is checked in a copy with the ids of the cluster, because any thread
 * can read the plan. */
int32_t plan_verify(const struct lsched_cluster *c, const struct lsched_plan *p,
                    lsched_error *err) {
    const struct verify_under under = {protection_of(c), p->withdrawn_in, p->n_withdrawn};
    struct alloc a = p->alloc;
    size_t bytes = p->n_decisions * sizeof *p->decisions;
    lsched_decision *copy = NULL;
    if (p->id_salt && bytes) {
        copy = alloc_new(&a, bytes);
        if (!copy) return LSCHED_E_NOMEM;
        memcpy(copy, p->decisions, bytes);
        for (size_t i = 0; i < p->n_decisions; i++) plan_turn_decision(&copy[i], &c->k);
    }
    int32_t rc = verify_plan_under(&c->k, &under, copy ? copy : p->decisions, p->n_decisions,
                                   sizeof(lsched_decision), err);
    if (copy) alloc_free(&a, copy, bytes);
    return rc;
}

void plan_free(lsched_plan *p) {
    if (!p) return;
    plan_origin_drop(p);
    alloc_free(&p->alloc, p->adopted.groups, p->adopted.n_groups * sizeof *p->adopted.groups);
    alloc_free(&p->alloc, p->adopted.ids, p->adopted.n_ids * sizeof *p->adopted.ids);
    struct alloc a = p->alloc;
    alloc_free(&a, p->decisions, p->n_decisions * sizeof *p->decisions);
    alloc_free(&a, p->withdrawn, p->n_withdrawn * sizeof *p->withdrawn);
    alloc_free(&a, p->withdrawn_in, p->n_withdrawn * sizeof *p->withdrawn_in);
    alloc_free(&a, p->waiting, p->n_waiting * sizeof *p->waiting);
    alloc_free(&a, p->advice, p->cap_advice * sizeof *p->advice);
    policy_log_free(&p->log, &a);
    alloc_free(&a, p, sizeof *p);
}
