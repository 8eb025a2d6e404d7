/* reserved_use.c -- see reserved_use.h. */
#include "api/reservations/reserved_use.h"

#include "model/queues/user_queue.h"

int32_t reserved_use_node(const struct columns *k, uint32_t node, lsched_error *err) {
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node];
    if (r == NO_ROW) return LSCHED_OK;
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]),
                of = text_of(k, k->c[C_RESERVATION_NAME].u32[r]);
    return fail(err, LSCHED_E_STATE,
                "node '%.*s' is in reservation '%.*s', which says when it is away; set the "
                "reservation anew, or end it",
                (int)name.len, name.ptr, (int)of.len, of.ptr);
}

int32_t reserved_use_queue(const struct columns *k, uint32_t queue, lsched_error *err) {
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[queue]), of = {"", 0};
    EACH_LIVE(k, T_RESERVATION, r) {
        lsched_text one = text_of(k, k->c[C_RESERVATION_NAME].u32[r]);
        if (queue_real(k, k->c[C_RESERVATION_QUEUE].u32[r]) != queue &&
            k->c[C_RESERVATION_QUEUE].u32[r] != queue)
            continue;
        /* the first one by name; no reservation has an empty name */
        if (of.len == 0 || text_order(one, of) < 0) of = one;
    }
    if (of.len == 0) return LSCHED_OK;
    return fail(err, LSCHED_E_BUSY,
                "queue '%.*s' holds reservation '%.*s'; end the reservation first", (int)name.len,
                name.ptr, (int)of.len, of.ptr);
}
