/* node_search.c -- see node_search.h. */
#include "cli/advise/node_search.h"

#include <stdlib.h>
#include <string.h>

#include "cli/advise/money.h"
#include "cli/advise/node_bounds.h"
#include "cli/support/cli_errors.h"

/* ---- adding ---- */

enum { ALL_TRIED = 6 };  /* so few counts are all tried */
enum { TRIED_MAX = 64 }; /* counts of one type in one round: twice log2 of 4,096, and a few */

/* The best count of one type that was tried, on top of the counts of the others. */
struct probe {
    size_t type, count;
    size_t least, most; /* bounds of the count */
    struct node_figures figures;
    bool found; /* better than the start of the search */
    size_t tried[TRIED_MAX], n_tried;
};

/* Begins at the present count. */
static struct probe probe_of(const struct node_trials *trials, const struct node_advice *from,
                             size_t type) {
    return (struct probe){
        .type = type,
        .count = from->change.counts[type],
        .least = node_bounds_least(trials->bounds, type),
        .most = node_bounds_most(trials->bounds, type, trials->catalogue->types[type].n),
        .figures = from->added};
}

static bool was_tried(struct probe *best, size_t count) {
    for (size_t i = 0; i < best->n_tried; i++)
        if (best->tried[i] == count) return true;
    if (best->n_tried < TRIED_MAX) best->tried[best->n_tried++] = count;
    return false;
}

/* True if the added nodes cost more than all that the best change costs, whatever they do. */
static bool costs_too_much(const struct node_trials *trials, const struct node_change *change,
                           const struct probe *best) {
    int64_t least = 0;
    for (size_t t = 0; t < trials->catalogue->n_types; t++)
        for (size_t i = 0; i < change->counts[t]; i++) {
            const struct node_offer *offer =
                &trials->catalogue->offers[trials->catalogue->types[t].first + i];
            least =
                money_add(least, money_over(node_trial_rate(trials, offer), trials->opts.hold_us));
        }
    return least > best->figures.total_micro;
}

/* Tries a count, and keeps it if it is better. Fewer nodes win at an equal price. *used: how many
 * nodes of the type get work; unchanged if no trial was needed. Returns what node_trial_make()
 * returns. */
static int32_t probe_count(struct node_trials *trials, const struct node_advice *from, size_t count,
                           struct probe *best, size_t *used, lsched_error *err) {
    struct node_change change = from->change;
    struct node_figures figures;
    change.counts[best->type] = count;
    if (was_tried(best, count)) return 1;
    if (used == NULL && costs_too_much(trials, &change, best)) return 1;
    int32_t rc = node_trial_make(trials, &change, &figures, err);
    if (rc != 1) return rc;
    if (used != NULL) *used = figures.used[best->type];
    bool better = figures.total_micro < best->figures.total_micro ||
                  (figures.total_micro == best->figures.total_micro && count < best->count);
    if (better && figures.used[best->type] == count) {
        best->found = true;
        best->count = count;
        best->figures = figures;
    }
    return 1;
}

/* Looks around the best count with steps that are halved. */
static int32_t probe_between(struct node_trials *trials, const struct node_advice *from,
                             struct probe *best, size_t step, lsched_error *err) {
    int32_t rc = 1;
    for (; step > 0 && rc == 1; step /= 2) {
        size_t at = best->count;
        if (at >= best->least + step) rc = probe_count(trials, from, at - step, best, NULL, err);
        if (rc == 1 && best->count == at && at + step <= best->most)
            rc = probe_count(trials, from, at + step, best, NULL, err);
    }
    return rc;
}

/* Finds a count of the type above the present one. */
static int32_t probe_type(struct node_trials *trials, const struct node_advice *from,
                          struct probe *best, bool *useless, lsched_error *err) {
    size_t now = from->change.counts[best->type], used = 0, worse = 0;
    int32_t rc = probe_count(trials, from, best->most, best, &used, err);
    *useless = rc == 1 && used <= now;
    if (rc != 1 || *useless) return rc;
    /* more nodes than get work would stand idle; gains that were found fall on both sides */
    for (size_t add = used - now; rc == 1 && add > 0 && worse < 2; add /= 2) {
        size_t before = best->count;
        rc = probe_count(trials, from, now + add, best, NULL, err);
        worse = best->found && best->count == before && add < used - now ? worse + 1 : 0;
    }
    for (size_t add = 1; rc == 1 && add < used - now && used - now <= ALL_TRIED; add++)
        rc = probe_count(trials, from, now + add, best, NULL, err);
    if (rc == 1 && best->found)
        rc = probe_between(trials, from, best, (best->count - now) / 2, err);
    return rc;
}

/* True if a gains more for its price than b. */
static bool gains_more(const struct node_advice *from, const struct probe *a,
                       const struct probe *b) {
    double gain_a = (double)(from->added.total_micro - a->figures.total_micro);
    double gain_b = (double)(from->added.total_micro - b->figures.total_micro);
    double price_a = (double)(a->figures.added_micro - from->added.added_micro);
    double price_b = (double)(b->figures.added_micro - from->added.added_micro);
    /* more nodes can cost less, if work ends earlier: then the gain alone counts */
    if (price_a <= 0 || price_b <= 0) return gain_a > gain_b;
    return gain_a * price_b > gain_b * price_a;
}

/* *last: the type of the round before, whose counts were looked at already. */
static int32_t add_round(struct node_trials *trials, struct node_advice *out, bool *useless,
                         size_t *last, bool *again, lsched_error *err) {
    struct probe chosen = {.found = false};
    int32_t rc = 1;
    for (size_t t = 0; t < trials->catalogue->n_types && rc == 1; t++) {
        struct probe probe = probe_of(trials, out, t);
        if (useless[t] || t == *last || probe.count >= probe.most) continue;
        rc = probe_type(trials, out, &probe, &useless[t], err);
        if (probe.found && (!chosen.found || gains_more(out, &probe, &chosen))) chosen = probe;
    }
    *again = chosen.found && rc == 1;
    if (chosen.found) {
        *last = chosen.type;
        out->change.counts[chosen.type] = chosen.count;
        out->added = chosen.figures;
    }
    return rc;
}

/* Lowers and raises each count a last time: a type that was chosen later can replace nodes of an
 * earlier one. */
static int32_t add_polish(struct node_trials *trials, struct node_advice *out, lsched_error *err) {
    int32_t rc = 1;
    for (size_t t = 0; t < trials->catalogue->n_types && rc == 1; t++) {
        struct probe probe = probe_of(trials, out, t);
        if (probe.count == probe.least) continue;
        rc = probe_count(trials, out, probe.least, &probe, NULL, err);
        if (rc == 1) rc = probe_between(trials, out, &probe, (probe.count + 1) / 2, err);
        out->change.counts[t] = probe.count;
        out->added = probe.figures;
    }
    return rc;
}

static size_t types_chosen(const struct node_trials *trials, const struct node_advice *advice) {
    size_t n = 0;
    for (size_t t = 0; t < trials->catalogue->n_types; t++) n += advice->change.counts[t] > 0;
    return n;
}

/* Begins with the nodes that earlier advice keeps. Returns what node_trial_make() returns. */
static int32_t add_kept(struct node_trials *trials, struct node_advice *out, lsched_error *err) {
    size_t kept = 0;
    out->added = trials->base;
    for (size_t t = 0; trials->catalogue != NULL && t < trials->catalogue->n_types; t++)
        kept += out->change.counts[t] = node_bounds_least(trials->bounds, t);
    int32_t rc = kept > 0 ? node_trial_make(trials, &out->change, &out->added, err) : 1;
    if (rc == 1 && !out->added.cut) return 1;
    if (rc < 0) return rc;
    return error_at(err, LSCHED_E_INVAL, 0, 0,
                    rc == 0 ? "--budget: the play with the nodes that earlier runs advised to add "
                              "needs more work"
                            : "--horizon: the play with the nodes that earlier runs advised to add "
                              "needs too many cycles; give a shorter horizon");
}

int32_t node_search_add(struct node_trials *trials, struct node_advice *out, lsched_error *err) {
    bool useless[CATALOGUE_TYPES_MAX] = {false}, again = true;
    size_t last = CATALOGUE_TYPES_MAX;
    memset(out, 0, sizeof *out);
    int32_t rc = add_kept(trials, out, err);
    if (trials->catalogue == NULL || trials->n_waiting == 0) again = false;
    for (size_t round = 0; again && rc == 1 && round < 4 * trials->catalogue->n_types; round++)
        rc = add_round(trials, out, useless, &last, &again, err);
    /* one type alone was looked around already */
    if (rc == 1 && trials->catalogue != NULL && types_chosen(trials, out) > 1)
        rc = add_polish(trials, out, err);
    out->all = out->added;
    return rc < 0 ? rc : LSCHED_OK;
}

/* ---- draining ---- */

struct drainable {
    size_t index; /* of the own node */
    bool used;
    uint32_t n_tasks;
    int64_t rate_micro;
};

struct drain_search {
    struct node_trials *trials;
    struct node_advice *advice;
    struct drainable *order; /* owned */
    size_t n;
    int64_t least_micro; /* the least price with the present order */
    bool *drained;       /* owned, as in struct node_change: of a trial */
    bool *kept;          /* owned: nodes that earlier advice drains, and that are drained still */
    int64_t base_micro;  /* the price with these */
    bool *best;          /* owned by the advice: of the best trial */
};

/* The node that is missed least comes first. */
static int drain_compare(const void *a, const void *b) {
    const struct drainable *x = a, *y = b;
    if (x->used != y->used) return x->used ? 1 : -1;
    if (x->n_tasks != y->n_tasks) return x->n_tasks < y->n_tasks ? -1 : 1;
    if (x->rate_micro != y->rate_micro) return x->rate_micro > y->rate_micro ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index); /* in the order of their names */
}

/* The node that costs most comes first. */
static int drain_compare_rates(const void *a, const void *b) {
    const struct drainable *x = a, *y = b;
    if (x->rate_micro != y->rate_micro) return x->rate_micro > y->rate_micro ? -1 : 1;
    return drain_compare(a, b);
}

/* True if a queue and all above it have an unlimited quota, or if there is no queue. */
static bool is_unlimited(const lsched_cluster *cluster, lsched_id queue, uint32_t kind) {
    while (queue != 0) {
        lsched_queue_info info = {.size = sizeof info};
        int64_t quota = 0;
        if (lsched_queue_get(cluster, queue, &info, NULL) < 0 ||
            lsched_queue_amount(cluster, queue, kind, NULL, &quota, NULL, NULL) < 0 ||
            quota != LSCHED_UNLIMITED)
            return false;
        queue = info.parent;
    }
    return true;
}

/* The sum of the quotas of the topmost queues whose quota is not unlimited; false if it cannot be
 * compared with nodes. */
static bool top_quotas(const lsched_cluster *cluster, uint32_t kind, int64_t *sum) {
    uint64_t cursor = 0;
    *sum = 0;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        lsched_queue_info info = {.size = sizeof info};
        int64_t quota = 0;
        if (lsched_queue_get(cluster, id, &info, NULL) < 0) continue;
        if (lsched_queue_amount(cluster, id, kind, NULL, &quota, NULL, NULL) < 0) return false;
        if (quota == LSCHED_UNLIMITED || quota <= 0) continue;
        if (!is_unlimited(cluster, info.parent, kind)) continue;
        if (*sum > LSCHED_UNLIMITED - quota) return false;
        *sum += quota;
    }
    return true;
}

/* True if the own nodes that stay hold the quotas of one kind, or if draining takes nothing of the
 * kind. */
static bool holds_quota(const struct drain_search *search, uint32_t kind, int64_t quota) {
    int64_t left = 0, capacity = 0;
    bool taken = false;
    for (size_t i = 0; i < search->trials->n_own; i++) {
        const struct own_node *node = &search->trials->own[i];
        if (node->info.state != LSCHED_NODE_READY) continue;
        if (lsched_node_amount(search->trials->full, node->id, kind, &capacity, NULL, NULL) < 0)
            return false; /* a part: nodes do not say how much of it they have */
        taken = taken || (search->drained[i] && capacity > 0);
        if (!search->drained[i] && left < quota)
            left = capacity < quota - left ? left + capacity : quota;
    }
    return !taken || left >= quota;
}

static bool holds_quotas(struct drain_search *search) {
    for (uint32_t kind = 1; lsched_resource_name(search->trials->full, kind) != NULL; kind++) {
        int64_t quota = 0;
        if (!top_quotas(search->trials->full, kind, &quota)) return false;
        if (quota > 0 && !holds_quota(search, kind, quota)) return false;
    }
    return true;
}

/* True if a group gets more nodes than were pending. */
static bool group_rises(const struct drain_search *search, uint32_t group) {
    const struct node_bounds *bounds = search->trials->bounds;
    const struct catalogue *catalogue = search->trials->catalogue;
    for (size_t t = 0; catalogue != NULL && t < catalogue->n_types; t++)
        if (bounds->type_group[t] == group &&
            search->advice->change.counts[t] > node_bounds_full(bounds, t))
            return true;
    return false;
}

/* True if nodes of the group of an own node can be drained now: the group has not changed for a
 * day, and gets no more nodes in this run. */
static bool group_can_fall(const struct drain_search *search, size_t own) {
    const struct node_bounds *bounds = search->trials->bounds;
    if (bounds == NULL) return true;
    uint32_t group = bounds->own_group[own];
    return !bounds->groups[group].no_fall && !group_rises(search, group);
}

static bool is_drainable(const struct node_trials *trials, const struct own_node *node) {
    return node->info.state == LSCHED_NODE_READY && node->rate_micro > 0 &&
           (!node->used || trials->opts.drain_used);
}

static void find_drainable(struct drain_search *search) {
    const struct node_trials *trials = search->trials;
    search->order = must_alloc_zero((trials->n_own + 1) * sizeof search->order[0]);
    for (size_t i = 0; i < trials->n_own; i++) {
        const struct own_node *node = &trials->own[i];
        if (!is_drainable(trials, node)) continue;
        if (search->kept[i] || !group_can_fall(search, i)) continue;
        search->order[search->n++] = (struct drainable){.index = i,
                                                        .used = node->used,
                                                        .n_tasks = node->info.n_tasks,
                                                        .rate_micro = node->rate_micro};
    }
}

/* Tries to drain the nodes of search->drained. *good: nothing bars it, and nothing that was tried
 * in the present order was better. */
static int32_t drain_try(struct drain_search *search, bool *good, lsched_error *err) {
    struct node_change change = search->advice->change;
    struct node_figures figures;
    *good = false;
    change.drained = search->drained;
    if (!holds_quotas(search)) return 1;
    int32_t rc = node_trial_make(search->trials, &change, &figures, err);
    if (rc != 1) return rc;
    *good = !figures.stranded && !figures.forced && !figures.kept && figures.starved == 0 &&
            figures.total_micro < search->least_micro;
    if (!*good) return 1;
    search->least_micro = figures.total_micro;
    if (figures.total_micro >= search->advice->all.total_micro) return 1;
    memcpy(search->best, search->drained, search->trials->n_own * sizeof search->best[0]);
    search->advice->all = figures;
    return 1;
}

/* Tries to drain the first `count` nodes, too. */
static int32_t drain_count(struct drain_search *search, size_t count, bool *good,
                           lsched_error *err) {
    memcpy(search->drained, search->kept, search->trials->n_own * sizeof search->drained[0]);
    for (size_t i = 0; i < count; i++) search->drained[search->order[i].index] = true;
    return drain_try(search, good, err);
}

static int32_t drain_in_order(struct drain_search *search,
                              int (*compare)(const void *, const void *), lsched_error *err) {
    size_t low = 0, high = search->n + 1;
    bool good = true;
    int32_t rc = 1;
    search->least_micro = search->base_micro;
    qsort(search->order, search->n, sizeof search->order[0], compare);
    for (size_t count = 1; rc == 1 && good && low < search->n; count *= 2) {
        size_t at = count < search->n ? count : search->n;
        rc = drain_count(search, at, &good, err);
        if (good)
            low = at;
        else
            high = at;
    }
    while (rc == 1 && high - low > 1) {
        size_t middle = low + (high - low) / 2;
        rc = drain_count(search, middle, &good, err);
        if (good)
            low = middle;
        else
            high = middle;
    }
    return rc < 0 ? rc : LSCHED_OK;
}

/* Tries the pending drain of one group on top of those that are kept. */
static int32_t drain_kept_group(struct drain_search *search, uint32_t group, lsched_error *err) {
    const struct node_trials *trials = search->trials;
    bool any = false, good = false;
    if (!trials->bounds->groups[group].no_fall || group_rises(search, group)) return 1;
    memcpy(search->drained, search->kept, trials->n_own * sizeof search->kept[0]);
    for (size_t i = 0; i < trials->n_own; i++) {
        if (!trials->bounds->own_pending[i] || trials->bounds->own_group[i] != group) continue;
        if (!is_drainable(trials, &trials->own[i])) return 1;
        search->drained[i] = any = true;
    }
    int32_t rc = any ? drain_try(search, &good, err) : 1;
    if (good) memcpy(search->kept, search->drained, trials->n_own * sizeof search->kept[0]);
    return rc;
}

/* Keeps the drains that earlier runs advised within the last day, as far as they are still good: a
 * group keeps its drain whole, or not at all. */
static int32_t drain_kept(struct drain_search *search, lsched_error *err) {
    const struct node_bounds *bounds = search->trials->bounds;
    size_t groups = bounds != NULL ? bounds->names.n : 0;
    int32_t rc = 1;
    search->least_micro = search->advice->added.total_micro;
    for (uint32_t g = 0; g < groups && rc == 1; g++) rc = drain_kept_group(search, g, err);
    search->base_micro = search->advice->all.total_micro;
    return rc < 0 ? rc : LSCHED_OK;
}

static int32_t search_drain(struct node_trials *trials, struct node_advice *out,
                            lsched_error *err) {
    struct drain_search search = {.trials = trials, .advice = out};
    search.drained = must_alloc_zero((trials->n_own + 1) * sizeof search.drained[0]);
    search.best = must_alloc_zero((trials->n_own + 1) * sizeof search.best[0]);
    search.kept = must_alloc_zero((trials->n_own + 1) * sizeof search.kept[0]);
    int32_t rc = drain_kept(&search, err);
    find_drainable(&search);
    if (rc >= 0 && search.n > 0) rc = drain_in_order(&search, drain_compare, err);
    /* a cheap idle node that others need can bar dear ones that have work */
    if (rc >= 0 && search.n > 1 && trials->opts.drain_used)
        rc = drain_in_order(&search, drain_compare_rates, err);
    out->change.drained = search.best;
    free(search.drained);
    free(search.kept);
    free(search.order);
    return rc;
}

int32_t node_search_run(struct node_trials *trials, struct node_advice *out, lsched_error *err) {
    int32_t rc = node_search_add(trials, out, err);
    int64_t end_us = out->added.end_us - trials->now_us;
    trials->period_us = end_us > trials->opts.hold_us ? end_us : trials->opts.hold_us;
    return rc < 0 ? rc : search_drain(trials, out, err);
}

void node_advice_free(struct node_advice *advice) {
    free(advice->change.drained);
    advice->change.drained = NULL;
}
