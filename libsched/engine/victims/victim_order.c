/* victim_order.c -- see victim_order.h. */
#include "engine/victims/victim_order.h"

#include "base/binary_heap.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

void victim_order_drop(struct victim_search *h) {
    for (uint32_t i = 0; i < VICTIM_ORDERS; i++) h->below[i].built = 0;
}

void victim_order_close(struct lsched_cycle *y) {
    struct victim_search *h = y->search;
    for (uint32_t i = 0; i < VICTIM_ORDERS; i++)
        alloc_free(y->k->alloc, h->below[i].unit, h->below[i].cap * sizeof *h->below[i].unit);
}

#define UNIT_BEFORE(y, a, b)     victim_search_unit_before(y, &(a), &(b))
#define UNIT_PLACED(y, unit, at) steps_add((y)->k, 1)
HEAP_DEFINE(going, struct victim_unit, const struct lsched_cycle *, UNIT_BEFORE, UNIT_PLACED)

static int32_t victim_order_add(struct lsched_cycle *y, struct victim_order *b,
                                const struct victim_unit *u) {
    if (!VEC_ROOM(y->k->alloc, b->unit, b->cap, b->n + 1)) return LSCHED_E_NOMEM;
    b->unit[b->n++] = *u;
    return LSCHED_OK;
}

static int32_t victim_order_build(struct lsched_cycle *y, struct victim_order *b, uint32_t queue) {
    const struct columns *k = y->k;
    b->n = b->refused = 0;
    steps_add(k, table_rows(k, T_TASK));
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        struct victim_unit u;
        if (!row_is_live(k, T_TASK, t)) continue;
        act_spend(y, 1);
        if (y->stop) return LSCHED_OK;
        if (k->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING ||
            !queue_is_below(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]], queue) ||
            !victim_unit_of(y, t, &u))
            continue;
        int32_t rc = victim_order_add(y, b, &u);
        if (rc != LSCHED_OK) return rc;
    }
    going_make(y, b->unit, b->n);
    b->built = 1;
    b->queue = queue;
    b->stamp = y->search->stamp;
    return LSCHED_OK;
}

/* Moves the top of the heap behind the heap, where refused eviction units are kept, the latest one
 * first. Each unit that leaves the heap frees the place that it needs there. */
static void refuse_top(const struct lsched_cycle *y, struct victim_order *b) {
    struct victim_unit u = going_take(y, b->unit, &b->n);
    b->unit[b->cap - ++b->refused] = u;
}

static void ask_again(const struct lsched_cycle *y, struct victim_order *b) {
    for (; b->refused > 0; b->refused--) {
        going_add(y, b->unit, &b->n, b->unit[b->cap - b->refused]);
    }
}

static int is_current(const struct lsched_cycle *y, const struct victim_order *b, uint32_t queue) {
    return b->built && b->queue == queue && b->stamp == y->search->stamp;
}

/* Prepares the heap of the queue's level. Refused eviction units return to the heap if more may be
 * taken than before. */
static int32_t victim_order_ready(struct lsched_cycle *y, uint32_t queue,
                                  struct victim_order **out) {
    struct victim_search *h = y->search;
    uint32_t level = 0;
    while (level < h->n_path && h->path[level] != queue) level++;
    struct victim_order *b = *out = &h->below[level];
    int32_t rc = is_current(y, b, queue) ? LSCHED_OK : victim_order_build(y, b, queue);
    uint32_t credit = h->way & ~(uint32_t)VICTIM_LARGEST;
    if (rc == LSCHED_OK && (b->eased != h->eased || b->credit != credit)) ask_again(y, b);
    b->eased = h->eased;
    b->credit = credit;
    return rc;
}

/* Computes the top of the heap again. Returns 1 if this eviction unit may be evicted, 0 if another
 * unit is on top now. */
static int ask_top(struct lsched_cycle *y, struct victim_order *b, struct victim_unit *u) {
    const struct columns *k = y->k;
    struct victim_unit was = b->unit[0];
    act_spend(y, 1);
    steps_add(k, 1);
    if (y->stop) return 0;
    if (!row_is_live(k, T_TASK, was.task) ||
        k->c[C_TASK_STATE].u8[was.task] != LSCHED_TASK_RUNNING || !victim_unit_of(y, was.task, u)) {
        going_drop(y, b->unit, &b->n, 0);
        return 0;
    }
    b->unit[0] = *u;
    if (victim_search_unit_before(y, &was, u)) {
        going_settle(y, b->unit, b->n, 0);
        return 0;
    }
    u->ground = (uint8_t)victim_rules_allow(y, u, NULL);
    if (u->ground != SIDE_NONE) return 1;
    refuse_top(y, b);
    return 0;
}

int32_t victim_order_cheapest(struct lsched_cycle *y, uint32_t queue, struct victim_unit *best) {
    struct victim_order *b;
    int found = 0;
    y->search->elsewhere = 1;
    int32_t rc = victim_order_ready(y, queue, &b);
    while (rc == LSCHED_OK && !found && b->built && b->n > 0 && !y->stop)
        found = ask_top(y, b, best);
    y->search->elsewhere = 0;
    return rc == LSCHED_OK ? found && !y->stop : rc;
}
