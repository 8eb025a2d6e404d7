/* kept_groups.c -- see kept_groups.h. */
#include "cli/advise/kept_groups.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

#define GROUP_DAY_US ((int64_t)86400 * 1000000)

static bool group_lately(int64_t at_us, int64_t now_us) {
    return at_us != LSCHED_NEVER_US && now_us - at_us < GROUP_DAY_US;
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
        out->pending[offer->type] += name_table_find(&kept->added, offer->name) != UINT32_MAX;
    }
}

void kept_groups_free(struct node_bounds *bounds) {
    name_table_free(&bounds->names);
    free(bounds->groups);
    free(bounds->own_group);
    free(bounds->own_pending);
    memset(bounds, 0, sizeof *bounds);
}

/* ---- after the search ---- */

/* Finds the groups whose advice is not the pending one. */
static void find_changed(const struct node_trials *trials, const struct node_advice *advice,
                         const struct node_bounds *bounds, bool *changed) {
    size_t types = trials->catalogue != NULL ? trials->catalogue->n_types : 0;
    for (size_t t = 0; t < types; t++)
        if (advice->change.counts[t] != bounds->pending[t]) changed[bounds->type_group[t]] = true;
    for (size_t i = 0; i < trials->n_own; i++)
        if (advice->change.drained[i] != bounds->own_pending[i])
            changed[bounds->own_group[i]] = true;
}

/* The names of the nodes to add; without a catalogue, those that are still pending. */
static void name_added(const struct node_trials *trials, const struct node_advice *advice,
                       const struct kept_nodes *kept, struct name_table *out) {
    const struct catalogue *catalogue = trials->catalogue;
    for (size_t i = 0; catalogue != NULL && i < catalogue->n; i++) {
        const struct node_offer *offer = &catalogue->offers[i];
        if (i - catalogue->types[offer->type].first < advice->change.counts[offer->type])
            name_table_add(out, offer->name);
    }
    for (size_t i = 0; catalogue == NULL && i < kept->added.n; i++)
        if (lsched_find(trials->full, LSCHED_KIND_NODE, kept->added.names[i]) == 0)
            name_table_add(out, kept->added.names[i]);
}

void kept_groups_end(const struct node_trials *trials, const struct node_advice *advice,
                     struct node_bounds *bounds, struct kept_nodes *kept) {
    struct kept_nodes next = {.at_us = bounds->at_us};
    bool *changed = must_alloc_zero((bounds->names.n + 1) * sizeof changed[0]);
    find_changed(trials, advice, bounds, changed);
    for (size_t g = 0; g < bounds->names.n; g++) {
        struct node_group *group = &bounds->groups[g];
        if (changed[g]) {
            group->changed_us[1] = group->changed_us[0];
            group->changed_us[0] = bounds->at_us;
        }
        if (group_lately(group->changed_us[0], bounds->at_us))
            kept_nodes_put(&next, bounds->names.names[g], group->changed_us);
    }
    /* groups of which the cluster and the catalogue have no node now */
    for (size_t i = 0; i < kept->groups.n; i++)
        if (name_table_find(&bounds->names, kept->groups.names[i]) == UINT32_MAX &&
            group_lately(kept->changed_us[i][0], bounds->at_us))
            kept_nodes_put(&next, kept->groups.names[i], kept->changed_us[i]);
    name_added(trials, advice, kept, &next.added);
    for (size_t i = 0; i < trials->n_own; i++)
        if (advice->change.drained[i]) name_table_add(&next.drained, trials->own[i].name);
    free(changed);
    kept_nodes_free(kept);
    *kept = next;
}
