/* user_queue.c -- see user_queue.h. */
#include "model/queues/user_queue.h"

#include "model/queues/user_queue_limits.h"

/* Writes the name "parent/who", or "parent/@who" for a group, to out[]. Returns the length of the
 * name, 0 if the name is too long. */
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
    user_queue_inherit(k, *row);
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
