/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_licences.c -- licences of the whole cluster as supplies of libsched.
 *
 * Slurm counts licences by job, and libsched counts supplies by task. So a licence is divided into
 * MAPPING_LICENCE_PARTS, of which each task of a job needs its share, rounded up.
 *
 * After each pass, what a supply has left is what Slurm has left. It is not set as a constant
 * amount with the use of others beside it: Slurm gives a licence back when a job begins to leave its
 * nodes, and libsched later; remote licences shrink; reservations keep some. One amount, which is
 * what Slurm has left and what tasks of libsched hold, covers all of these, and takes back what was
 * rounded up. It stays the same while jobs start and end as planned. Cost of a pass with p needs
 * of open placements, s supplies and l licences of Slurm: O(p log p + s (log p + l)).
 */
#include "slurm_mirror_licences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t mirror_licences_add(struct mirror *mirror, const struct snapshot *snapshot,
                            lsched_error *err) {
    int32_t code = LSCHED_OK;
    for (uint32_t i = 0; code >= 0 && i < snapshot->n_licences; i++)
        code = mapping_licence(&mirror->mapping, snapshot->licences[i].name, err);
    return code;
}

bool mirror_licences_note(struct mirror_job *entry, const lsched_group_desc *group) {
    struct mirror_need *needs = NULL;
    if (group->n_supplies) needs = calloc(group->n_supplies, sizeof *needs);
    if (group->n_supplies && !needs) return false;
    for (uint32_t i = 0; i < group->n_supplies; i++) {
        const lsched_supply_need *need = &group->supplies[i];
        snprintf(needs[i].supply, sizeof needs[i].supply, "%.*s", (int)need->supply.len,
                 need->supply.ptr);
        needs[i].amount = need->amount;
    }
    free(entry->needs);
    entry->needs = needs, entry->n_needs = group->n_supplies;
    entry->licence_tasks = group->min_count;
    return true;
}

/* What open placements hold of a supply in libsched, and not yet in Slurm. */
struct promise {
    const char *supply; /* owned by the entry of a job */
    int64_t amount;
};

static int by_supply(const void *a, const void *b) {
    return strcmp(((const struct promise *)a)->supply, ((const struct promise *)b)->supply);
}

/* Lists the needs of all open placements, and returns their number; NULL only counts them. */
static size_t each_promise(struct mirror *mirror, struct promise *list) {
    uint64_t cursor = 0;
    size_t n = 0;
    lsched_decision one = {.size = sizeof one};
    while (lsched_decisions_next(mirror->cluster, &cursor, &one, NULL) == 1) {
        const struct mirror_job *entry = mirror_entry(mirror, one.job_tag);
        if (one.kind != LSCHED_DECIDE_PLACE || !entry) continue;
        for (uint32_t i = 0; i < entry->n_needs; i++, n++)
            if (list) list[n] = (struct promise){entry->needs[i].supply, entry->needs[i].amount};
    }
    return n;
}

/* Lists what is promised, each supply once, in the order of the names. NULL without memory. */
static struct promise *list_promises(struct mirror *mirror, size_t *n) {
    size_t all = each_promise(mirror, NULL), kept = 0;
    struct promise *list = snapshot_alloc(mirror->mapping.arena, all + 1, sizeof *list);
    if (!list) return NULL;
    each_promise(mirror, list);
    qsort(list, all, sizeof *list, by_supply);
    for (size_t i = 0; i < all; i++) {
        if (kept && by_supply(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].amount += list[i].amount;
        else
            list[kept++] = list[i];
    }
    *n = kept;
    return list;
}

static int64_t promised(const struct promise *list, size_t n, const char *supply) {
    const struct promise key = {supply, 0};
    const struct promise *found = bsearch(&key, list, n, sizeof key, by_supply);
    return found ? found->amount : 0;
}

/* What Slurm has left; licences that it no longer has are none. */
static uint64_t left_in_slurm(const struct snapshot *snapshot, lsched_text supply) {
    for (uint32_t i = 0; i < snapshot->n_licences; i++) {
        const struct snapshot_licence *one = &snapshot->licences[i];
        const char *name = one->name;
        size_t n = strlen(name), prefix = sizeof MAPPING_LICENCE - 1;
        if (supply.len != prefix + n || memcmp(supply.ptr + prefix, name, n) != 0) continue;
        uint64_t gone = (uint64_t)one->used + one->reserved;
        return one->total > gone ? one->total - gone : 0;
    }
    return 0;
}

/* `held`: what tasks of libsched hold that Slurm knows of. */
static int32_t set_amount(struct mirror *mirror, const lsched_supply_info *now, const char *name,
                          uint64_t left, int64_t held, lsched_error *err) {
    lsched_supply_update update = LSCHED_SUPPLY_UPDATE_INIT;
    /* parts below one licence are for what is rounded up in one cycle */
    update.amount =
        (int64_t)left * MAPPING_LICENCE_PARTS + MAPPING_LICENCE_PARTS - 1 + (held > 0 ? held : 0);
    if (update.amount == now->amount) return LSCHED_OK;
    update.set = LSCHED_SUPPLY_SET_AMOUNT;
    update.supply = lsched_cstr(name);
    return lsched_supplies_update(mirror->cluster, &update, 1, sizeof update, NULL, NULL, err);
}

int32_t mirror_licences_set(struct mirror *mirror, const struct snapshot *snapshot,
                            lsched_error *err) {
    uint64_t cursor = 0;
    lsched_supply_info now = LSCHED_SUPPLY_INFO_INIT;
    size_t prefix = sizeof MAPPING_LICENCE - 1;
    int32_t code = LSCHED_OK;
    size_t n = 0;
    const struct promise *promises = list_promises(mirror, &n);
    if (!promises) return LSCHED_E_NOMEM;
    while (code >= 0 && lsched_supplies_next(mirror->cluster, &cursor, &now, NULL) == 1) {
        char name[LSCHED_NAME_BYTES_MAX + 1];
        if (now.levels || now.supply.len <= prefix ||
            memcmp(now.supply.ptr, MAPPING_LICENCE, prefix) != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)now.supply.len, now.supply.ptr);
        code = set_amount(mirror, &now, name, left_in_slurm(snapshot, now.supply),
                          now.used - promised(promises, n, name), err);
    }
    return code < 0 ? code : LSCHED_OK;
}

bool mirror_licences_text(const struct mirror *mirror, const struct mirror_job *entry, char *out,
                          size_t capacity) {
    for (uint32_t i = 0; i < entry->n_needs; i++) {
        lsched_supply_info now = LSCHED_SUPPLY_INFO_INIT;
        const struct mirror_need *need = &entry->needs[i];
        int64_t needs = need->amount * entry->licence_tasks;
        if (lsched_supply_get(mirror->cluster, lsched_cstr(need->supply), LSCHED_TEXT(""), NULL, 0,
                              &now, NULL) < 0 ||
            now.left >= needs)
            continue;
        int64_t left = now.left > 0 ? now.left / MAPPING_LICENCE_PARTS : 0;
        int64_t whole = needs / MAPPING_LICENCE_PARTS;
        snprintf(out, capacity, "needs %lld of the licence %s; %lld %s left", (long long)whole,
                 need->supply + sizeof MAPPING_LICENCE - 1, (long long)left,
                 left == 1 ? "is" : "are");
        return true;
    }
    return false;
}
