/*
 * place_calls.c -- the calls of lsched_act that choose jobs, find nodes, place tasks, and keep or
 * undo transactions. An action is never trusted: every placement is checked here against the
 * columns, so a wrong algorithm can waste work but cannot corrupt state.
 */
#include "engine/policy_hooks/hook_strategy.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/state/transaction.h"
#include "engine/victims/charge_search.h"
#include "engine/waits/cure.h"
#include "engine/actions/act_index.h"
#include "engine/actions/domain_calls.h"
#include "engine/actions/evict_calls.h"
#include "engine/waits/pass.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/put_off.h"
#include "engine/waits/refused.h"
#include "engine/indexes/topology_spread.h"
#include "engine/queues/queue_rules.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/domain.h"
#include "model/jobs/releasing.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_mig.h"
#include "model/queues/queue.h"
#include "model/jobs/retry.h"
#include "model/store/steps.h"
#include "engine/policy_hooks/hooks.h"
#include "engine/actions/place_calls.h"
#include "engine/victims/evict_wake.h"

static const lsched_view *call_view(lsched_cycle *y) {
    return cycle_view(y);
}

/* Parks a job that lost surplus to an eviction and would grow again. The job may grow when its
 * work may be a victim again; before that, the surplus would be evicted again at once. */
static int32_t growth_park(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    int64_t until;
    if (!evict_blocks_growth(y, job, &until)) return 0;
    struct park_reason why = {.code = LSCHED_WAIT_BACKOFF, .limiting_queue = NO_ROW};
    int32_t rc = job_park_alone(k, job, until, &why);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Finds the first job of the queue that comes first by shares, and parks jobs on the way that wait
 * out a failure, a refusal or a growth delay. Returns 1, 0 if no job is left, or an error. */
static int32_t first_ready(lsched_cycle *y, uint32_t *job) {
    for (;;) {
        uint32_t queue = share_best(&y->c->share, y->k);
        if (queue == NO_ROW) return 0;
        *job = bundle_head(y->k, y->k->c[C_QUEUE_HEAP].u32[queue]);
        int32_t rc = undo_room(y->k);
        if (rc == LSCHED_OK) rc = retry_park(y->k, *job, y->now);
        if (rc == 0) rc = refusal_park(y->k, *job, y->now);
        if (rc == 0) rc = growth_park(y, *job);
        if (rc <= 0) return rc < 0 ? rc : 1;
        rc = share_update(&y->c->share, y->k, queue);
        if (rc != LSCHED_OK) return rc;
    }
}

/* True if a required affinity rule of the task shape matches the labels of the job. With job
 * NO_ROW: true if the shape has any affinity rule towards other jobs. */
static int wants_near(const struct columns *k, uint32_t shape, uint32_t job) {
    struct reader at = {NULL, NULL, 0};
    uint32_t left = 0;
    struct job_term t;
    if (shape == NO_ROW || !(k->c[C_SHAPE_RULES].u8[shape] & RULES_NEAR)) return 0;
    if (job == NO_ROW) return 1;
    while (rules_next_term(k, shape, &at, &left, &t))
        if (!t.apart && !t.weight && rules_labels_within(t.labels, rules_labels_of(k, job)))
            return 1;
    return 0;
}

/* Wakes the bundles that wait for an affinity to the job that has just been placed (NO_ROW: to any
 * job), so that they are tried again in this cycle. */
static int32_t wake_neighbours(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (!meta(k, M_RULES_NEWS) || y->search) return LSCHED_OK;
    set_meta(k, M_RULES_NEWS, 0);
    for (uint32_t b = (uint32_t)meta(k, M_RULES_HEAD), next; b != NO_ROW; b = next) {
        uint32_t shape = k->c[C_BUNDLE_SHAPE].u32[b];
        int wants = 0;
        steps_add(k, 1);
        next = k->c[C_BUNDLE_NEXT].u32[b];
        for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape] && !wants; g++)
            wants = wants_near(k, group_shape(k, shape, g), job);
        int32_t rc = wants ? undo_room(k) : LSCHED_OK;
        if (rc == LSCHED_OK && wants) bundle_wake(k, b);
        if (rc == LSCHED_OK && wants)
            rc = share_update(&y->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static int32_t call_next_job(lsched_cycle *y, uint32_t *job) {
    y->job = NO_ROW;
    y->deal.n_full = 0;
    gang_domains_forget(&y->pins);
    int32_t rc = wake_neighbours(y, NO_ROW);
    if (rc != LSCHED_OK) return rc;
    if (meta(y->k, M_ACTIVE) == 0) return 0;
    act_spend(y, 1);
    if (y->decisions_left == 0) act_is_full(y);
    if (y->stop) return 0;
    rc = first_ready(y, job);
    if (rc == 1) rc = put_off_look(y);
    if (rc <= 0) return rc;
    act_take_up(y, *job);
    return 1;
}

static int32_t call_groups(lsched_cycle *y, uint32_t job, const lsched_group_view **groups,
                           uint32_t *n) {
    if (!act_job_valid(y, job)) return LSCHED_E_INVAL;
    const struct columns *k = y->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job], first = group_row(k, shape, 0);
    *n = k->c[C_JOBSHAPE_N_GROUPS].u32[shape];
    for (uint32_t g = 0; g < *n; g++) {
        lsched_group_view *v = &y->groups[g];
        memset(v, 0, sizeof *v);
        v->size = sizeof *v;
        v->parent = k->c[C_GROUP_PARENT].u32[first + g];
        v->n_children = k->c[C_GROUP_CHILDREN].u32[first + g];
        v->min_count = k->c[C_GROUP_MIN].u32[first + g];
        v->max_count = replace_most(y, job, g);
        v->topology = k->c[C_GROUP_TOPOLOGY].u32[first + g];
        v->required_level = k->c[C_GROUP_REQUIRED].u32[first + g];
        v->preferred_level = k->c[C_GROUP_PREFERRED].u32[first + g];
        if (v->n_children) continue;
        uint32_t leaf = job_leaf(k, job, g);
        v->placed = leaf == NO_ROW ? 0 : k->c[C_LEAF_PLACED].u32[leaf];
        v->done = leaf == NO_ROW ? 0 : k->c[C_LEAF_DONE].u32[leaf];
        int bound = v->placed || (leaf != NO_ROW && k->c[C_LEAF_LEAVING].u32[leaf]);
        v->alternative = leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[leaf];
        v->n_alternatives = bound ? 1 : k->c[C_GROUP_N_ALTERNATIVES].u32[first + g];
        view_task_shape(k, leaf_shape(k, job, g), &y->shapes[g]);
        v->task = &y->shapes[g];
        int32_t rc = domains_step(y, job, g, &v->step);
        if (rc != LSCHED_OK) return rc;
    }
    *groups = y->groups;
    return LSCHED_OK;
}

static int32_t call_checkpoint(lsched_cycle *y, uint64_t *mark) {
    *mark = (uint64_t)undo_mark(y->k) | (uint64_t)y->n_fresh << 40;
    return LSCHED_OK;
}

static int32_t call_rollback(lsched_cycle *y, uint64_t mark) {
    size_t at = (size_t)(mark & (((uint64_t)1 << 40) - 1));
    uint32_t fresh = (uint32_t)(mark >> 40);
    if (at < y->mark || at > undo_mark(y->k) || fresh < y->fresh_mark || fresh > y->n_fresh)
        return LSCHED_E_INVAL;
    undo_rollback(y->k, at);
    y->n_fresh = fresh;
    evict_rolled_back(y);
    return LSCHED_OK;
}

static int32_t call_alternative(lsched_cycle *y, uint32_t job, uint32_t group,
                                uint32_t alternative) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job) || !act_is_leaf(y, job, group)) return LSCHED_E_INVAL;
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    if (alternative >= k->c[C_GROUP_N_ALTERNATIVES].u32[row]) return LSCHED_E_INVAL;
    act_spend(y, 1);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    rc = leaf_try(k, job, group, (uint8_t)alternative);
    if (rc == 1) {
        y->first = act_reason(y);
        y->has_first = 1;
    }
    return rc;
}

/* Records that the limit of a queue on a resource part stops the job. need is the queue's use with
 * the job: its use without this job is known only after call_park has undone the transaction. */
static void blame_model(lsched_cycle *y, uint32_t group, const struct resource_part_limit *l) {
    y->why.code = LSCHED_WAIT_LIMIT;
    y->why.kind = l->kind;
    y->why.limiting = l->queue;
    y->why.need = l->limit - l->left + l->amount;
    y->why.group = group;
    y->why.model_short = 1;
}

/* The reasons why nodes with room were not chosen for a task that found no node. */
struct taken {
    int by_filter;
    /* first node by name in the domain with room that a limit on a resource part excludes; NO_ROW
     * if none */
    uint32_t by_limit;
};

static struct taken find_taken(const lsched_cycle *y, const struct search_index *x,
                               uint32_t domain) {
    const struct columns *k = y->k;
    const struct view_cache *v = &y->c->view;
    struct taken t = {0, NO_ROW};
    if (!hook_on(y, LSCHED_HOOK_FILTER) && y->model_short.n == 0) return t;
    steps_add(k, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t node = v->by_rank[i];
        if (!x->is_able[i] || !v->node_ready[node] || !node_fits(k, node, x->key.shape)) continue;
        if (y->model_short.n == 0 || act_fits_within(y, node, x->key.shape))
            t.by_filter |= hook_on(y, LSCHED_HOOK_FILTER);
        else if (t.by_limit == NO_ROW &&
                 (domain == NO_ROW || domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], node,
                                                     k->c[C_DOMAIN_LEVEL].u32[domain]) == domain))
            t.by_limit = node;
    }
    return t;
}

/* True if limit a is reported rather than b: the limit of the lower queue, then the first by
 * name. */
static int speaks_first(const struct columns *k, const struct resource_part_limit *a,
                        const struct resource_part_limit *b) {
    uint32_t x = k->c[C_QUEUE_DEPTH].u32[a->queue], z = k->c[C_QUEUE_DEPTH].u32[b->queue];
    if (x != z) return x > z;
    return text_compare(k, kind_name(k, a->kind), kind_name(k, b->kind)) < 0;
}

/* Reports the limit that keeps the task from a node with room for it: a limit that does so alone,
 * or else a limit that the amounts for the task on this node exceed. */
static void diagnose_model(lsched_cycle *y, uint32_t group, uint32_t shape, uint32_t node) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[y->job];
    struct resource_part_limit limit, most;
    struct hold would, hold;
    int found = 0;
    if (!device_select(k, node, shape, DEVICE_NOW, NULL, &would)) return;
    for (uint32_t i = 0; i < y->model_short.n; i++) {
        struct resource_part_short one = {.n = 1};
        one.of[0] = y->model_short.of[i];
        if (device_select(k, node, shape, DEVICE_NOW, &one, &hold)) continue;
        if (resource_part_has_room_of(k, queue, one.of[0].part, shape, node, &would, &limit) ||
            (found && !speaks_first(k, &limit, &most)))
            continue;
        most = limit;
        found = 1;
    }
    if (found || !resource_part_has_room(k, queue, shape, node, &would, &most))
        blame_model(y, group, &most);
}

/* Reports an incomplete gang if other groups of the gang found places in this try and this group
 * found none. */
static void diagnose_other_groups(lsched_cycle *y) {
    const struct columns *k = y->k;
    struct job_counts n = job_count(k, y->job);
    if (n.placed + n.done == 0 || job_satisfied(k, y->job)) return;
    y->why.code = LSCHED_WAIT_GANG;
    y->why.need = k->c[C_JOBSHAPE_TASKS_MIN].u32[k->c[C_JOB_SHAPE].u32[y->job]];
    y->why.have = n.placed + n.done;
}

static void diagnose_nowhere(lsched_cycle *y, uint32_t group, const struct search_index *x,
                             uint32_t domain) {
    const struct columns *k = y->k;
    uint32_t shape = x->key.shape, held = job_leaf_held(k, y->job, group);
    y->why.able = x->able;
    y->why.shape = shape;
    y->why.group = group;
    act_name_scarcest(y, shape);
    y->why.have = -1;
    struct taken taken = find_taken(y, x, domain);
    y->why.code = x->able == 0      ? LSCHED_WAIT_NEVER_FITS
                  : taken.by_filter ? LSCHED_WAIT_FILTER
                                    : LSCHED_WAIT_ROOM;
    if (x->able && refused_by_room(y, group, domain)) return;
    if (y->why.code != LSCHED_WAIT_ROOM) return;
    if (taken.by_limit != NO_ROW) {
        diagnose_model(y, group, shape, taken.by_limit);
        return;
    }
    if (domain != NO_ROW) {
        uint32_t min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[y->job], group)];
        y->why.code = LSCHED_WAIT_TOPOLOGY;
        y->why.need = min > held ? min - held : 1;
    } else if (held > 0) {
        y->why.code = LSCHED_WAIT_GANG;
        y->why.need = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[y->job], group)];
        y->why.have = held;
    } else {
        diagnose_other_groups(y);
    }
}

/* Reports that room exists only in domains where the group's spread rule allows no more tasks. */
static void diagnose_spread(lsched_cycle *y, uint32_t group) {
    const struct columns *k = y->k;
    uint32_t held = job_leaf_held(k, y->job, group),
             min = k->c[C_GROUP_MIN].u32[group_row(k, k->c[C_JOB_SHAPE].u32[y->job], group)];
    y->why.code = LSCHED_WAIT_TOPOLOGY;
    y->why.need = held < min ? min : held + 1;
    y->why.have = held;
}

/* Reports that room exists only on nodes that the affinity rules towards other jobs forbid. */
static void diagnose_affinity(lsched_cycle *y, uint32_t group) {
    diagnose_spread(y, group);
    y->why.code = LSCHED_WAIT_RULES;
}

/* Finds the best node for one more task within the bound on its charge. Returns 1, 0 with the
 * reason in y->why, or an error. */
static int32_t best_node(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                         uint32_t *node) {
    struct search_index *x;
    if (refused_everywhere(y, group)) return 0;
    int32_t rc = act_index(y, group, &x);
    if (rc != LSCHED_OK) return rc;
    if (domain == NO_ROW)
        *node = search_best(x, &y->c->view);
    else
        rc = domains_best_node(y, x, domain, node);
    if (rc != LSCHED_OK) return rc;
    int any = *node != NO_ROW;
    struct affinity_rules rules;
    rc = affinity_rules_open(&rules, &y->c->affinity, y->k, job, x->key.shape, (int)y->later);
    if (rc == LSCHED_OK)
        rc = topology_spread_choose(y->k, &y->c->view, x, &rules, job, group, domain, node);
    if (rc != LSCHED_OK || *node != NO_ROW) return rc == LSCHED_OK ? 1 : rc;
    diagnose_nowhere(y, group, x, domain);
    if (any && topology_spread_is_affinity_only(y->k, &y->c->view, x, &rules, domain))
        diagnose_affinity(y, group);
    else if (any)
        diagnose_spread(y, group);
    return 0;
}

static int32_t call_find_node(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t domain,
                              uint32_t *node) {
    if (!act_job_valid(y, job) || !act_is_leaf(y, job, group)) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(y->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(y, 1);
    if (y->stop) return 0;
    if (y->look == 3) search_drop_jobs(&y->c->search, y->k);
    struct charge_search s;
    int32_t rc;
    charge_begin(y, &s, job, group);
    do {
        rc = best_node(y, job, group, domain, node);
    } while (charge_go_on(y, &s, rc, *node));
    y->charge_max = 0;
    return rc < 0 ? rc : s.found;
}

/* Chooses what the task takes inside the node. The placement strategy chooses the devices if it
 * can; otherwise the engine does. */
static int32_t choose_hold(lsched_cycle *y, uint32_t shape, uint32_t node, struct hold *hold) {
    const struct columns *k = y->k;
    if (y->later || k->c[C_SHAPE_DEVICES].u32[shape] == 0)
        return device_select(k, node, shape, y->later ? DEVICE_LATER : DEVICE_NOW, NULL, hold);
    int32_t rc = hook_placement(y);
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    if (y->place && y->place->devices && !device_select_is_ours(k, node, shape)) {
        lsched_task_shape task;
        view_task_shape(k, shape, &task);
        memset(hold, 0, sizeof *hold);
        rc = y->place->devices(y->place_self, cycle_view(y), &task, node, &hold->mask);
        if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
        if (device_select_allows(k, node, shape, DEVICE_NOW, hold) &&
            device_select_rest(k, node, shape, DEVICE_NOW, hold))
            return 1;
    } /* if the strategy chose wrongly, the engine chooses, so that the job does not suffer */
    return device_select(k, node, shape, DEVICE_NOW, NULL, hold);
}

/* True if the task's devices keep every queue within its limits on resource parts. A placement
 * strategy does not know these limits. If its choice exceeds one, the engine chooses other devices
 * of the node. */
static int within_models(lsched_cycle *y, uint32_t group, uint32_t shape, uint32_t node,
                         struct hold *hold) {
    const struct columns *k = y->k;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[y->job];
    struct resource_part_limit limit;
    if (resource_part_count(k) == 0 || resource_part_has_room(k, queue, shape, node, hold, &limit))
        return 1;
    resource_part_find_short(k, queue, shape, &y->model_short);
    if (device_select(k, node, shape, y->later ? DEVICE_LATER : DEVICE_NOW, &y->model_short, hold))
        return 1;
    blame_model(y, group, &limit);
    return 0;
}

/* Returns when the last releasing task of the node should be gone; 0 if no task is releasing. */
static int64_t nomination_at(const struct columns *k, uint32_t node) {
    int64_t at = 0;
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t])
        if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t] &&
            k->c[C_TASK_RELEASE_AT].i64[t] > at)
            at = k->c[C_TASK_RELEASE_AT].i64[t];
    return at;
}

/* Returns when the room of the job's last nomination should be free. One more task of a gang that
 * waits for its nominations must wait until then, too. */
static int64_t last_nomination_at(const struct columns *k, uint32_t job) {
    int64_t at = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_NOMINATED &&
                k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]] > at)
                at = k->c[C_DECISION_AT].i64[k->c[C_TASK_DECISION].u32[t]];
    return at;
}

/* Checks the devices and MIG slices that an action chose. Returns 1 if the task may have them. */
static int32_t given_hold(const lsched_cycle *y, uint32_t shape, uint32_t node, struct hold *hold) {
    const struct columns *k = y->k;
    if (y->later || !device_select_allows(k, node, shape, DEVICE_NOW, hold)) return 0;
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape]) device_select_mig_renew(k, node, shape, hold);
    return 1;
}

/* True if the gang reaches its minimum only with nominations, for room that is not free yet. One
 * more task that is placed now would start alone. */
static int stands_on_nominations(const struct columns *k, uint32_t job) {
    return meta(k, M_NOMINATED) && job_satisfied(k, job) && !job_stands(k, job);
}

/* Places one task after all checks. `given` is the hold that the action chose; NULL: the placement
 * strategy or the engine chooses it. */
static int32_t place_task(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node,
                          const struct hold *given) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job) || !act_is_leaf(y, job, group) || !row_is_live(k, T_NODE, node))
        return LSCHED_E_INVAL;
    act_spend(y, 1);
    if (y->stop) return 0;
    uint32_t shape = leaf_shape(k, job, group);
    if (job_leaf_held(k, job, group) >= replace_most(y, job, group)) return 0;
    if (k->c[C_NODE_STATE].u8[node] != LSCHED_NODE_READY || !node_able(k, node, shape) ||
        !(y->later ? node_fits_later(k, node, shape) : node_fits(k, node, shape)) ||
        !gang_domains_allow(&y->pins, k, job, group, node) ||
        !topology_spread_allows(k, job, group, node) ||
        refusal_blocks(k, k->c[C_JOB_QUEUE].u32[job], shape, node, (int)y->later))
        return 0;
    if (affinity_rules_asked(k, shape)) {
        struct affinity_rules rules;
        int32_t code = affinity_rules_open(&rules, &y->c->affinity, k, job, shape, (int)y->later);
        if (code != LSCHED_OK) return code;
        if (!affinity_rules_allow(&rules, k, node)) return 0;
    }
    if (!y->later && stands_on_nominations(k, job)) return 0;
    if (!queue_rules_allow(y, job, group, 1)) return 0;
    if (y->n_fresh - y->fresh_mark >= y->decisions_left) {
        act_is_full(y);
        return 0;
    }
    uint32_t task, decision, index;
    struct hold hold;
    int any;
    int32_t rc = gang_domains_index(&y->pins, k, job, group, node, &any, &index);
    if (rc != LSCHED_OK || (index == NO_ROW && !any)) return rc;
    if (y->search && y->search->moving && !replace_allows(y, job, group, index)) return 0;
    if (given) hold = *given;
    rc = given ? given_hold(y, shape, node, &hold) : choose_hold(y, shape, node, &hold);
    if (rc <= 0) return rc;
    if (!within_models(y, group, shape, node, &hold) || !charge_allow(y, job, group, node, &hold))
        return 0;
    struct place_spec p = {.job = job,
                           .group = group,
                           .node = node,
                           .alternative = job_alternative(k, job, group),
                           .hold = hold,
                           .index = index,
                           .state = y->later ? LSCHED_TASK_NOMINATED : LSCHED_TASK_PROPOSED,
                           .now = y->now,
                           .decision_group = y->group_serial,
                           .at = y->later ? nomination_at(k, node) : y->now};
    if (p.at < y->now) p.at = y->now;
    if (y->later && stands_on_nominations(k, job)) {
        int64_t last = last_nomination_at(k, job);
        if (last > p.at) p.at = last;
    }
    rc = task_place(k, &p, &task, &decision);
    if (rc == LSCHED_OK && y->later) future_note(k, p.at);
    if (rc == LSCHED_OK) rc = cycle_fresh_add(y, decision);
    if (rc == LSCHED_OK) gang_domains_placed(&y->pins, k, y->c->maps, task);
    return rc == LSCHED_OK ? 1 : rc;
}

static int32_t call_place(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node) {
    return place_task(y, job, group, node, NULL);
}

static int32_t call_place_on(lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node,
                             uint32_t devices, uint64_t starts) {
    struct hold given = {.starts = starts, .mask = devices};
    return place_task(y, job, group, node, &given);
}

/* ---- limits, commit, park ---- */

static int32_t call_within_limits(lsched_cycle *y, uint32_t job) {
    const struct columns *k = y->k;
    if (!act_job_valid(y, job)) return LSCHED_E_INVAL;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job], queue = k->c[C_JOB_QUEUE].u32[job];
    uint32_t n = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape], possible = 0;
    if (n > 1 || jobshape_chooses(k, jobshape))
        return 1; /* what the job takes is known only when it is placed: call_place checks */
    uint32_t row = group_row(k, jobshape, 0), shape = leaf_shape(k, job, 0);
    uint32_t held = job_leaf_held(k, job, 0), min = k->c[C_GROUP_MIN].u32[row];
    possible = held < min ? min - held : 1;
    if (!queue_rules_allow(y, job, 0, possible)) return 0;
    struct resource_part_limit limit;
    if (resource_part_certain_room(k, queue, shape, possible, &limit)) return 1;
    blame_model(y, 0, &limit);
    return 0;
}

static int32_t call_park(lsched_cycle *y, uint32_t job);

static int32_t call_commit(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job)) return LSCHED_E_INVAL;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], b = k->c[C_JOB_BUNDLE].u32[job];
    if (act_is_cut(y) || !act_fits_bound(y))
        return call_park(y, job); /* with more work units or decisions, the result could differ */
    if (!job_satisfied(k, job))
        return LSCHED_E_STATE; /* an action must not place less than the minimum of a gang */
    if (evict_grows(y)) {
        y->why = (struct diagnosis){.code = LSCHED_WAIT_ROOM, .shape = NO_ROW, .limiting = NO_ROW};
        y->has_first = 0;
        return call_park(y, job);
    }
    int waits = put_off_asks(y, job);
    /* the budget ended before all waiting bundles were compared */
    if (act_is_cut(y)) return call_park(y, job);
    if (waits) return put_off_job(y, job);
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        leaf_review(k, l); /* drops an alternative that was chosen and not used */
    int32_t rc = evict_commit(y);
    if (rc != LSCHED_OK) return rc;
    y->ended++;
    refused_commit(y);
    y->decisions_left -= y->n_fresh - y->fresh_mark;
    set_meta(k, M_GROUP_SERIAL, y->group_serial);
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    if (cost != NO_ROW) set_i64(k, C_COST_STALE_SINCE, cost, LSCHED_NEVER_US);
    rc = job_requeue(k, job);
    y->job = NO_ROW;
    if (rc == LSCHED_OK) rc = put_off_placed(y, b, job);
    if (rc == LSCHED_OK) rc = wake_neighbours(y, job);
    return rc == LSCHED_OK ? share_update(&y->c->share, k, queue) : rc;
}

#define STEPS_ASIDE_MAX 16u

/* True if the job whose transaction the cycle cut off is parked. Normally the job stays first in
 * line, and the next cycle has more work units for it (pass.h). But a job would stop all others
 * for ever if the bound on decisions is too small for this job alone, or if it was interrupted
 * again and again. Such a job is parked. */
static int steps_aside(const lsched_cycle *y) {
    if (y->flags & LSCHED_PLAN_INTERRUPTED) return pass_gives_up(y);
    return y->full && y->steps_aside < STEPS_ASIDE_MAX &&
           y->jobs_tried == y->steps_aside + y->looked_at + 1;
}

static void step_aside(lsched_cycle *y) {
    y->why = (struct diagnosis){.code = LSCHED_WAIT_BUDGET, .shape = NO_ROW, .limiting = NO_ROW};
    /* need and have of the record: the budget and the bound that were too small. After interrupts,
     * neither was too small: no larger one helps the job. */
    int cut = (y->flags & LSCHED_PLAN_INTERRUPTED) != 0;
    y->why.need = cut || y->budget > INT64_MAX ? INT64_MAX : (int64_t)y->budget;
    y->why.have = cut ? INT64_MAX : (int64_t)y->bound;
    if (y->search) y->search->why_code = LSCHED_EVICT_BUDGET;
    y->stop = cut;
    y->full = 0;
    y->steps_aside++;
}

static int32_t call_park(lsched_cycle *y, uint32_t job) {
    struct columns *k = y->k;
    if (!act_job_valid(y, job)) return LSCHED_E_INVAL;
    undo_rollback(k, y->mark);
    y->n_fresh = y->fresh_mark;
    evict_rolled_back(y);
    if (y->stop && !steps_aside(y)) {
        y->job = NO_ROW;
        return LSCHED_OK;
    }
    y->ended++;
    y->why = act_reason(y);
    int untried = evict_found(y, job);
    if (y->stop) step_aside(y);
    int32_t rc = undo_room(k);
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    y->job = NO_ROW;
    if (rc == LSCHED_OK && evict_park(y, b)) return put_off_parked(y, b);
    uint32_t of, list = cure_list(k, job, &y->why, &of);
    /* Jobs of one shape can have different labels, which affinity rules of other jobs may name. */
    int differs = hooks_per_job(y) || retry_avoids(k, job) != NO_ROW ||
                  (list == PARKED_RULES && k->c[C_JOB_LABELS].u32[job] != NO_ROW);
    if (rc == LSCHED_OK && differs && k->c[C_BUNDLE_JOB].u32[b] == NO_ROW) {
        /* even if the bundle has no other job: an equal job that comes later would join it */
        rc = job_isolate(k, job);
        b = k->c[C_JOB_BUNDLE].u32[job];
    }
    if (rc != LSCHED_OK) return rc;
    const struct diagnosis *w = &y->why;
    struct park_reason why = {w->code, w->kind, w->group, w->need, w->have, w->able, w->limiting};
    if (w->code == LSCHED_WAIT_LIMIT && kind_is_part(k, w->kind)) {
        struct resource_part_amount a = resource_part_get(k, w->limiting, w->kind);
        why.need = w->need - a.used;
        why.have = a.limit_now - a.used;
    } else if (kind_is_part(k, w->kind)) {
        /* an earlier try of the job set a resource part, which does not belong to this reason */
        why.kind = LSCHED_ANY_RESOURCE;
    }
    bundle_park(k, b, list, of, &why);
    set_u64(k, C_BUNDLE_TRIED, b, meta(k, M_CYCLE));
    if (untried && evict_wake_cures(k, b, y->search->reason)) evict_tell_untried(y, b);
    return put_off_parked(y, b);
}

const lsched_act cycle_act = {.size = sizeof(lsched_act),
                              .view = call_view,
                              .next_job = call_next_job,
                              .groups = call_groups,
                              .checkpoint = call_checkpoint,
                              .rollback = call_rollback,
                              .find_node = call_find_node,
                              .place = call_place,
                              .alternative = call_alternative,
                              .domains = call_domains,
                              .divide = call_divide,
                              .full = call_full,
                              .within_limits = call_within_limits,
                              .commit = call_commit,
                              .park = call_park,
                              .look = call_look,
                              .evict_begin = call_evict_begin,
                              .evict_end = call_evict_end,
                              .may_evict = call_may_evict,
                              .find_victims = call_find_victims,
                              .evict_on = call_evict_on,
                              .relieve = call_relieve,
                              .exclude = call_exclude,
                              .spare = call_spare,
                              .pay_rights = call_pay_rights,
                              .another_way = call_another_way,
                              .untried = call_untried,
                              .next_victim = call_next_victim,
                              .move_end = call_move_end,
                              .defrag_begin = call_defrag_begin,
                              .defrag_end = call_defrag_end,
                              .next_sparse = call_next_sparse,
                              .empty_node = call_empty_node,
                              .keep_moves = call_keep_moves,
                              .next_stale = call_next_stale,
                              .evict_job = call_evict_job,
                              .next_overdue = call_next_overdue,
                              .drain_begin = call_drain_begin,
                              .drain_end = call_drain_end,
                              .next_drained = call_next_drained,
                              .drain_job = call_drain_job,
                              .keep_drained = call_keep_drained,
                              .stop_job = call_stop_job,
                              .plan_begin = call_plan_begin,
                              .holders = call_holders,
                              .plan_ask = call_plan_ask,
                              .plan_defer = call_plan_defer,
                              .plan_take = call_plan_take,
                              .plan_wait = call_plan_wait,
                              .place_on = call_place_on,
                              .mig_device = call_mig_device,
                              .spend = call_spend,
                              .placed = call_placed,
                              .moves_left = call_moves_left,
                              .movers = call_movers,
                              .mover_able = call_mover_able,
                              .moves_begin = call_moves_begin,
                              .move_off = call_move_off};
