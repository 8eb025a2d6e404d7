/* contention_world.c -- a table of slow-downs without a bound, as a part of the model world: all tasks
 * that share a device are of its second kind. */
#include <string.h>

#include "model/devices/contention.h"
#include "support/model_world.h"

int32_t contention_fill(struct model_world *w) {
    struct contention_table t;
    memset(&t, 0, sizeof t);
    t.n = t.others = 2;
    memcpy(t.name[0], "light", 5);
    memcpy(t.name[1], "other", 5);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) t.milli[a][b] = (uint16_t)(1000 + 100 * a + b);
    int32_t rc = undo_begin(&w->k);
    if (rc != LSCHED_OK) return rc;
    size_t mark = undo_mark(&w->k);
    rc = contention_follow(&w->k, &t);
    if (rc != LSCHED_OK) undo_rollback(&w->k, mark);
    undo_end(&w->k);
    return rc;
}
