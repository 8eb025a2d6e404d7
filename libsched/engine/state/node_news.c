/* node_news.c -- see node_news.h. */
#include "engine/state/node_news.h"

#include "base/vec.h"
#include "model/store/steps.h"

/* the words of `seen`; KNOWN is 0 before the first call */
enum { SEEN_NODES, SEEN_TASKS, SEEN_SET, SEEN_KNOWN };

void node_news_close(struct node_news *w, struct columns *k) {
    alloc_free(k->alloc, w->list, w->cap * sizeof *w->list);
    /* what was listed before is of no use to caches that may be from another state */
    *w = (struct node_news){.undone = w->undone + 1};
}

/* Makes both logs long enough for the cluster. A log that grows loses what it has. */
static int32_t logs_reserve(struct columns *k) {
    int32_t rc = touch_log_reserve(k->alloc, &k->touch, table_rows(k, T_NODE));
    return rc == LSCHED_OK ? touch_log_reserve(k->alloc, &k->task_touch, table_rows(k, T_TASK))
                           : rc;
}

/* Lists the nodes in the logs from the positions in `seen` on. */
static int32_t list_news(struct node_news *w, struct columns *k, const uint64_t *seen,
                         uint32_t *n) {
    const struct touch_log *of_nodes = &k->touch, *of_tasks = &k->task_touch;
    uint64_t most = of_nodes->next - seen[SEEN_NODES] + of_tasks->next - seen[SEEN_TASKS];
    if (!VEC_ROOM(k->alloc, w->list, w->cap, most + 1)) return LSCHED_E_NOMEM;
    steps_add(k, most);
    *n = 0;
    for (uint64_t i = seen[SEEN_NODES]; i < of_nodes->next; i++) {
        uint32_t node = of_nodes->rows[i & (of_nodes->cap - 1)];
        if (node < table_rows(k, T_NODE)) w->list[(*n)++] = node;
    }
    for (uint64_t i = seen[SEEN_TASKS]; i < of_tasks->next; i++) {
        /* a task that left its node changed the node, which is in the log of nodes */
        uint32_t task = of_tasks->rows[i & (of_tasks->cap - 1)];
        uint32_t node = task < table_rows(k, T_TASK) && row_is_live(k, T_TASK, task)
                            ? k->c[C_TASK_NODE].u32[task]
                            : NO_ROW;
        if (node < table_rows(k, T_NODE)) w->list[(*n)++] = node;
    }
    return LSCHED_OK;
}

int32_t node_news_get(struct node_news *w, struct columns *k, uint64_t *seen,
                      const uint32_t **nodes, uint32_t *n) {
    int32_t rc = logs_reserve(k);
    int known = seen[SEEN_KNOWN] == w->undone + 1 &&
                touch_log_reaches(&k->touch, seen[SEEN_NODES]) &&
                touch_log_reaches(&k->task_touch, seen[SEEN_TASKS]);
    int moved = seen[SEEN_SET] != k->node_set;
    *n = 0;
    if (rc == LSCHED_OK && known) rc = list_news(w, k, seen, n);
    if (rc != LSCHED_OK) return rc;
    seen[SEEN_NODES] = touch_log_seen(&k->touch);
    seen[SEEN_TASKS] = touch_log_seen(&k->task_touch);
    seen[SEEN_SET] = k->node_set;
    seen[SEEN_KNOWN] = w->undone + 1;
    *nodes = w->list;
    return known ? 1 + moved : 0;
}
