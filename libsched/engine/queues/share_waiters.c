/* share_waiters.c -- see share_waiters.h. */
#include "engine/queues/share_waiters.h"

#include "model/jobs/bundle.h"
#include "model/store/steps.h"

static int waits_for_shares(const struct columns *k, uint32_t b) {
    uint8_t code = k->c[C_BUNDLE_CODE].u8[b];
    return code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_LENDING;
}

/* Returns the first bundle of list i. Jobs that wait for a guarantee or for lending are in these
 * lists, except those that cure_list() puts into the list of affinity rules. For an i below the
 * number of queue rows, list i is the list of the queue in row i. The last list has the jobs that
 * wait for any event. */
static uint32_t list_of(const struct columns *k, uint32_t i) {
    if (i == table_rows(k, T_QUEUE)) return (uint32_t)meta(k, M_ANY_HEAD);
    return row_is_live(k, T_QUEUE, i) ? k->c[C_QUEUE_PARKED].u32[i] : NO_ROW;
}

int share_waiters_any(const struct columns *k) {
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t i = 0; i <= table_rows(k, T_QUEUE); i++)
        for (uint32_t b = list_of(k, i); b != NO_ROW; b = k->c[C_BUNDLE_NEXT].u32[b])
            if (waits_for_shares(k, b)) return 1;
    return 0;
}

int32_t share_waiters_wake(struct columns *k) {
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t i = 0; i <= table_rows(k, T_QUEUE); i++) {
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
