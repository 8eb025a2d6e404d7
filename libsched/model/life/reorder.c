/* reorder.c -- see reorder.h. */
#include "model/life/reorder.h"

#include "model/jobs/bundle.h"
#include "model/store/heap.h"

/* All heaps of one kind. */
struct forest {
    const struct heap_kind *kind;
    uint32_t table, owners; /* table: table of the members; owners: table of the owners */
    uint32_t owner;         /* column of a member: row of its owner */
    uint32_t root;          /* column of an owner: root of its heap */
    int (*is_in)(const struct columns *k, uint32_t row);
};

static int job_is_in(const struct columns *k, uint32_t job) {
    return row_is_live(k, T_JOB, job) && k->c[C_JOB_BUNDLE].u32[job] != NO_ROW;
}

static int bundle_is_in(const struct columns *k, uint32_t bundle) {
    return row_is_live(k, T_BUNDLE, bundle) && k->c[C_BUNDLE_STATE].u8[bundle] == BUNDLE_ACTIVE;
}

static const struct forest forests[] = {
    /* Heaps of jobs are repaired first, because the heap of bundles compares bundles by their
     * first jobs. */
    {&job_heap, T_JOB, T_BUNDLE, C_JOB_BUNDLE, C_BUNDLE_HEAP, job_is_in},
    {&bundle_heap, T_BUNDLE, T_QUEUE, C_BUNDLE_QUEUE, C_QUEUE_HEAP, bundle_is_in}};

void reorder_set(struct columns *k, uint32_t job, int64_t order) {
    if (k->c[C_JOB_ORDER].i64[job] == order) return;
    set_i64(k, C_JOB_ORDER, job, order);
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    if (b == NO_ROW) return;
    touch_bundle(k, b);
    bundle_order_changed(k, b);
}

/* For each owner, sets members[owner] to the number of rows in the owner's heap if any row of the
 * heap comes before its parent row, else to 0. Returns the sum over all owners. */
static uint32_t find_broken(const struct columns *k, const struct forest *f, uint32_t *members) {
    uint32_t n = table_rows(k, f->table), sum = 0;
    for (uint32_t row = 0; row < n; row++) {
        uint32_t parent = f->is_in(k, row) ? k->c[f->kind->parent].u32[row] : NO_ROW;
        if (parent != NO_ROW && f->kind->before(k, row, parent))
            members[k->c[f->owner].u32[row]] = 1;
    }
    for (uint32_t row = 0; row < n; row++) {
        if (!f->is_in(k, row) || members[k->c[f->owner].u32[row]] == 0) continue;
        members[k->c[f->owner].u32[row]]++;
        sum++;
    }
    for (uint32_t o = 0; o < table_rows(k, f->owners); o++) members[o] -= members[o] > 0;
    return sum;
}

/* Builds the broken heaps again. rows: scratch memory for the members of all broken heaps, one
 * heap after the other. */
static int32_t rebuild(struct columns *k, const struct forest *f, uint32_t *members,
                       uint32_t *rows) {
    uint32_t n = table_rows(k, f->table), owners = table_rows(k, f->owners), at = 0;
    /* changes members[o] from the number of the heap's rows to 1 + the offset of its first row */
    for (uint32_t o = 0; o < owners; o++) {
        uint32_t m = members[o];
        members[o] = m ? at + 1 : 0;
        at += m;
    }
    for (uint32_t row = 0; row < n; row++) {
        if (!f->is_in(k, row) || members[k->c[f->owner].u32[row]] == 0) continue;
        rows[members[k->c[f->owner].u32[row]]++ - 1] = row;
    }
    for (uint32_t o = 0, begin = 0; o < owners; o++) {
        uint32_t root, end = members[o] - 1;
        if (members[o] == 0) continue;
        int32_t rc = heap_build(k, f->kind, rows + begin, end - begin, &root);
        if (rc != LSCHED_OK || (rc = undo_room(k)) != LSCHED_OK) return rc;
        set_u32(k, f->root, o, root);
        begin = end;
    }
    return LSCHED_OK;
}

static int32_t repair(struct columns *k, const struct forest *f) {
    uint32_t owners = table_rows(k, f->owners);
    if (owners == 0) return LSCHED_OK;
    uint32_t *members = alloc_zero(k->alloc, owners * sizeof *members);
    if (!members) return LSCHED_E_NOMEM;
    int32_t rc = LSCHED_OK;
    uint32_t n = find_broken(k, f, members);
    if (n > 0) {
        uint32_t *rows = alloc_new(k->alloc, n * sizeof *rows);
        rc = rows ? rebuild(k, f, members, rows) : LSCHED_E_NOMEM;
        if (rows) alloc_free(k->alloc, rows, n * sizeof *rows);
    }
    alloc_free(k->alloc, members, owners * sizeof *members);
    return rc;
}

int32_t reorder_repair(struct columns *k) {
    int32_t rc = repair(k, &forests[0]);
    return rc == LSCHED_OK ? repair(k, &forests[1]) : rc;
}
