/* resize_serve.c -- see resize_serve.h. */
#include "engine/resizes/resize_serve.h"

#include "base/sort.h"
#include "engine/queues/queue_rules.h"
#include "engine/state/decision_kinds.h"
#include "engine/state/transaction.h"
#include "model/news/queue_news.h"
#include "model/resizes/resize.h"
#include "model/resizes/resize_list.h"
#include "model/store/steps.h"

struct resize_wish {
    int32_t priority;
    uint32_t row;
    uint64_t serial;
};
static int resize_goes_first(const struct columns *k, const struct resize_wish *a,
                             const struct resize_wish *b) {
    (void)k;
    return a->priority != b->priority ? a->priority > b->priority : a->serial < b->serial;
}
#define WISH_BEFORE(k, a, b) resize_goes_first(k, &(a), &(b))
SORT_IN_PLACE(sort_wishes, struct resize_wish, const struct columns *, WISH_BEFORE)

/* ---- why a wish waits ---- */

static int32_t park(struct lsched_cycle *cy, uint32_t row, uint8_t list) {
    struct columns *k = cy->k;
    const struct diagnosis *why = &cy->turn.why;
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_u8(k, C_RESIZE_CODE, row, (uint8_t)why->code);
    set_u8(k, C_RESIZE_RES, row, (uint8_t)why->kind);
    set_u32(k, C_RESIZE_LIMITING, row, why->limiting);
    set_i64(k, C_RESIZE_NEED, row, why->need);
    set_i64(k, C_RESIZE_HAVE, row, why->have);
    resize_list_enter(k, row, list);
    return LSCHED_OK;
}

/* True if the node has so much more free, now and after the tasks that come and go there. Otherwise
 * fills cy->turn.why. */
static int node_gives(struct lsched_cycle *cy, uint32_t row, const int64_t more[KINDS_MAX]) {
    const struct columns *k = cy->k;
    uint32_t node = k->c[C_TASK_NODE].u32[k->c[C_RESIZE_TASK].u32[row]];
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t free = k->c[C_NODE_FREE + r].i64[node], coming = k->c[C_NODE_COMING + r].i64[node],
                have = coming < 0 ? free + coming : free,
                all = k->c[C_NODE_CAP + r].i64[node] - k->c[C_NODE_FOREIGN + r].i64[node];
        if (more[r] == 0 || more[r] <= have) continue;
        int never = k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_WANT].u32[row]] > all;
        cy->turn.why = (struct diagnosis){.code = never ? LSCHED_WAIT_NEVER_FITS : LSCHED_WAIT_ROOM,
                                          .kind = r,
                                          .limiting = NO_ROW,
                                          .need = more[r],
                                          .have = have < 0 ? 0 : have,
                                          .shape = NO_ROW};
        return 0;
    }
    return 1;
}

static int queues_allow(struct lsched_cycle *cy, uint32_t row, const int64_t more[KINDS_MAX]) {
    const struct columns *k = cy->k;
    uint32_t task = k->c[C_RESIZE_TASK].u32[row];
    struct hold hold = task_hold(k, task);
    struct queue_more m = {.job = k->c[C_TASK_JOB].u32[task],
                           .group = k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]],
                           .node = k->c[C_TASK_NODE].u32[task],
                           .shape = k->c[C_RESIZE_WANT].u32[row],
                           .old = k->c[C_RESIZE_SHAPE].u32[row],
                           .hold = &hold};
    memcpy(m.more, more, sizeof m.more);
    return queue_rules_allow_more(cy, &m);
}

/* ---- the step ---- */

/* Tries one wish: makes its decision, or lets it wait for what refused it. */
static int32_t try_wish(struct lsched_cycle *cy, uint32_t row) {
    struct columns *k = cy->k;
    int64_t more[KINDS_MAX];
    uint32_t decision;
    act_spend(cy, 1);
    steps_add(k, 1);
    if (cy->spend.stop) return LSCHED_OK;
    if (resize_grows(k, row, more)) {
        if (!node_gives(cy, row, more)) return park(cy, row, RESIZE_AT_NODE);
        if (!queues_allow(cy, row, more)) return park(cy, row, RESIZE_AT_QUEUES);
    }
    if (cy->spend.decisions_left == 0) act_is_full(cy);
    if (cy->spend.stop) return LSCHED_OK;
    cy->turn.group_serial = meta(k, M_GROUP_SERIAL) + 1;
    set_meta(k, M_GROUP_SERIAL, cy->turn.group_serial);
    int32_t rc = resize_propose(k, row, cy->turn.group_serial, cy->now, &decision);
    if (rc == LSCHED_OK) rc = cycle_fresh_add(cy, decision);
    if (rc == LSCHED_OK) cy->spend.decisions_left--;
    return rc;
}

int32_t resize_serve(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    uint32_t n = 0, row = (uint32_t)meta(k, M_RESIZE_AWAKE);
    if (row == NO_ROW || !decision_kinds_allow(cy, 1u << LSCHED_DECIDE_RESIZE)) return LSCHED_OK;
    size_t bytes = table_live(k, T_RESIZE) * sizeof(struct resize_wish);
    struct resize_wish *wishes = alloc_new(k->alloc, bytes);
    if (!wishes) return LSCHED_E_NOMEM;
    for (; row != NO_ROW; row = k->c[C_RESIZE_NEXT].u32[row]) {
        uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_RESIZE_TASK].u32[row]];
        wishes[n++] = (struct resize_wish){k->c[C_JOB_PRIORITY].i32[job], row,
                                           k->c[C_RESIZE_SERIAL].u64[row]};
    }
    sort_wishes(k, wishes, n);
    int32_t rc = LSCHED_OK;
    for (uint32_t i = 0; i < n && rc == LSCHED_OK && !cy->spend.stop; i++) {
        rc = undo_room(k);
        if (rc == LSCHED_OK) rc = try_wish(cy, wishes[i].row);
    }
    alloc_free(k->alloc, wishes, bytes);
    return rc;
}

static int resizes_are_asked(const struct columns *k) {
    return (meta(k, M_KINDS) >> LSCHED_DECIDE_RESIZE & 1) != 0;
}

int resize_serve_is_due(const struct columns *k) {
    if (!resizes_are_asked(k)) return 0;
    if (meta(k, M_RESIZE_AWAKE) != NO_ROW) return 1;
    return (meta(k, M_RESIZE_WAITS) && meta(k, M_GREW_HEAD) != NO_ROW) ||
           (meta(k, M_RESIZE_LIMITED) != NO_ROW &&
            (queue_gave_first(k) != NO_ROW ||
             meta(k, M_REFRESH_STRUCTURE) != meta(k, M_STRUCTURE)));
}

int resize_serve_waits(const struct columns *k) {
    return meta(k, M_RESIZE_LIMITED) != NO_ROW && resizes_are_asked(k);
}
