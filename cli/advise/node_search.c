/* node_search.c -- see node_search.h. */
#include "cli/advise/node_search.h"

#include <stdlib.h>
#include <string.h>

#include "cli/advise/money.h"

/* ---- adding ---- */

enum { ALL_TRIED = 6 };  /* so few counts are all tried */
enum { TRIED_MAX = 64 }; /* counts of one type in one round: twice log2 of 4,096, and a few */

/* The best count of one type that was tried, on top of the counts of the others. */
struct probe {
    size_t type, count;
    struct node_figures figures;
    bool found; /* better than the start of the search */
    size_t tried[TRIED_MAX], n_tried;
};

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
    const struct node_type *type = &trials->catalogue->types[best->type];
    int32_t rc = 1;
    for (; step > 0 && rc == 1; step /= 2) {
        size_t at = best->count;
        if (at >= step) rc = probe_count(trials, from, at - step, best, NULL, err);
        if (rc == 1 && best->count == at && at + step <= type->n)
            rc = probe_count(trials, from, at + step, best, NULL, err);
    }
    return rc;
}

/* Finds a count of the type above the present one. */
static int32_t probe_type(struct node_trials *trials, const struct node_advice *from,
                          struct probe *best, bool *useless, lsched_error *err) {
    const struct node_type *type = &trials->catalogue->types[best->type];
    size_t now = from->change.counts[best->type], used = 0, worse = 0;
    int32_t rc = probe_count(trials, from, type->n, best, &used, err);
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
        struct probe probe = {.type = t, .count = out->change.counts[t], .figures = out->added};
        if (useless[t] || t == *last || probe.count == trials->catalogue->types[t].n) continue;
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
        struct probe probe = {.type = t, .count = out->change.counts[t], .figures = out->added};
        if (probe.count == 0) continue;
        rc = probe_count(trials, out, 0, &probe, NULL, err);
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

int32_t node_search_add(struct node_trials *trials, struct node_advice *out, lsched_error *err) {
    bool useless[CATALOGUE_TYPES_MAX] = {false}, again = true;
    size_t last = CATALOGUE_TYPES_MAX;
    memset(out, 0, sizeof *out);
    out->added = trials->base;
    int32_t rc = 1;
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

static void find_drainable(struct drain_search *search) {
    const struct node_trials *trials = search->trials;
    search->order = must_alloc_zero((trials->n_own + 1) * sizeof search->order[0]);
    for (size_t i = 0; i < trials->n_own; i++) {
        const struct own_node *node = &trials->own[i];
        if (node->info.state != LSCHED_NODE_READY || node->rate_micro <= 0) continue;
        if (node->used && !trials->opts.drain_used) continue;
        search->order[search->n++] = (struct drainable){.index = i,
                                                        .used = node->used,
                                                        .n_tasks = node->info.n_tasks,
                                                        .rate_micro = node->rate_micro};
    }
}

/* Tries to drain the first `count` nodes. *good: nothing bars it, and nothing that was tried in the
 * present order was better. */
static int32_t drain_count(struct drain_search *search, size_t count, bool *good,
                           lsched_error *err) {
    struct node_change change = search->advice->change;
    struct node_figures figures;
    *good = false;
    memset(search->drained, 0, search->trials->n_own * sizeof search->drained[0]);
    for (size_t i = 0; i < count; i++) search->drained[search->order[i].index] = true;
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

static int32_t drain_in_order(struct drain_search *search,
                              int (*compare)(const void *, const void *), lsched_error *err) {
    size_t low = 0, high = search->n + 1;
    bool good = true;
    int32_t rc = 1;
    search->least_micro = search->advice->added.total_micro;
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

static int32_t search_drain(struct node_trials *trials, struct node_advice *out,
                            lsched_error *err) {
    struct drain_search search = {.trials = trials, .advice = out};
    search.drained = must_alloc_zero((trials->n_own + 1) * sizeof search.drained[0]);
    search.best = must_alloc_zero((trials->n_own + 1) * sizeof search.best[0]);
    find_drainable(&search);
    int32_t rc = search.n > 0 ? drain_in_order(&search, drain_compare, err) : LSCHED_OK;
    /* a cheap idle node that others need can bar dear ones that have work */
    if (rc >= 0 && search.n > 1 && trials->opts.drain_used)
        rc = drain_in_order(&search, drain_compare_rates, err);
    out->change.drained = search.best;
    free(search.drained);
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
