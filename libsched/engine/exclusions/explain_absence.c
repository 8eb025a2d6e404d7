/* explain_absence.c -- see explain_absence.h. */
#include "engine/exclusions/explain_absence.h"

#include <inttypes.h>

#include "engine/exclusions/explain_print.h"
#include "engine/state/object_words.h"
#include "model/absences/job_absence.h"
#include "model/nodes/absence.h"
#include "model/nodes/node.h"

struct absent_nodes {
    /* nodes that could hold the task; of these, those that leave and have room, or have room when
     * their releasing tasks are gone; of these, those that have no room yet */
    uint32_t able, fit, coming;
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
    struct absent_nodes a = {0, 0, 0, NO_ROW, {0, 0}, 0};
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        struct absence next;
        if (!node_is_usable(k, n, shape)) continue;
        a.able++;
        int has = node_fits(k, n, shape);
        int64_t at = has ? now : job_absence_later(k, n, now);
        if (!has && !(k->c[C_NODE_FUTURE].u32[n] && node_fits_later(k, n, shape))) continue;
        if (!job_absence_bars(k, n, at, job) || !absence_next(k, n, at, &next)) continue;
        a.fit++;
        a.coming += !has;
        int stays = next.back != LSCHED_NEVER_US && !job_absence_bars(k, n, next.back, job);
        if (!comes_after(k, &a, n, &next, stays)) continue;
        a.first = n;
        a.next = next;
        a.stays = stays;
    }
    return a;
}

/* Writes which of the nodes that could hold a task of the job leave too early. */
static void put_share(const struct absent_nodes *a, int is_reserved, struct text_out *o) {
    int one = a->fit == 1;
    if (a->able == 1)
        text_put(o, "the only node that could hold a task of the job");
    else
        text_put(o, "%u of the %u nodes that could hold a task of the job", a->fit, a->able);
    if (a->coming == a->fit)
        text_put(o, " get%s room when work there has ended", one ? "s" : "");
    else if (a->coming)
        text_put(o, " have room, or get room when work there has ended");
    else
        text_put(o, " %s room", one ? "has" : "have");
    text_put(o, ", but do%s not stay%s until the job surely ends: ", one ? "es" : "",
             is_reserved ? " free" : "");
}

/* Writes when the node leaves and is back. */
static void put_leave(const struct absence *next, int64_t now, struct text_out *o) {
    int away = now >= next->leaves;
    if (away)
        text_put(o, "is away");
    else
        text_put(o, "leaves at %s", shown_moment(next->leaves, now).text);
    if (next->back == LSCHED_NEVER_US)
        text_put(o, " and does not come back");
    else
        text_put(o, "%s %s", away ? " until" : " and is back at",
                 shown_moment(next->back, now).text);
}

/* Writes for whom the reservation r keeps the node, and when. */
static void put_window(const struct columns *k, uint32_t r, const struct absence *next, int64_t now,
                       struct text_out *o) {
    text_put(o, "is reserved for queue %s", shown_queue(k, k->c[C_RESERVATION_QUEUE].u32[r]).text);
    if (now < next->leaves) text_put(o, " from %s", shown_moment(next->leaves, now).text);
    if (next->back != LSCHED_NEVER_US) text_put(o, " until %s", shown_moment(next->back, now).text);
    text_put(o, " (reservation %s)", shown_name(k, k->c[C_RESERVATION_NAME].u32[r]).text);
}

static void put_absence(const struct columns *k, uint32_t node, const struct absence *next,
                        struct text_out *o) {
    uint32_t r = k->c[C_NODE_RESERVATION].u32[node];
    int64_t now = (int64_t)meta(k, M_NOW);
    text_put(o, "node %s ", shown_node(k, node).text);
    if (r != NO_ROW)
        put_window(k, r, next, now, o);
    else
        put_leave(next, now, o);
}

int explain_absence_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    struct absent_nodes a = find_absent(k, w);
    if (a.first == NO_ROW) return 0;
    int is_reserved = k->c[C_NODE_RESERVATION].u32[a.first] != NO_ROW,
        known = job_absence_length(k, (uint32_t)w->job) != LSCHED_NEVER_US;
    put_share(&a, is_reserved, o);
    put_absence(k, a.first, &a.next, o);
    if (!known)
        text_put(o, "; the job has no time limit and no estimate");
    else if (!a.stays && a.next.back != LSCHED_NEVER_US)
        text_put(o, ", but %s again before the job surely ends",
                 is_reserved ? "is reserved" : "leaves");
    return 1;
}

int64_t explain_absence_back(const struct columns *k, const lsched_waiting *w, uint32_t *node) {
    struct absent_nodes a = find_absent(k, w);
    *node = a.first;
    return a.first == NO_ROW || !a.stays ? LSCHED_NEVER_US : a.next.back;
}

void explain_absence_put_node(const struct columns *k, uint32_t node, int64_t at,
                              struct text_out *o) {
    struct absence next;
    if (absence_next(k, node, at, &next)) put_absence(k, node, &next, o);
}
