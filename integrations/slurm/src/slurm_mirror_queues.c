/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_queues.c -- an account is a queue below the queue of its parent: shares are its
 * weight, group limits its limits.
 *
 * Jobs are in leaf queues only. So an account with accounts below it has a leaf "NAME:users" for
 * jobs of its own users, with the sum of their shares. The site's file comes first: a queue that it
 * names stays as it is. Queues made here have the hash of their account as tag, and others have 0.
 */
#include "slurm_mirror_queues.h"

#include <string.h>

#define MEBIBYTE (INT64_C(1) << 20)

/* One queue that an account wants. */
struct wanted {
    lsched_queue_desc desc;
    lsched_amount weight;
    lsched_amount *limits;
};

static int32_t put_limits(struct mirror *mirror, const struct snapshot_account *account,
                          struct wanted *wanted, lsched_error *err) {
    lsched_amount *list =
        snapshot_alloc(mirror->mapping.arena, (size_t)account->n_limits + 1, sizeof *list);
    if (!list) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < account->n_limits; i++) {
        const struct snapshot_gres *limit = &account->limits[i];
        int64_t each = 1;
        int32_t kind;
        if (strcmp(limit->name, "cpu") == 0)
            kind = LSCHED_CPU, each = 1000;
        else if (strcmp(limit->name, "mem") == 0)
            kind = LSCHED_MEMORY, each = MEBIBYTE;
        else if (strcmp(limit->name, "gpu") == 0)
            kind = LSCHED_GPU, each = 1000;
        else
            kind = lsched_resource_add(mirror->cluster, lsched_cstr(limit->name), err);
        if (kind < 0) return kind;
        if (limit->count > (uint64_t)(LSCHED_AMOUNT_MAX / each)) continue; /* as good as none */
        list[wanted->desc.n_limit++] =
            (lsched_amount){(uint32_t)kind, 0, (int64_t)limit->count * each};
    }
    wanted->desc.limit = wanted->limits = list;
    return LSCHED_OK;
}

static void put_weight(struct wanted *wanted, uint32_t shares) {
    wanted->weight = (lsched_amount){LSCHED_ANY_RESOURCE, 0, (int64_t)shares * 1000};
    wanted->desc.weight_milli = &wanted->weight, wanted->desc.n_weight = 1;
}

/* Limits that are gone have to be lifted by name. */
static int32_t change_queue(struct mirror *mirror, lsched_id id, const struct wanted *wanted,
                            lsched_error *err) {
    lsched_amount list[LSCHED_RESOURCE_KINDS_MAX];
    uint32_t n = 0;
    for (uint32_t kind = 0; kind < LSCHED_RESOURCE_KINDS_MAX; kind++)
        if (lsched_resource_name(mirror->cluster, kind))
            list[n++] = (lsched_amount){kind, 0, LSCHED_UNLIMITED};
    for (uint32_t i = 0; i < wanted->desc.n_limit; i++)
        for (uint32_t k = 0; k < n; k++)
            if (list[k].kind == wanted->desc.limit[i].kind) list[k] = wanted->desc.limit[i];
    lsched_queue_update update = {.size = sizeof update, .queue = id};
    update.set = LSCHED_QUEUE_SET_LIMIT | LSCHED_QUEUE_SET_WEIGHT | LSCHED_QUEUE_SET_TAG |
                 LSCHED_QUEUE_SET_JOBS_MAX;
    update.limit = list, update.n_limit = n;
    update.weight_milli = wanted->desc.weight_milli, update.n_weight = wanted->desc.n_weight;
    update.tag = wanted->desc.tag, update.jobs_max = wanted->desc.jobs_max;
    return lsched_queues_update(mirror->cluster, &update, 1, sizeof update, NULL, NULL, err);
}

static int32_t want_queue(struct mirror *mirror, struct wanted *wanted, lsched_error *err) {
    lsched_id id = lsched_find(mirror->cluster, LSCHED_KIND_QUEUE, wanted->desc.name);
    lsched_id parent = lsched_find(mirror->cluster, LSCHED_KIND_QUEUE, wanted->desc.parent_name);
    lsched_queue_info info = LSCHED_INIT(lsched_queue_info);
    if (!wanted->desc.parent_name.len) parent = 0;
    if (id) {
        int32_t code = lsched_queue_get(mirror->cluster, id, &info, err);
        if (code < 0 || info.tag == 0) return code; /* the file's */
        if (info.parent != parent) mirror->rebuild = true;
        bool same = info.tag == wanted->desc.tag || info.parent != parent;
        return same ? LSCHED_OK : change_queue(mirror, id, wanted, err);
    }
    int32_t code = lsched_queues_add(mirror->cluster, &wanted->desc, 1, sizeof wanted->desc, NULL,
                                     NULL, NULL, err);
    if (code != LSCHED_E_STATE && code != LSCHED_E_BUSY) return code;
    mirror->rebuild = true;
    return LSCHED_OK;
}

static int32_t want_account(struct mirror *mirror, const struct snapshot_account *account,
                            lsched_error *err) {
    struct wanted wanted = {.desc = LSCHED_QUEUE_DESC_INIT};
    wanted.desc.name = lsched_cstr(account->name);
    if (account->parent) wanted.desc.parent_name = lsched_cstr(account->parent);
    wanted.desc.jobs_max = account->jobs_max;
    wanted.desc.tag = mapping_account_hash(account) | 1;
    put_weight(&wanted, account->shares);
    int32_t code = put_limits(mirror, account, &wanted, err);
    if (code >= 0) code = want_queue(mirror, &wanted, err);
    if (code < 0 || !account->has_children) return code;
    struct wanted users = {.desc = LSCHED_QUEUE_DESC_INIT};
    char *name = snapshot_format(mirror->mapping.arena, MAPPING_USERS, account->name);
    if (!name) return LSCHED_E_NOMEM;
    users.desc.name = lsched_cstr(name), users.desc.parent_name = wanted.desc.name;
    users.desc.tag = wanted.desc.tag;
    put_weight(&users, account->user_shares ? account->user_shares : 1);
    return want_queue(mirror, &users, err);
}

int32_t mirror_queues(struct mirror *mirror, const struct snapshot *snapshot, lsched_error *err) {
    int32_t code = LSCHED_OK;
    for (uint32_t i = 0; code >= 0 && i < snapshot->n_accounts; i++)
        code = want_account(mirror, &snapshot->accounts[i], err);
    return code < 0 ? code : LSCHED_OK;
}
