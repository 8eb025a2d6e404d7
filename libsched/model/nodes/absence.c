/* absence.c -- see absence.h. */
#include "model/nodes/absence.h"

#include "base/limits.h"
#include "model/news/grown_nodes.h"
#include "model/news/queue_news.h"
#include "model/reservations/reservation.h"

int absence_of_times(int64_t leaves, int64_t back, int64_t every, int64_t now,
                     struct absence *next) {
    if (!leaves && !back) return 0;
    if (back && now >= back) {
        if (!every || now > LIMIT_TIME_US) return 0; /* so that no sum leaves the range of times */
        int64_t later = ((now - back) / every + 1) * every;
        leaves += later;
        back += later;
    }
    *next = (struct absence){leaves, back ? back : LSCHED_NEVER_US};
    return 1;
}

int absence_next(const struct columns *k, uint32_t node, int64_t now, struct absence *next) {
    return absence_of_times(k->c[C_NODE_LEAVES].i64[node], k->c[C_NODE_BACK].i64[node],
                            k->c[C_NODE_LEAVES_EVERY].i64[node], now, next);
}

int absence_bars(const struct columns *k, uint32_t node, int64_t now, int64_t length) {
    struct absence next;
    if (!absence_next(k, node, now, &next)) return 0;
    return length == LSCHED_NEVER_US || now >= next.leaves || length > next.leaves - now;
}

static void absence_ends_at(struct columns *k, int64_t at) {
    if (at < (int64_t)meta(k, M_ABSENCE_END)) set_meta(k, M_ABSENCE_END, (uint64_t)at);
}

/* Replaces the absence of the node by one that is the window of the reservation `of`, NO_ROW for
 * none. */
static void absence_replace(struct columns *k, uint32_t node, uint32_t of, int64_t leaves,
                            int64_t back, int64_t every) {
    struct absence next;
    if (leaves == k->c[C_NODE_LEAVES].i64[node] && back == k->c[C_NODE_BACK].i64[node] &&
        every == k->c[C_NODE_LEAVES_EVERY].i64[node] && of == k->c[C_NODE_RESERVATION].u32[node])
        return;
    reservation_move(k, node, of);
    if (!meta(k, M_ABSENCES)) set_meta(k, M_ABSENCE_END, (uint64_t)LSCHED_NEVER_US);
    uint64_t others = meta(k, M_ABSENCES) - (uint64_t)absence_is_set(k, node);
    set_i64(k, C_NODE_LEAVES, node, leaves);
    set_i64(k, C_NODE_BACK, node, back);
    set_i64(k, C_NODE_LEAVES_EVERY, node, every);
    set_meta(k, M_ABSENCES, others + (uint64_t)absence_is_set(k, node));
    if (!meta(k, M_ABSENCES)) set_meta(k, M_ABSENCE_END, 0);
    /* ends of a repeated absence that are over let nothing be tried that is not tried now */
    int64_t from = every ? (int64_t)meta(k, M_NOW) : INT64_MIN;
    if (absence_next(k, node, from, &next)) absence_ends_at(k, next.back);
    node_grew(k, node);
    touch_node(k, node);
    evict_news(k);
}

void absence_set(struct columns *k, uint32_t node, int64_t leaves, int64_t back, int64_t every) {
    absence_replace(k, node, NO_ROW, leaves, back, every);
}

void absence_reserve(struct columns *k, uint32_t node, uint32_t r) {
    absence_replace(k, node, r, k->c[C_RESERVATION_FROM].i64[r], k->c[C_RESERVATION_UNTIL].i64[r],
                    k->c[C_RESERVATION_EVERY].i64[r]);
}

int32_t absences_time_set(struct columns *k, int64_t now) {
    if (!meta(k, M_ABSENCES)) return LSCHED_OK;
    absence_ends_at(k, now);
    EACH_LIVE(k, T_NODE, n) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!absence_is_set(k, n)) continue;
        node_grew(k, n);
        touch_node(k, n);
    }
    return undo_room(k);
}

void absence_end(struct columns *k, uint32_t node, int64_t now) {
    struct absence next;
    if (!absence_next(k, node, now, &next)) {
        absence_set(k, node, 0, 0, 0);
        return;
    }
    node_grew(k, node);
    /* a search for room that comes later can have excluded the node while it was away */
    touch_node(k, node);
    evict_news(k);
}

void absences_first_end(struct columns *k, int64_t at) {
    if (meta(k, M_ABSENCES)) set_meta(k, M_ABSENCE_END, (uint64_t)at);
}
