/* share_waiters.c -- see share_waiters.h. */
#include "engine/queues/share_waiters.h"

#include "model/jobs/bundle.h"
#include "model/store/steps.h"

/* True if a guarantee or lending refused a part of the jobs. The reason can name another part. */
static int waits_for_shares(const struct columns *k, uint32_t b) {
    uint8_t code = k->c[C_BUNDLE_CODE].u8[b];
    return k->c[C_BUNDLE_SHARES].u8[b] || code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_LENDING;
}

/* Returns the first bundle of list i. Jobs that wait for a guarantee or for lending are in these
 * lists: those of the queues, each at the number of its row, then that of the jobs which wait for
 * any event, and that of the jobs which also wait for neighbours (cure_list()). */
static uint32_t list_of(const struct columns *k, uint32_t i) {
    uint32_t queues = table_rows(k, T_QUEUE);
    if (i >= queues) return (uint32_t)meta(k, i == queues ? M_ANY_HEAD : M_RULES_HEAD);
    return row_is_live(k, T_QUEUE, i) ? k->c[C_QUEUE_PARKED].u32[i] : NO_ROW;
}

static uint32_t n_lists(const struct columns *k) {
    return table_rows(k, T_QUEUE) + 2;
}

int share_waiters_any(const struct columns *k) {
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t i = 0; i < n_lists(k); i++)
        for (uint32_t b = list_of(k, i); b != NO_ROW; b = k->c[C_BUNDLE_NEXT].u32[b])
            if (waits_for_shares(k, b)) return 1;
    return 0;
}

int32_t share_waiters_wake(struct columns *k) {
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t i = 0; i < n_lists(k); i++) {
        for (uint32_t b = list_of(k, i), next; b != NO_ROW; b = next) {
            next = k->c[C_BUNDLE_NEXT].u32[b];
            steps_add(k, 1);
            if (!waits_for_shares(k, b)) continue;
            int32_t rc = undo_room(k);
            if (rc != LSCHED_OK) return rc;
            bundle_wake(k, b);
        }
    }
    return LSCHED_OK;
}
