/* victim_order.c -- see victim_order.h. */
#include "engine/victims/victim_order.h"

#include "base/binary_heap.h"
#include "base/vec.h"
#include "engine/state/transaction.h"
#include "engine/rights/victim_candidate.h"
#include "engine/victims/victim_key.h"
#include "engine/rights/victim_protect.h"
#include "engine/rights/victim_unit.h"
#include "engine/victims/victim_set.h"
#include "engine/victims/victim_supplies.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

void victim_order_drop(struct victim_search *h) {
    for (uint32_t i = 0; i < VICTIM_ORDERS; i++) h->below[i].built = 0;
}

void victim_order_close(struct lsched_cycle *cy) {
    struct victim_search *h = cy->victims;
    for (uint32_t i = 0; i < VICTIM_ORDERS; i++)
        alloc_free(cy->k->alloc, h->below[i].unit, h->below[i].cap * sizeof *h->below[i].unit);
}

#define UNIT_BEFORE(cy, a, b)     victim_key_unit_before(cy, &(a), &(b))
#define UNIT_PLACED(cy, unit, at) steps_add((cy)->k, 1)
HEAP_DEFINE(going, struct victim_unit, const struct lsched_cycle *, UNIT_BEFORE, UNIT_PLACED)

static int32_t victim_order_add(struct lsched_cycle *cy, struct victim_order *b,
                                const struct victim_unit *u) {
    if (!VEC_ROOM(cy->k->alloc, b->unit, b->cap, b->n + 1)) return LSCHED_E_NOMEM;
    b->unit[b->n++] = *u;
    return LSCHED_OK;
}

/* True if the eviction unit of the task, which is stored in *u, is wanted and can be evicted. */
static int is_wanted(struct lsched_cycle *cy, uint32_t t, const struct victim_wanted *of,
                     struct victim_unit *u) {
    const struct columns *k = cy->k;
    return k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING &&
           (of->queue == NO_ROW ||
            queue_is_below(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]], of->queue)) &&
           victim_candidate_of(cy, t, u) &&
           (of->kind == 0 || victim_unit_amount(k, u, of->kind) > 0) &&
           (of->place == NO_ROW || victim_supplies_given(k, u, of->place) > 0);
}

static int32_t victim_order_build(struct lsched_cycle *cy, struct victim_order *b,
                                  const struct victim_wanted *of) {
    const struct columns *k = cy->k;
    b->n = b->refused = 0;
    steps_add(k, table_rows(k, T_TASK));
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++) {
        struct victim_unit u;
        if (!row_is_live(k, T_TASK, t)) continue;
        act_spend(cy, 1);
        if (cy->spend.stop) return LSCHED_OK;
        if (!is_wanted(cy, t, of, &u)) continue;
        int32_t rc = victim_set_ask(cy, &u);
        if (rc == 1) rc = victim_order_add(cy, b, &u);
        if (rc != LSCHED_OK) return rc;
    }
    going_make(cy, b->unit, b->n);
    b->built = 1;
    b->of = *of;
    b->stamp = cy->victims->stamp;
    return LSCHED_OK;
}

/* Moves the top unit of the heap to the refused units, which are at the end of the same array, the
 * latest first. The array has space for it, because each unit that leaves the heap frees one
 * entry. */
static void refuse_top(const struct lsched_cycle *cy, struct victim_order *b) {
    struct victim_unit u = going_take(cy, b->unit, &b->n);
    b->unit[b->cap - ++b->refused] = u;
}

static void ask_again(const struct lsched_cycle *cy, struct victim_order *b) {
    for (; b->refused > 0; b->refused--) {
        going_add(cy, b->unit, &b->n, b->unit[b->cap - b->refused]);
    }
}

static int is_current(const struct lsched_cycle *cy, const struct victim_order *b,
                      const struct victim_wanted *of) {
    return b->built && b->of.queue == of->queue && b->of.kind == of->kind &&
           b->of.place == of->place && b->stamp == cy->victims->stamp;
}

/* Prepares the heap of the queue's level. Refused eviction units return to the heap if the job's
 * side allows more evictions than before. */
static int32_t victim_order_ready(struct lsched_cycle *cy, const struct victim_wanted *of,
                                  struct victim_order **out) {
    struct victim_search *h = cy->victims;
    uint32_t level = 0;
    while (level < h->n_path && h->path[level] != of->queue) level++;
    struct victim_order *b = *out = &h->below[level];
    int32_t rc = is_current(cy, b, of) ? LSCHED_OK : victim_order_build(cy, b, of);
    uint32_t credit = h->way & ~(uint32_t)VICTIM_LARGEST;
    if (rc == LSCHED_OK && (b->eased != h->eased || b->credit != credit)) ask_again(cy, b);
    b->eased = h->eased;
    b->credit = credit;
    return rc;
}

/* Computes the unit again that is on top of the heap. Returns 1; 0 if it must not be evicted any
 * more; or a negative error code. */
static int32_t renew_top(struct lsched_cycle *cy, uint32_t task, struct victim_unit *u) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_TASK, task) || k->c[C_TASK_STATE].u8[task] != LSCHED_TASK_RUNNING ||
        !victim_candidate_of(cy, task, u))
        return 0;
    return victim_set_ask(cy, u);
}

/* Computes the top of the heap again. Returns 1 if this eviction unit is allowed to be evicted, 0
 * if another unit is on top now or the cycle was stopped, or a negative error code. */
static int32_t ask_top(struct lsched_cycle *cy, struct victim_order *b, struct victim_unit *u) {
    struct victim_unit was = b->unit[0];
    act_spend(cy, 1);
    steps_add(cy->k, 1);
    if (cy->spend.stop) return 0;
    int32_t rc = renew_top(cy, was.task, u);
    if (rc == 0) going_drop(cy, b->unit, &b->n, 0);
    if (rc != 1) return rc;
    b->unit[0] = *u;
    if (victim_key_unit_before(cy, &was, u)) {
        going_settle(cy, b->unit, b->n, 0);
        return 0;
    }
    u->ground = (uint8_t)victim_protect_allow(cy, u, NULL);
    if (u->ground != SIDE_NONE) return 1;
    refuse_top(cy, b);
    return 0;
}

int32_t victim_order_cheapest(struct lsched_cycle *cy, const struct victim_wanted *of,
                              struct victim_unit *best) {
    struct victim_order *b;
    cy->victims->elsewhere = 1;
    int32_t rc = victim_order_ready(cy, of, &b);
    while (rc == 0 && b->built && b->n > 0 && !cy->spend.stop) rc = ask_top(cy, b, best);
    cy->victims->elsewhere = 0;
    return rc < 0 ? rc : rc && !cy->spend.stop;
}
