/* kept_groups.c -- see kept_groups.h. */
#include "cli/advise/kept_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define GROUP_DAY_US ((int64_t)86400 * 1000000)

static bool group_lately(int64_t at_us, int64_t now_us) {
    return at_us != LSCHED_NEVER_US && now_us - at_us < GROUP_DAY_US;
}

/* True if the advice on a group changed within the last 24 hours before this run. */
static bool kept_is_late(const struct kept_nodes *kept, lsched_text group, int64_t at_us) {
    uint32_t i = name_table_find(&kept->groups, group);
    return i != UINT32_MAX && group_lately(kept->changed_us[i][0], at_us);
}

/* The index of the group of a node, which is added if it is new. */
static uint32_t group_of(const struct kept_nodes *kept, struct node_bounds *bounds,
                         lsched_text node) {
    lsched_text name = catalogue_group(node);
    size_t before = bounds->names.n;
    uint32_t i = name_table_add(&bounds->names, name);
    if (bounds->names.n == before) return i;
    uint32_t known = name_table_find(&kept->groups, name);
    bounds->groups = must_grow(bounds->groups, i, &bounds->capacity, sizeof bounds->groups[0]);
    struct node_group *group = &bounds->groups[i];
    *group = (struct node_group){.changed_us = {LSCHED_NEVER_US, LSCHED_NEVER_US}};
    if (known != UINT32_MAX)
        memcpy(group->changed_us, kept->changed_us[known], sizeof group->changed_us);
    group->no_fall = group_lately(group->changed_us[0], bounds->at_us);
    group->no_rise = group_lately(group->changed_us[1], bounds->at_us);
    return i;
}

/* True if a node to add is neither in the cluster nor in the catalogue now. */
static bool is_missing(const struct node_trials *trials, lsched_text node) {
    return lsched_find(trials->full, LSCHED_KIND_NODE, node) == 0;
}

/* True if an offer is dearer than the node to add was, the `i`th one, so that it is another offer.
 * If the group has not changed for a day, its advice can fall anyhow. */
static bool has_risen(const struct kept_nodes *kept, uint32_t i, const struct node_offer *offer,
                      int64_t at_us) {
    return i != UINT32_MAX && kept->price_micro[i] >= 0 &&
           offer->price_micro > kept->price_micro[i] &&
           kept_is_late(kept, catalogue_group(offer->name), at_us);
}

/* The first type of the group of a node; the number of types if there is none. */
static size_t first_type(const struct node_trials *trials, const struct node_bounds *bounds,
                         lsched_text node) {
    uint32_t group = name_table_find(&bounds->names, catalogue_group(node));
    size_t t = 0, types = trials->catalogue->n_types;
    while (t < types && bounds->type_group[t] != group) t++;
    return t;
}

/* Counts the nodes to add that the catalogue does not offer now. */
static void count_missing(const struct kept_nodes *kept, const struct node_trials *trials,
                          struct node_bounds *out) {
    for (size_t i = 0; i < kept->added.n; i++) {
        lsched_text node = kept->added.names[i];
        if (!is_missing(trials, node)) continue;
        size_t t = first_type(trials, out, node);
        if (t < trials->catalogue->n_types && kept_is_late(kept, catalogue_group(node), out->at_us))
            out->missing[t]++;
    }
}

void kept_groups_begin(const struct kept_nodes *kept, const struct node_trials *trials,
                       int64_t at_us, struct node_bounds *out) {
    const struct catalogue *catalogue = trials->catalogue;
    memset(out, 0, sizeof *out);
    out->at_us = at_us;
    out->own_group = must_alloc((trials->n_own + 1) * sizeof out->own_group[0]);
    out->own_pending = must_alloc_zero((trials->n_own + 1) * sizeof out->own_pending[0]);
    for (size_t i = 0; i < trials->n_own; i++) {
        const struct own_node *node = &trials->own[i];
        out->own_group[i] = group_of(kept, out, node->name);
        out->own_pending[i] = node->info.state == LSCHED_NODE_READY &&
                              name_table_find(&kept->drained, node->name) != UINT32_MAX;
    }
    for (size_t i = 0; catalogue != NULL && i < catalogue->n; i++) {
        const struct node_offer *offer = &catalogue->offers[i];
        out->type_group[offer->type] = group_of(kept, out, offer->name);
        uint32_t added = name_table_find(&kept->added, offer->name);
        bool risen = has_risen(kept, added, offer, at_us);
        out->pending[offer->type] += added != UINT32_MAX && !risen;
        out->missing[offer->type] += risen;
    }
    if (catalogue != NULL) count_missing(kept, trials, out);
}

void kept_groups_free(struct node_bounds *bounds) {
    name_table_free(&bounds->names);
    free(bounds->groups);
    free(bounds->own_group);
    free(bounds->own_pending);
    memset(bounds, 0, sizeof *bounds);
}

/* ---- after the search ---- */

enum { GROUP_CHANGED = 1, GROUP_WITHDREW = 2 }; /* bits; GROUP_WITHDREW: a pending drain */

/* Finds the groups whose advice is not the pending one. */
static void find_changed(const struct node_trials *trials, const struct node_advice *advice,
                         const struct node_bounds *bounds, uint8_t *changed) {
    size_t types = trials->catalogue != NULL ? trials->catalogue->n_types : 0;
    for (size_t t = 0; t < types; t++)
        if (advice->change.counts[t] < bounds->pending[t] ||
            advice->change.counts[t] > node_bounds_full(bounds, t))
            changed[bounds->type_group[t]] |= GROUP_CHANGED;
    for (size_t i = 0; i < trials->n_own; i++)
        if (advice->change.drained[i] != bounds->own_pending[i])
            changed[bounds->own_group[i]] |=
                bounds->own_pending[i] ? GROUP_WITHDREW : GROUP_CHANGED;
}

/* Names the nodes to add. `left` of each type: nodes that were not offered at their old price, less
 * those whose place others took. As many of those with a new price stay. */
static void name_offered(const struct node_trials *trials, const struct node_advice *advice,
                         const struct kept_nodes *kept, int64_t at_us, size_t *left,
                         struct kept_nodes *out) {
    const struct catalogue *catalogue = trials->catalogue;
    for (size_t i = 0; i < catalogue->n; i++) {
        const struct node_offer *offer = &catalogue->offers[i];
        uint32_t added = name_table_find(&kept->added, offer->name);
        bool risen = has_risen(kept, added, offer, at_us);
        int64_t before = added != UINT32_MAX ? kept->price_micro[added] : -1;
        if (i - catalogue->types[offer->type].first < advice->change.counts[offer->type]) {
            kept_nodes_add(out, offer->name,
                           before > offer->price_micro ? before : offer->price_micro);
        } else if (risen && left[offer->type] > 0) {
            left[offer->type]--;
            kept_nodes_add(out, offer->name, before);
        }
    }
}

/* Names the nodes to add, and those that are still pending although they are not advised now. */
static void name_added(const struct node_trials *trials, const struct node_advice *advice,
                       const struct node_bounds *bounds, const struct kept_nodes *kept,
                       struct kept_nodes *out) {
    const struct catalogue *catalogue = trials->catalogue;
    size_t left[CATALOGUE_TYPES_MAX] = {0};
    for (size_t t = 0; catalogue != NULL && t < catalogue->n_types; t++) {
        size_t count = advice->change.counts[t], full = node_bounds_full(bounds, t);
        if (count < full) left[t] = count > bounds->pending[t] ? full - count : bounds->missing[t];
    }
    if (catalogue != NULL) name_offered(trials, advice, kept, bounds->at_us, left, out);
    for (size_t i = 0; i < kept->added.n; i++) {
        lsched_text node = kept->added.names[i];
        if (!is_missing(trials, node)) continue;
        bool stays = catalogue == NULL; /* nothing was said of nodes to add */
        if (catalogue != NULL) {
            size_t t = first_type(trials, bounds, node);
            stays = kept_is_late(kept, catalogue_group(node), bounds->at_us) &&
                    (t == catalogue->n_types || left[t] > 0);
            if (stays && t < catalogue->n_types) left[t]--;
        }
        if (stays) kept_nodes_add(out, node, kept->price_micro[i]);
    }
}

void kept_groups_end(const struct node_trials *trials, const struct node_advice *advice,
                     struct node_bounds *bounds, struct kept_nodes *kept) {
    struct kept_nodes next = {.at_us = bounds->at_us};
    uint8_t *changed = must_alloc_zero((bounds->names.n + 1) * sizeof changed[0]);
    find_changed(trials, advice, bounds, changed);
    for (size_t g = 0; g < bounds->names.n; g++) {
        struct node_group *group = &bounds->groups[g];
        /* a drain and its withdrawal are one change */
        if (changed[g] & GROUP_CHANGED) group->changed_us[1] = group->changed_us[0];
        if (changed[g] != 0) group->changed_us[0] = bounds->at_us;
        if (group_lately(group->changed_us[0], bounds->at_us))
            kept_nodes_put(&next, bounds->names.names[g], group->changed_us);
    }
    /* groups of which the cluster and the catalogue have no node now */
    for (size_t i = 0; i < kept->groups.n; i++)
        if (name_table_find(&bounds->names, kept->groups.names[i]) == UINT32_MAX &&
            kept_is_late(kept, kept->groups.names[i], bounds->at_us))
            kept_nodes_put(&next, kept->groups.names[i], kept->changed_us[i]);
    name_added(trials, advice, bounds, kept, &next);
    for (size_t i = 0; i < trials->n_own; i++)
        if (advice->change.drained[i]) name_table_add(&next.drained, trials->own[i].name);
    free(changed);
    kept_nodes_free(kept);
    *kept = next;
}
