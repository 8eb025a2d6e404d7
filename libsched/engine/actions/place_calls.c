/*
 * place_calls.c -- the calls of lsched_act that choose jobs, find nodes, place tasks, and keep or
 * undo transactions. The engine trusts no action: every placement is checked here against the
 * columns. Therefore a wrong algorithm can waste work units, but cannot corrupt state.
 */
#include "engine/actions/replace_calls.h"
#include "engine/arrays/array_turn.h"
#include "engine/policy_hooks/hook_strategy.h"
#include "engine/indexes/affinity_rules.h"
#include "engine/state/transaction.h"
#include "engine/actions/charge_search.h"
#include "engine/waits/cure.h"
#include "engine/actions/act_state.h"
#include "engine/actions/act_index.h"
#include "engine/actions/best_again.h"
#include "engine/actions/domain_calls.h"
#include "engine/actions/evict.h"
#include "engine/victims/evict_park.h"
#include "engine/actions/park_calls.h"
#include "engine/waits/pass.h"
#include "engine/actions/plan_calls.h"
#include "engine/actions/put_off.h"
#include "engine/waits/refusal_wait.h"
#include "engine/waits/nominations.h"
#include "engine/indexes/node_choice.h"
#include "engine/indexes/spread_limit.h"
#include "engine/topology/start_blocks.h"
#include "engine/queues/guarantee_reserve.h"
#include "engine/queues/queue_guarantee.h"
#include "engine/queues/queue_rules.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/domain.h"
#include "model/jobs/releasing.h"
#include "model/absences/job_absence.h"
#include "model/jobs/nominated_tasks.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_mig.h"
#include "model/queues/queue.h"
#include "model/jobs/retry.h"
#include "model/jobs/job_cost.h"
#include "model/demand/job_counts.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task.h"
#include "model/jobs/bundle.h"
#include "model/store/steps.h"
#include "engine/policy_hooks/growth_gain.h"
#include "engine/policy_hooks/hook_nodes.h"
#include "engine/actions/members_ask.h"
#include "engine/actions/place_calls.h"
#include "engine/victims/evict_wake.h"

const lsched_view *call_view(lsched_cycle *cy) {
    view_rank(&cy->c->view, cy->k); /* a cycle adds no node, so the order of names is current */
    return cycle_view(cy);
}

/* Parks a job from which surplus tasks were evicted a short while ago, until the time from which
 * the job can grow again (evict_blocks_growth). Without this delay, the job would get the same
 * surplus back and lose it again at once. */
static int32_t growth_park(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    int64_t until;
    if (!evict_blocks_growth(cy, job, &until)) return 0;
    struct park_reason why = {.code = LSCHED_WAIT_BACKOFF, .limiting_queue = NO_ROW};
    int32_t rc = job_park_alone(k, job, until, &why);
    return rc == LSCHED_OK ? 1 : rc;
}

/* Finds the next job: the first job of the queue that is first in the order of shares or, of equal
 * jobs that grow, the one that gains most. A job found that must still wait after a failure, a
 * refusal or an eviction of surplus, of which too few tasks exist, or that gains nothing, is
 * parked, and the next one is found. Returns 1, 0 if no job is left, or a negative error code. */
static int32_t first_ready(lsched_cycle *cy, uint32_t *job) {
    for (;;) {
        uint32_t queue = share_best(&cy->c->share, cy->k);
        if (queue == NO_ROW) return 0;
        int32_t rc = room_line_pull(&cy->c->lines, &cy->c->share, cy->k, queue);
        if (rc != LSCHED_OK) return rc;
        *job = bundle_head(cy->k, cy->k->c[C_QUEUE_HEAP].u32[queue]);
        rc = array_turn(cy, job);
        if (rc == LSCHED_OK) rc = undo_room(cy->k);
        if (rc == LSCHED_OK) rc = growth_gain_choose(cy, job);
        if (rc == 0) rc = job_park_members(cy->k, *job);
        /* a job without a row of COST has met no failure, no refusal and no eviction */
        if (rc == 0 && cy->k->c[C_JOB_COST].u32[*job] == NO_ROW) return 1;
        if (rc == 0) rc = retry_park(cy->k, *job, cy->now);
        if (rc == 0) rc = refusal_park(cy->k, *job, cy->now);
        if (rc == 0) rc = growth_park(cy, *job);
        if (rc <= 0) return rc < 0 ? rc : 1;
        rc = share_update(&cy->c->share, cy->k, queue);
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

/* Wakes the bundles that wait for an affinity to the job that has just been placed, so that these
 * bundles are tried again in this cycle. job: NO_ROW to wake the bundles that wait for an affinity
 * to any job. */
static int32_t wake_neighbours(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (!meta(k, M_RULES_NEWS) || cy->victims) return LSCHED_OK;
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
            rc = share_update(&cy->c->share, k, k->c[C_BUNDLE_QUEUE].u32[b]);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

int32_t call_next_job(lsched_cycle *cy, uint32_t *job) {
    cy->turn.job = NO_ROW;
    cy->act->deal.n_full = 0;
    cy->act->allowed.job = NO_ROW;
    gang_domains_forget(&cy->act->pins);
    int32_t rc = meta(cy->k, M_RULES_NEWS) ? wake_neighbours(cy, NO_ROW) : LSCHED_OK;
    if (rc == LSCHED_OK) rc = room_line_next(&cy->c->lines, &cy->c->share, cy->k);
    if (rc != LSCHED_OK) return rc;
    if (meta(cy->k, M_ACTIVE) == 0 &&
        (!room_line_any(&cy->c->lines) || share_best(&cy->c->share, cy->k) == NO_ROW))
        return 0;
    act_spend(cy, 1);
    if (cy->spend.decisions_left == 0) act_is_full(cy);
    if (cy->spend.stop) return 0;
    rc = first_ready(cy, job);
    if (rc == 1) rc = put_off_look(cy);
    if (rc <= 0) return rc;
    act_take_up(cy, *job);
    return 1;
}

int32_t call_groups(lsched_cycle *cy, uint32_t job, const lsched_group_view **groups, uint32_t *n) {
    if (!act_job_valid(cy, job)) return LSCHED_E_INVAL;
    const struct columns *k = cy->k;
    *n = k->c[C_JOBSHAPE_N_GROUPS].u32[k->c[C_JOB_SHAPE].u32[job]];
    for (uint32_t g = 0; g < *n; g++) {
        const struct ask *a = act_group(cy, job, g);
        lsched_group_view *v = &cy->act->groups[g];
        memset(v, 0, sizeof *v);
        v->size = sizeof *v;
        v->parent = k->c[C_GROUP_PARENT].u32[a->row];
        v->n_children = k->c[C_GROUP_CHILDREN].u32[a->row];
        v->min_count = a->min;
        v->max_count = replace_most(cy, a);
        v->topology = k->c[C_GROUP_TOPOLOGY].u32[a->row];
        v->required_level = k->c[C_GROUP_REQUIRED].u32[a->row];
        v->preferred_level = k->c[C_GROUP_PREFERRED].u32[a->row];
        if (v->n_children) continue;
        v->done = a->leaf == NO_ROW ? 0 : k->c[C_LEAF_DONE].u32[a->leaf];
        v->placed = a->held - v->done;
        int bound = v->placed || (a->leaf != NO_ROW && k->c[C_LEAF_LEAVING].u32[a->leaf]);
        v->alternative = a->alternative;
        v->is_open = (uint32_t)group_is_open(k, a->row);
        v->n_alternatives = bound ? 1 : k->c[C_GROUP_N_ALTERNATIVES].u32[a->row];
        for (; cy->act->n_shapes <= g; cy->act->n_shapes++)
            memset(&cy->act->shapes[cy->act->n_shapes], 0, sizeof cy->act->shapes[0]);
        view_task_shape_renew(k, a->shape, &cy->act->shapes[g]);
        v->task = &cy->act->shapes[g];
        int32_t rc = domains_step(cy, a, &v->step);
        if (rc != LSCHED_OK) return rc;
    }
    *groups = cy->act->groups;
    return LSCHED_OK;
}

int32_t call_checkpoint(lsched_cycle *cy, uint64_t *mark) {
    *mark = (uint64_t)undo_mark(cy->k) | (uint64_t)cy->decisions.n_fresh << 40;
    return LSCHED_OK;
}

int32_t call_rollback(lsched_cycle *cy, uint64_t mark) {
    size_t at = (size_t)(mark & (((uint64_t)1 << 40) - 1));
    uint32_t fresh = (uint32_t)(mark >> 40);
    if (at < cy->turn.mark || at > undo_mark(cy->k) || fresh < cy->turn.fresh_mark ||
        fresh > cy->decisions.n_fresh)
        return LSCHED_E_INVAL;
    evict_roll_back(cy, at, fresh);
    return LSCHED_OK;
}

int32_t call_alternative(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t alternative) {
    struct columns *k = cy->k;
    const struct ask *a = act_leaf(cy, job, group);
    if (!a || alternative >= k->c[C_GROUP_N_ALTERNATIVES].u32[a->row]) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    rc = leaf_try(k, job, group, (uint8_t)alternative);
    if (rc == 1) {
        cy->turn.first = act_reason(cy);
        cy->turn.has_first = 1;
    }
    return rc;
}

/* Records that the limit of a queue on a resource part stops the job. why.need is set to the
 * queue's use with the job, because the queue's use without the job is known only after call_park
 * has undone the transaction. */
static void blame_model(lsched_cycle *cy, const struct ask *a,
                        const struct resource_part_limit *l) {
    cy->turn.why.code = LSCHED_WAIT_LIMIT;
    cy->turn.why.kind = l->kind;
    cy->turn.why.limiting = l->queue;
    cy->turn.why.need = l->limit - l->left + l->amount;
    cy->turn.why.group = a->group;
    cy->turn.why.model_short = 1;
}

/* True if the node is to leave too early for the job, although it has room for its task, or has
 * room when its releasing tasks are gone. */
static int leaves_early(const lsched_cycle *cy, uint32_t job, uint32_t node, uint32_t shape) {
    const struct columns *k = cy->k;
    if (!meta(k, M_ABSENCES)) return 0;
    if (node_fits(k, node, shape)) return job_absence_bars(k, node, cy->now, job);
    return k->c[C_NODE_FUTURE].u32[node] && node_fits_later(k, node, shape) &&
           job_absence_bars(k, node, job_absence_later(k, node, cy->now), job);
}

/* The reasons for which nodes with room were not chosen for a task that found no node. */
struct taken {
    int by_filter;
    /* 1 if a node of the domain has or gets room, but leaves too early */
    int by_absence;
    /* the node of the domain whose name sorts first among the nodes that have room, but are
     * excluded by a limit on a resource part; NO_ROW if there is none */
    uint32_t by_limit;
};

/* True if a node of the domain has or gets room, but leaves too early. Looks at the nodes that are
 * to leave, and at none if no node has room or gets any, or if nothing but absences can have kept
 * the job from all nodes with room. */
static int is_taken_by_absence(const lsched_cycle *cy, const struct ask *a,
                               const struct search_index *x, uint32_t domain) {
    const struct columns *k = cy->k;
    const struct view_cache *v = &cy->c->view;
    const struct absence_line *l = &cy->c->absences;
    if (!meta(k, M_ABSENCES)) return 0;
    int room = act_index_has_room(cy, a, x);
    if (room == 0 && meta(k, M_NOMINATED) + meta(k, M_LEAVING) == 0) return 0;
    if (room == 1 && domain == NO_ROW && search_best(x) == NO_ROW) return 1;
    for (uint32_t node = absence_line_first(l); node != NO_ROW; node = absence_line_next(l, node)) {
        steps_add(k, 1);
        if (x->is_able[node] && v->node_ready[node] &&
            leaves_early(cy, a->job, node, x->key.shape) &&
            (domain == NO_ROW || domain_contains(k, domain, node)))
            return 1;
    }
    return 0;
}

static struct taken find_taken(const lsched_cycle *cy, const struct ask *a,
                               const struct search_index *x, uint32_t domain) {
    const struct columns *k = cy->k;
    const struct view_cache *v = &cy->c->view;
    struct taken t = {0, 0, NO_ROW};
    if (cy->turn.model_short.n == 0) {
        int room = hook_on(cy, LSCHED_HOOK_FILTER)
                       ? meta(k, M_ABSENCES) ? -1 : act_index_has_room(cy, a, x)
                       : 0;
        if (room >= 0) return (struct taken){room, is_taken_by_absence(cy, a, x, domain), NO_ROW};
    }
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!x->is_able[node] || !v->node_ready[node]) continue;
        if (leaves_early(cy, a->job, node, x->key.shape))
            t.by_absence |= domain == NO_ROW || domain_contains(k, domain, node);
        else if (!node_fits(k, node, x->key.shape))
            continue;
        else if (cy->turn.model_short.n == 0 || act_fits_within(cy, node, x->key.shape))
            t.by_filter |= hook_on(cy, LSCHED_HOOK_FILTER);
        else if ((t.by_limit == NO_ROW || x->mark[node] < x->mark[t.by_limit]) &&
                 (domain == NO_ROW || domain_of_node(k, k->c[C_DOMAIN_TOPOLOGY].u32[domain], node,
                                                     k->c[C_DOMAIN_LEVEL].u32[domain]) == domain))
            t.by_limit = node;
    }
    return t;
}

/* True if limit a is reported instead of limit b. The limit of the queue at the greater depth is
 * reported; at equal depth, the limit on the resource kind whose name sorts first. */
static int speaks_first(const struct columns *k, const struct resource_part_limit *a,
                        const struct resource_part_limit *b) {
    uint32_t x = k->c[C_QUEUE_DEPTH].u32[a->queue], z = k->c[C_QUEUE_DEPTH].u32[b->queue];
    if (x != z) return x > z;
    return text_compare(k, kind_name(k, a->kind), kind_name(k, b->kind)) < 0;
}

/* Reports the limit on a resource part that keeps the task from a node with room for it. A limit
 * is preferred which alone forbids every choice of devices on the node. If there is none, a limit
 * is reported that the normal choice of devices exceeds. */
static void diagnose_model(lsched_cycle *cy, const struct ask *a, uint32_t node) {
    const struct columns *k = cy->k;
    struct resource_part_limit limit, most;
    struct hold would, hold;
    int found = 0;
    if (!device_select(k, node, a->shape, DEVICE_NOW, NULL, &would)) return;
    for (uint32_t i = 0; i < cy->turn.model_short.n; i++) {
        struct resource_part_short one = {.n = 1};
        one.of[0] = cy->turn.model_short.of[i];
        if (device_select(k, node, a->shape, DEVICE_NOW, &one, &hold)) continue;
        if (resource_part_has_room_of(k, a->queue, one.of[0].part, a->shape, node, &would,
                                      &limit) ||
            (found && !speaks_first(k, &limit, &most)))
            continue;
        most = limit;
        found = 1;
    }
    if (found || !resource_part_has_room(k, a->queue, a->shape, node, &would, &most))
        blame_model(cy, a, &most);
}

/* Reports an incomplete gang if other groups of it found places in this try, and this one none. */
static void diagnose_other_groups(lsched_cycle *cy, const struct ask *a) {
    const struct columns *k = cy->k;
    struct job_counts n = job_count(k, a->job);
    if (n.placed + n.done == 0 || job_satisfied(k, a->job)) return;
    cy->turn.why.code = LSCHED_WAIT_GANG;
    cy->turn.why.need = k->c[C_JOBSHAPE_TASKS_MIN].u32[a->jobshape];
    cy->turn.why.have = n.placed + n.done;
}

static void diagnose_nowhere(lsched_cycle *cy, const struct ask *a, const struct search_index *x,
                             uint32_t domain) {
    cy->turn.why.able = x->able;
    cy->turn.why.shape = a->shape;
    cy->turn.why.group = a->group;
    act_name_scarcest(cy, a->shape);
    cy->turn.why.have = -1;
    struct taken taken = find_taken(cy, a, x, domain);
    cy->turn.why.code = x->able == 0       ? LSCHED_WAIT_NEVER_FITS
                        : taken.by_filter  ? LSCHED_WAIT_FILTER
                        : taken.by_absence ? LSCHED_WAIT_ABSENCE
                                           : LSCHED_WAIT_ROOM;
    if (x->able && refusal_wait_has_room(cy, a, domain)) return;
    if (cy->turn.why.code != LSCHED_WAIT_ROOM) return;
    if (taken.by_limit != NO_ROW) {
        diagnose_model(cy, a, taken.by_limit);
    } else if (domain != NO_ROW) {
        cy->turn.why.code = LSCHED_WAIT_TOPOLOGY;
        cy->turn.why.need = ask_next(a);
    } else if (a->held > 0) {
        cy->turn.why.code = LSCHED_WAIT_GANG;
        cy->turn.why.need = a->min;
        cy->turn.why.have = a->held;
    } else {
        diagnose_other_groups(cy, a);
    }
}

/* Reports that room exists only in domains where the group's spread rule allows no more tasks. */
static void diagnose_spread(lsched_cycle *cy, const struct ask *a) {
    cy->turn.why.code = LSCHED_WAIT_TOPOLOGY;
    cy->turn.why.need = a->held + ask_next(a);
    cy->turn.why.have = a->held;
}

/* Reports that room exists only on nodes that the affinity rules towards other jobs forbid. */
static void diagnose_affinity(lsched_cycle *cy, const struct ask *a) {
    diagnose_spread(cy, a);
    cy->turn.why.code = LSCHED_WAIT_RULES;
}

/* Reports a supply of a domain, and returns 1, if it alone keeps the task off a node with room. */
static int diagnose_supplies(lsched_cycle *cy, const struct ask *a, const struct search_index *x,
                             const struct affinity_rules *rules, uint32_t domain) {
    const struct columns *k = cy->k;
    struct supply_lack lack = {NO_ROW, 0, 0};
    uint32_t first = NO_ROW;
    if (shape_n_supplies(k, a->shape) == 0) return 0;
    steps_add(k, table_rows(k, T_NODE));
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++)
        if (x->score[n] != SEARCH_LEAST && (first == NO_ROW || x->mark[n] < x->mark[first]) &&
            (domain == NO_ROW || domain_contains(k, domain, n)) &&
            affinity_rules_allow(rules, k, n) && spread_limit_allows(k, a, n) &&
            !node_choice_supplied(k, a->shape, n, (int)cy->turn.later))
            first = n;
    if (first == NO_ROW) return 0;
    supply_domains_have(k, a->shape, first, cy->turn.later ? SUPPLY_LATER : SUPPLY_NOW, &lack);
    cy->turn.why.code = LSCHED_WAIT_SUPPLY;
    cy->turn.why.need = lack.need;
    cy->turn.why.have = lack.have;
    cy->turn.why.limiting = NO_ROW;
    return 1;
}

/* Finds the best node for one more task, with a charge of at most cy->turn.charge_max if that is
 * set. Returns 1, 0 with the reason in cy->turn.why, or a negative error code. */
static int32_t best_node(lsched_cycle *cy, const struct ask *a, uint32_t domain, uint32_t *node) {
    struct search_index *x;
    if (refusal_wait_is_everywhere(cy, a)) return 0;
    int32_t rc = best_again(cy, a, domain, &x, node);
    if (rc != LSCHED_OK) return rc;
    int any = *node != NO_ROW;
    struct affinity_rules rules;
    rc = affinity_rules_open(&rules, &cy->c->affinity, cy->k, a, (int)cy->turn.later);
    if (rc == LSCHED_OK && !x && !node_choice_takes(cy->k, &rules, a, *node, (int)cy->turn.later))
        rc = act_index(cy, a, &x);
    if (rc == LSCHED_OK && !x) return 1;
    if (rc == LSCHED_OK) rc = node_choice_best(cy->k, x, &rules, a, domain, node);
    if (rc != LSCHED_OK) return rc;
    act_offer(cy, x, *node);
    if (*node != NO_ROW) return 1;
    diagnose_nowhere(cy, a, x, domain);
    if (any && diagnose_supplies(cy, a, x, &rules, domain)) return 0;
    if (any && node_choice_is_affinity_only(cy->k, x, &rules, domain))
        diagnose_affinity(cy, a);
    else if (any)
        diagnose_spread(cy, a);
    return 0;
}

int32_t call_find_node(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t domain,
                       uint32_t *node) {
    const struct ask *a = act_leaf(cy, job, group);
    if (!a) return LSCHED_E_INVAL;
    if (domain != NO_ROW && !row_is_live(cy->k, T_DOMAIN, domain)) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    if (cy->spend.stop) return 0;
    if (members_ask_blocks(cy, a) || evict_leaves_free_room(cy)) return 0;
    if (cy->policy.look == 3) search_drop_jobs(&cy->c->search, cy->k);
    struct charge_search s;
    int32_t rc;
    charge_begin(cy, &s, a);
    do {
        rc = best_node(cy, a, domain, node);
    } while (charge_go_on(cy, &s, rc, *node));
    cy->turn.charge_max = 0;
    return rc < 0 ? rc : s.found;
}

/* Chooses the devices, MIG slices and NUMA node that the task gets on the node. The placement
 * strategy chooses the devices if it can; otherwise the engine chooses them. */
static int32_t choose_hold(lsched_cycle *cy, uint32_t shape, uint32_t node, struct hold *hold) {
    const struct columns *k = cy->k;
    if (cy->turn.later || k->c[C_SHAPE_DEVICES].u32[shape] == 0)
        return device_select(k, node, shape, cy->turn.later ? DEVICE_LATER : DEVICE_NOW, NULL,
                             hold);
    int32_t rc = hook_placement(cy);
    if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
    if (cy->policy.place && cy->policy.place->devices && !device_select_is_ours(k, node, shape)) {
        lsched_task_shape task;
        view_task_shape(k, shape, &task);
        uint64_t words[LSCHED_DEVICE_WORDS] = {0};
        rc = cy->policy.place->devices(cy->policy.place_self, cycle_view(cy), &task, node, words);
        *hold = (struct hold){.mask = device_set_of_array(words)};
        if (rc != LSCHED_OK) return rc < 0 ? rc : LSCHED_E_INVAL;
        if (device_select_allows(k, node, shape, DEVICE_NOW, hold) &&
            device_select_rest(k, node, shape, DEVICE_NOW, hold))
            return 1;
    } /* if the strategy's choice is not allowed, the engine chooses */
    return device_select(k, node, shape, DEVICE_NOW, NULL, hold);
}

/* True if the task's devices keep every queue within its limits on resource parts. A placement
 * strategy does not know these limits. If its choice exceeds one, the engine chooses other devices
 * of the node. */
static int within_models(lsched_cycle *cy, const struct ask *a, uint32_t node, struct hold *hold) {
    const struct columns *k = cy->k;
    struct resource_part_limit limit;
    if (resource_part_count(k) == 0 ||
        resource_part_has_room(k, a->queue, a->shape, node, hold, &limit))
        return 1;
    resource_part_find_short(k, a->queue, a->shape, &cy->turn.model_short);
    if (device_select(k, node, a->shape, cy->turn.later ? DEVICE_LATER : DEVICE_NOW,
                      &cy->turn.model_short, hold))
        return 1;
    blame_model(cy, a, &limit);
    return 0;
}

/* Returns 1 if the task can have the hold that the caller chose, otherwise 0. */
static int32_t given_hold(const lsched_cycle *cy, uint32_t shape, uint32_t node,
                          struct hold *hold) {
    const struct columns *k = cy->k;
    enum device_when when = cy->turn.later ? DEVICE_LATER : DEVICE_NOW;
    if (!device_select_allows(k, node, shape, when, hold)) return 0;
    /* a nomination does not say which instances are still to be made */
    if (k->c[C_SHAPE_MIG_SLICES].u8[shape] && !cy->turn.later)
        device_select_mig_renew(k, node, shape, hold);
    return 1;
}

/* True if the gang reaches its minimum only with nominations, for room that is not free yet. If a
 * further task were placed now, it would run before the gang has its minimum. */
static int stands_on_nominations(const struct columns *k, uint32_t job) {
    return meta(k, M_NOMINATED) && job_satisfied(k, job) && !job_stands(k, job);
}

/* True if the node is ready and has room for one task of the group; if cy->turn.later is set, the
 * room of releasing tasks counts as free. */
static int takes_task(const lsched_cycle *cy, const struct ask *a, uint32_t node) {
    const struct columns *k = cy->k;
    if (act_was_offered(cy, a->shape, node)) return 1;
    return k->c[C_NODE_STATE].u8[node] == LSCHED_NODE_READY && node_able(k, node, a->shape) &&
           (cy->turn.later ? node_fits_later(k, node, a->shape) : node_fits(k, node, a->shape));
}

/* Returns 1 if the affinity rules towards other jobs allow one task of the group on the node, 0 if
 * not, or LSCHED_E_NOMEM. */
static int32_t affinity_allows(lsched_cycle *cy, const struct ask *a, uint32_t node) {
    struct affinity_rules rules;
    if (!affinity_rules_asked(cy->k, a->shape)) return 1;
    int32_t rc = affinity_rules_open(&rules, &cy->c->affinity, cy->k, a, (int)cy->turn.later);
    return rc == LSCHED_OK ? affinity_rules_allow(&rules, cy->k, node) : rc;
}

/* True if the bound on decisions allows one more decision in the transaction. Otherwise stops the
 * cycle. */
static int has_decision_left(lsched_cycle *cy) {
    int left = cy->decisions.n_fresh - cy->turn.fresh_mark < cy->spend.decisions_left;
    if (!left) act_is_full(cy);
    return left;
}

/* Asks the rules of queues. The answer for one task, before the job's transaction has changed
 * anything, is kept, because call_within_limits and the first placement both need it. */
static int rules_allow(lsched_cycle *cy, const struct ask *a, uint32_t n) {
    struct allowed *known = &cy->act->allowed;
    int keeps = n == 1 && cy->k->undo_n == cy->turn.mark && !cy->reserve->owes &&
                !shape_n_supplies(cy->k, a->shape); /* what is left differs for nominations */
    if (keeps && known->job == a->job && known->group == a->group && known->shape == a->shape)
        return 1;
    if (!queue_rules_allow(cy, a, n)) return 0;
    if (keeps) *known = (struct allowed){a->job, a->group, a->shape};
    return 1;
}

/* Returns the time at which the placement takes effect: now, or for a nomination the time at which
 * its room should be free. */
static int64_t effect_at(const lsched_cycle *cy, const struct ask *a, uint32_t node) {
    if (!cy->turn.later) return cy->now;
    int64_t at = nominations_room_at(cy->k, a->job, a->shape, node),
            last =
                stands_on_nominations(cy->k, a->job) ? nominated_tasks_last_at(cy->k, a->job) : 0;
    if (at < last) at = last;
    return at < cy->now ? cy->now : at;
}

/* Returns the time at which a task that is placed now can start: now, or for a nomination when its
 * room should be free and the job has left its old places. */
static int64_t starts_at(const lsched_cycle *cy, const struct ask *a, uint32_t node) {
    int64_t at = effect_at(cy, a, node);
    return cy->turn.later ? job_absence_own(cy->k, a->job, at) : at;
}

/* Makes all checks of a placement that do not depend on devices. If they allow one more task of
 * the group on the node, returns 1 and sets *index to the index that the task gets
 * (gang_domains_index). */
static int32_t node_passes(lsched_cycle *cy, const struct ask *a, uint32_t node, uint32_t *index) {
    struct columns *k = cy->k;
    struct gang_domains *pins = &cy->act->pins;
    if (a->held >= replace_most(cy, a)) return 0;
    if (!takes_task(cy, a, node)) return 0;
    if (!gang_domains_allow(pins, k, a, node)) return 0;
    if (!spread_limit_allows(k, a, node)) return 0;
    if (refusal_blocks(k, a->queue, a->shape, node, (int)cy->turn.later)) return 0;
    if (meta(k, M_ABSENCES) && job_absence_bars(k, node, starts_at(cy, a, node), a->job)) return 0;
    if (!node_choice_supplied(k, a->shape, node, (int)cy->turn.later)) return 0;
    int32_t rc = affinity_allows(cy, a, node);
    if (rc <= 0) return rc;
    if (!cy->turn.later && stands_on_nominations(k, a->job)) return 0;
    if (!rules_allow(cy, a, 1)) return 0;
    if (!has_decision_left(cy)) return 0;
    rc = gang_domains_index(pins, k, a, node, index);
    return rc == 1 ? replace_allows(cy, a, *index) : rc;
}

/* Chooses the devices, MIG slices and NUMA node that the task gets on the node, and makes the
 * checks that depend on this choice. Returns 1 if the task can have *hold. `given` is the hold
 * that the caller chose; NULL: the placement strategy or the engine chooses it. */
static int32_t may_hold(lsched_cycle *cy, const struct ask *a, uint32_t node,
                        const struct hold *given, struct hold *hold) {
    *hold = given ? *given : (struct hold){0};
    int32_t rc =
        given ? given_hold(cy, a->shape, node, hold) : choose_hold(cy, a->shape, node, hold);
    if (rc <= 0) return rc;
    return within_models(cy, a, node, hold) && charge_allow(cy, a, node, hold);
}

/* Places one task of the group on a node that all checks allow. */
static int32_t place_checked(lsched_cycle *cy, const struct ask *a, uint32_t node, uint32_t index,
                             const struct hold *hold) {
    struct columns *k = cy->k;
    uint32_t task, decision;
    struct place_spec p = {.job = a->job,
                           .group = a->group,
                           .node = node,
                           .alternative = a->alternative,
                           .hold = *hold,
                           .index = index,
                           .state = cy->turn.later ? LSCHED_TASK_NOMINATED : LSCHED_TASK_PROPOSED,
                           .now = cy->now,
                           .decision_group = cy->turn.group_serial,
                           .at = effect_at(cy, a, node)};
    int32_t rc = task_place(k, &p, &task, &decision);
    if (rc == LSCHED_OK && cy->turn.later) future_note(k, p.at);
    if (rc == LSCHED_OK) rc = cycle_fresh_add(cy, decision);
    if (rc == LSCHED_OK) gang_domains_placed(&cy->act->pins, k, cy->c->maps, a, task);
    return rc == LSCHED_OK ? 1 : rc;
}

int32_t call_place_as(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node,
                      const struct hold *given) {
    const struct ask *a = act_leaf(cy, job, group);
    uint32_t index;
    struct hold hold;
    if (!a || !row_is_live(cy->k, T_NODE, node)) return LSCHED_E_INVAL;
    act_spend(cy, 1);
    if (cy->spend.stop) return 0;
    int32_t rc = node_passes(cy, a, node, &index);
    if (rc == 1) rc = may_hold(cy, a, node, given, &hold);
    return rc == 1 ? place_checked(cy, a, node, index, &hold) : rc;
}

int32_t call_place(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node) {
    return call_place_as(cy, job, group, node, NULL);
}

int32_t call_place_on(lsched_cycle *cy, uint32_t job, uint32_t group, uint32_t node,
                      const uint64_t *device_words, uint64_t starts) {
    if (!device_words) return LSCHED_E_INVAL;
    struct hold given = {.starts = starts, .mask = device_set_of_array(device_words)};
    return call_place_as(cy, job, group, node, &given);
}

/* ---- limits, commit, park ---- */

int32_t call_within_limits(lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    const struct ask *a = act_group(cy, job, 0);
    if (!a) return LSCHED_E_INVAL;
    if (k->c[C_JOBSHAPE_N_GROUPS].u32[a->jobshape] > 1 || jobshape_chooses(k, a->jobshape))
        /* the amounts of such a job are known only when it is placed; call_place checks them */
        return 1;
    struct resource_part_limit limit;
    if (!rules_allow(cy, a, ask_next(a))) return 0;
    if (resource_part_certain_room(k, a->queue, a->shape, ask_next(a), &limit)) return 1;
    blame_model(cy, a, &limit);
    return 0;
}

/* True if the bound on decisions ended the choice of a size, so that a larger bound could give the
 * job more tasks for the whole time that it runs. */
static int size_is_cut(const lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    uint32_t shape = k->c[C_JOB_SHAPE].u32[job];
    if (!cy->spend.stop || !jobshape_is_fixed(k, shape)) return 0;
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++)
        if (group_is_open(k, group_row(k, shape, g))) return 1;
    return 0;
}

/* True if the queue, or a queue above, now holds more than its guarantee, so that other queues can
 * become entitled to work of it. */
static int borrows(const lsched_cycle *cy, uint32_t queue) {
    const struct columns *k = cy->k;
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            if (k->c[C_QUEUE_USED + r].i64[q] > queue_guarantee(cy, q, r)) return 1;
    return 0;
}

/* An action must not place less than the minimum of a gang, and must not start it with a part of a
 * task block. Returns LSCHED_OK, LSCHED_E_STATE or LSCHED_E_NOMEM. */
static int32_t check_whole(lsched_cycle *cy, uint32_t job) {
    if (!job_satisfied(cy->k, job)) return LSCHED_E_STATE;
    int32_t rc = start_blocks_whole(&cy->act->pins, cy->k, job, cy->turn.group_serial);
    if (rc < 0) return rc;
    return rc ? LSCHED_OK : LSCHED_E_STATE;
}

int32_t call_commit(lsched_cycle *cy, uint32_t job) {
    struct columns *k = cy->k;
    if (!act_job_valid(cy, job)) return LSCHED_E_INVAL;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job], b = k->c[C_JOB_BUNDLE].u32[job];
    if (act_is_cut(cy) || !act_fits_bound(cy) || size_is_cut(cy, job))
        return call_park(cy, job); /* with more work units or decisions, the result could differ */
    int32_t rc = check_whole(cy, job);
    if (rc != LSCHED_OK) return rc;
    if (evict_grows(cy) || !nominations_end_in_time(cy)) {
        cy->turn.why =
            (struct diagnosis){.code = LSCHED_WAIT_ROOM, .shape = NO_ROW, .limiting = NO_ROW};
        cy->turn.has_first = 0;
        return call_park(cy, job);
    }
    int waits = put_off_asks(cy, job);
    /* the budget ended before all waiting bundles were compared */
    if (act_is_cut(cy)) return call_park(cy, job);
    if (waits) return put_off_job(cy, job);
    rc = evict_keep_turn(cy, job);
    if (rc == LSCHED_OK) rc = put_off_placed(cy, b, job);
    if (rc == LSCHED_OK && meta(k, M_RULES_NEWS)) rc = wake_neighbours(cy, job);
    int borrowed = (cy->act->evicts >> LSCHED_FOR_RECLAIM & 1) && borrows(cy, queue);
    /* a later round seeks victims only for the jobs that it has tried itself, so that the next
     * cycle seeks them for all others, which this start can help */
    int later = cy->act->evicts && pass_round(cy);
    if ((borrowed || later) && meta(k, M_PARKED_JOBS)) evict_news(k);
    if (rc == LSCHED_OK) evict_settle(cy);
    return rc == LSCHED_OK ? share_update(&cy->c->share, k, queue) : rc;
}
