/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_read_accounts.c -- reads the accounts of the association manager: their tree, shares, and
 * the limits of each account with all below it.
 */
#include "slurm_read.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/assoc_mgr.h"

#include "slurm_release.h"

/* An account while the list is read. */
struct found {
    const slurmdb_assoc_rec_t *record;
    uint32_t user_shares;
    bool has_children, has_users;
};

static int by_id(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    return x->record->id < y->record->id ? -1 : x->record->id > y->record->id;
}

/* A parent stands before its children. */
static int by_place(const void *a, const void *b) {
    const struct found *x = a, *y = b;
    return x->record->lft < y->record->lft ? -1 : x->record->lft > y->record->lft;
}

static struct found *find_id(struct found *list, uint32_t n, uint32_t id) {
    slurmdb_assoc_rec_t key = {.id = id};
    struct found wanted = {.record = &key};
    return bsearch(&wanted, list, n, sizeof *list, by_id);
}

static bool is_account(const slurmdb_assoc_rec_t *record) {
    return !record->user && record->acct;
}

static bool is_root(const char *account) {
    return !account || !*account || strcmp(account, "root") == 0;
}

static uint32_t shares_of(const slurmdb_assoc_rec_t *record) {
    return record->shares_raw == SLURMDB_FS_USE_PARENT || record->shares_raw == INFINITE
               ? 1
               : record->shares_raw;
}

static void note_relations(struct found *list, uint32_t n) {
    list_itr_t *each = list_iterator_create(assoc_mgr_assoc_list);
    const slurmdb_assoc_rec_t *record;
    while ((record = list_next(each))) {
        struct found *parent = find_id(list, n, record->parent_id);
        if (!parent) continue;
        if (is_account(record))
            parent->has_children = true;
        else
            parent->has_users = true, parent->user_shares += shares_of(record);
    }
    list_iterator_destroy(each);
}

/* "cpu", "mem" and generic resources by their names; what libsched does not count is left out. */
static const char *kind_of(const slurmdb_tres_rec_t *tres) {
    if (!tres || !tres->type) return NULL;
    if (strcmp(tres->type, "cpu") == 0 || strcmp(tres->type, "mem") == 0) return tres->type;
    bool whole = strcmp(tres->type, "gres") == 0 && tres->name && !strchr(tres->name, ':');
    return whole ? tres->name : NULL;
}

static bool read_limits(struct snapshot_arena *arena, const slurmdb_assoc_rec_t *record,
                        struct snapshot_account *out) {
    out->limits = snapshot_alloc(arena, (size_t)g_tres_count + 1, sizeof *out->limits);
    if (!out->limits) return false;
    if (!(slurm_conf.accounting_storage_enforce & ACCOUNTING_ENFORCE_LIMITS)) return true;
    if (record->grp_jobs != INFINITE && record->grp_jobs != NO_VAL)
        out->jobs_max = record->grp_jobs;
    for (uint32_t i = 0; record->grp_tres_ctld && i < g_tres_count; i++) {
        const char *kind = kind_of(assoc_mgr_tres_array[i]);
        uint64_t most = record->grp_tres_ctld[i];
        if (!kind || most == INFINITE64 || most == NO_VAL64) continue;
        out->limits[out->n_limits++] =
            (struct snapshot_gres){snapshot_text(arena, kind), NULL, most};
    }
    return true;
}

static bool read_account(struct snapshot_arena *arena, const struct found *found,
                         struct snapshot_account *out) {
    out->name = snapshot_text(arena, found->record->acct);
    if (!is_root(found->record->parent_acct))
        out->parent = snapshot_text(arena, found->record->parent_acct);
    out->shares = shares_of(found->record), out->user_shares = found->user_shares;
    out->has_children = found->has_children, out->has_users = found->has_users;
    return out->name && read_limits(arena, found->record, out);
}

bool read_accounts(struct snapshot *snapshot) {
    assoc_mgr_lock_t locks = {.assoc = READ_LOCK, .tres = READ_LOCK};
    assoc_mgr_lock(&locks);
    uint32_t n = 0, most = assoc_mgr_assoc_list ? (uint32_t)list_count(assoc_mgr_assoc_list) : 0;
    struct found *list = snapshot_alloc(&snapshot->arena, (size_t)most + 1, sizeof *list);
    bool ok = list != NULL;
    if (ok && most) {
        list_itr_t *each = list_iterator_create(assoc_mgr_assoc_list);
        const slurmdb_assoc_rec_t *record;
        while ((record = list_next(each)))
            if (is_account(record) && !is_root(record->acct)) list[n++].record = record;
        list_iterator_destroy(each);
        qsort(list, n, sizeof *list, by_id);
        note_relations(list, n);
        qsort(list, n, sizeof *list, by_place);
    }
    snapshot->accounts =
        snapshot_alloc(&snapshot->arena, (size_t)n + 1, sizeof *snapshot->accounts);
    ok = ok && snapshot->accounts;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = read_account(&snapshot->arena, &list[i], &snapshot->accounts[snapshot->n_accounts++]);
    assoc_mgr_unlock(&locks);
    return ok;
}
