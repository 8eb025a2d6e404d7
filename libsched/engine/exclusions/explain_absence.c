/* explain_absence.c -- see explain_absence.h. */
#include "engine/exclusions/explain_absence.h"

#include <inttypes.h>

#include "engine/exclusions/explain_print.h"
#include "engine/state/object_words.h"
#include "model/jobs/job_absence.h"
#include "model/nodes/absence.h"
#include "model/nodes/node.h"

struct absent_nodes {
    uint32_t able, fit; /* nodes that could hold the task; of these, nodes with room that leave */
    /* of `fit`, a node that can hold the job when it is back, else any; of these, the one that is
     * back first, then the first by name */
    uint32_t first;
    struct absence next;
    int stays; /* 1 if the first node can hold the job when it is back */
};

/* True if the node of `a` comes after the node n, which can hold the job when it is back if
 * `stays`. */
static int comes_after(const struct columns *k, const struct absent_nodes *a, uint32_t n,
                       const struct absence *next, int stays) {
    if (a->first == NO_ROW) return 1;
    if (stays != a->stays) return stays;
    if (next->back != a->next.back) return next->back < a->next.back;
    return name_before(k, C_NODE_NAME, n, a->first);
}

static struct absent_nodes find_absent(const struct columns *k, const lsched_waiting *w) {
    uint32_t shape = waiting_shape(k, w), job = (uint32_t)w->job;
    struct absent_nodes a = {0, 0, NO_ROW, {0, 0}, 0};
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        struct absence next;
        if (!node_is_usable(k, n, shape)) continue;
        a.able++;
        if (!node_fits(k, n, shape) || !job_absence_bars(k, n, now, job)) continue;
        a.fit++;
        if (!absence_next(k, n, now, &next)) continue;
        int stays = next.back != LSCHED_NEVER_US && !job_absence_bars(k, n, next.back, job);
        if (!comes_after(k, &a, n, &next, stays)) continue;
        a.first = n;
        a.next = next;
        a.stays = stays;
    }
    return a;
}

int explain_absence_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    struct absent_nodes a = find_absent(k, w);
    int64_t now = (int64_t)meta(k, M_NOW);
    if (a.first == NO_ROW) return 0;
    int away = now >= a.next.leaves,
        known = job_absence_length(k, (uint32_t)w->job) != LSCHED_NEVER_US;
    text_put(o, "%u of the %u node%s that could hold it ha%s room, but %s ", a.fit, a.able,
             plural(a.able), a.fit == 1 ? "s" : "ve",
             away ? "must stay empty:" : "would leave before it surely ends:");
    text_put(o, "node %s ", shown_node(k, a.first).text);
    if (away)
        text_put(o, "is away");
    else
        text_put(o, "leaves at %s", shown_moment(a.next.leaves, now).text);
    if (a.next.back == LSCHED_NEVER_US)
        text_put(o, " and does not come back");
    else
        text_put(o, "%s %s", away ? " until" : " and is back at",
                 shown_moment(a.next.back, now).text);
    if (!known)
        text_put(o, "; the job has no time limit and no estimate");
    else if (!a.stays && a.next.back != LSCHED_NEVER_US)
        text_put(o, ", but leaves again before the job surely ends");
    return 1;
}

int64_t explain_absence_back(const struct columns *k, const lsched_waiting *w, uint32_t *node) {
    struct absent_nodes a = find_absent(k, w);
    *node = a.first;
    return a.first == NO_ROW || !a.stays ? LSCHED_NEVER_US : a.next.back;
}
