/* user_queue.c -- see user_queue.h. */
#include "model/queues/user_queue.h"

/* "parent/who" or "parent/@who"; 0 if that is too long. */
static size_t make_name(const struct columns *k, uint32_t parent, lsched_text who, int group,
                        char out[LSCHED_NAME_BYTES_MAX]) {
    lsched_text above = text_of(k, k->c[C_QUEUE_NAME].u32[parent]);
    if (who.len == 0) who = (lsched_text){"-", 1};
    size_t n = (size_t)above.len;
    if (above.len + who.len + 1 + (group ? 1u : 0u) > LSCHED_NAME_BYTES_MAX) return 0;
    memcpy(out, above.ptr, n);
    out[n++] = '/';
    if (group) out[n++] = '@';
    memcpy(out + n, who.ptr, (size_t)who.len);
    return n + (size_t)who.len;
}

/* What a sub-queue has from its parent. */
static void inherit(struct columns *k, uint32_t q) {
    uint32_t p = k->c[C_QUEUE_PARENT].u32[q];
    int group = (k->c[C_QUEUE_FLAGS].u8[q] & LSCHED_QUEUE_IS_GROUP) != 0;
    uint32_t limits = group ? C_QUEUE_GROUP_LIMIT : C_QUEUE_USER_LIMIT;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t limit = k->c[limits + r].i64[p];
        set_i64(k, C_QUEUE_LIMIT + r, q, limit ? limit - 1 : LSCHED_UNLIMITED);
        set_i64(k, C_QUEUE_LIMIT_NOW + r, q, limit ? limit - 1 : LSCHED_UNLIMITED);
        if (group) set_i64(k, C_QUEUE_USER_LIMIT + r, q, k->c[C_QUEUE_USER_LIMIT + r].i64[p]);
    }
    uint32_t jobs = group ? C_QUEUE_GROUP_JOBS_MAX : C_QUEUE_USER_JOBS_MAX;
    uint32_t submitted = group ? C_QUEUE_GROUP_SUBMITTED_MAX : C_QUEUE_USER_SUBMITTED_MAX;
    set_u32(k, C_QUEUE_JOBS_MAX, q, k->c[jobs].u32[p]);
    set_u32(k, C_QUEUE_SUBMITTED_MAX, q, k->c[submitted].u32[p]);
    set_i64(k, C_QUEUE_RECLAIM_MIN, q, k->c[C_QUEUE_RECLAIM_MIN].i64[p]);
    set_i64(k, C_QUEUE_PREEMPT_MIN, q, k->c[C_QUEUE_PREEMPT_MIN].i64[p]);
    set_i64(k, C_QUEUE_PREEMPT_DELAY, q, k->c[C_QUEUE_PREEMPT_DELAY].i64[p]);
    if (group) {
        set_u32(k, C_QUEUE_USER_JOBS_MAX, q, k->c[C_QUEUE_USER_JOBS_MAX].u32[p]);
        set_u32(k, C_QUEUE_USER_SUBMITTED_MAX, q, k->c[C_QUEUE_USER_SUBMITTED_MAX].u32[p]);
    }
    queue_gave(k, q); /* a limit may have grown */
}

static int32_t make(struct columns *k, uint32_t parent, lsched_text name, int group,
                    uint32_t *row) {
    struct queue_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.name = name;
    spec.parent = parent;
    for (uint32_t r = 1; r < KINDS_MAX; r++) {
        spec.limit[r] = LSCHED_UNLIMITED;
        spec.lend[r] = LSCHED_UNLIMITED;
        spec.weight[r] = 1000;
    }
    int32_t rc = queue_add(k, &spec, row);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t below = k->c[C_QUEUE_FLAGS].u8[parent] & LSCHED_QUEUE_PER_USER;
    set_u8(k, C_QUEUE_FLAGS, *row,
           (uint8_t)(group ? (uint32_t)LSCHED_QUEUE_IS_GROUP | below : LSCHED_QUEUE_IS_USER));
    inherit(k, *row);
    return LSCHED_OK;
}

int32_t user_queue_get(struct columns *k, uint32_t parent, lsched_text user, lsched_text group,
                       uint32_t *row) {
    char bytes[LSCHED_NAME_BYTES_MAX];
    int by_group = (k->c[C_QUEUE_FLAGS].u8[parent] & LSCHED_QUEUE_PER_GROUP) != 0;
    size_t n = make_name(k, parent, by_group ? group : user, by_group, bytes);
    if (n == 0) return LSCHED_E_INVAL;
    uint32_t q = name_find(k, T_IX_QUEUE, bytes, n);
    if (q == NO_ROW) return make(k, parent, (lsched_text){bytes, n}, by_group, row);
    *row = q;
    uint32_t is = by_group ? LSCHED_QUEUE_IS_GROUP : LSCHED_QUEUE_IS_USER;
    int same = k->c[C_QUEUE_PARENT].u32[q] == parent && (k->c[C_QUEUE_FLAGS].u8[q] & is);
    return same ? LSCHED_OK : LSCHED_E_EXISTS;
}

int32_t user_queues_follow(struct columns *k, uint32_t queue) {
    for (uint32_t q = k->c[C_QUEUE_CHILD].u32[queue]; q != NO_ROW; q = k->c[C_QUEUE_NEXT].u32[q]) {
        if (!queue_is_of_user(k, q)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        inherit(k, q);
        for (uint32_t u = k->c[C_QUEUE_CHILD].u32[q]; u != NO_ROW; u = k->c[C_QUEUE_NEXT].u32[u]) {
            rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            inherit(k, u);
        }
    }
    return LSCHED_OK;
}
