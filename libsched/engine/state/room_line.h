/*
 * room_line.h -- the lines of parked bundles that wait for room for one task shape, in the order of
 * shares. Lines let one freed device wake a hundred thousand bundles at the cost of the few that
 * are tried.
 *
 * A node that gains room wakes the shapes that fit it, as a whole: their bundles stay parked, and
 * the first leaf queue of each line becomes an offer of its parent in the share tree
 * (share_tree.h). A bundle really wakes (bundle_wake) when its queue is the first one in the order
 * of shares. As soon as none of the nodes that gained room fits one more task of the shape, the
 * shape sleeps again, with all its bundles that were not tried.
 *
 * Why no wake-up is lost: a parked bundle in a line waits because no node had room for its tasks.
 * Since then, only the nodes that woke the shape have gained room. If none of these fits one task,
 * no bundle of the line can start, so an attempt would only park it again for the same reason.
 * Room that is used now and given back later (a start that the orchestrator rejects, a withdrawn
 * decision) makes the node gain room again, and that wakes the shape again.
 *
 * Why the order is that of waking all bundles: a bundle stands in its line under the key that its
 * queue would have if it were the first active bundle (share_key_with), and the key of a parent
 * depends only on its best child. If the first job of a line is tried, the queues before it in the
 * order of shares have no job that could be tried or could start. When queues of one parent differ
 * in priority, the removal of one child can move the parent forward; in that case all bundles are
 * woken.
 *
 * If keys follow the first bundle (lsched_share_ops.uses_want), three rules more hold. A queue with
 * an active bundle, or whose first bundle in a line is not the first one of the queue, really wakes
 * with all its bundles in awake lines. A shape without room makes no offers any more, but its
 * bundles count in these questions until nothing is left to try. And if queues have parents, shapes
 * sleep only all together, and when no bundle is active, because a bundle that leaves can move the
 * parent forward.
 *
 * There is one line for each pair of a task shape and a parent of queues. A line is a binary heap
 * of bundles in the order of their queues; bundles of one queue follow each other and wake
 * together. Bundles whose wait can end by other events than room (an affinity rule, a refusal,
 * daily demand) are in a line of their own, and all of them wake at once.
 *
 * All this is a cache: it is brought up to date from the logs of bundles and of changed keys, or
 * built again from the lists of parked bundles. Which shapes are awake is scratch of one cycle. If
 * a cycle ends before the room is used, all bundles of the awake shapes really wake, so that the
 * next cycle continues with them.
 *
 * Cost: O(log bundles) for a bundle that is parked, woken or whose queue got another key. For each
 * shape that wakes or sleeps: O(its lines). For each parent with such a line: O(awake shapes +
 * depth x log queues). Why not a mark for each bundle that was woken: setting and clearing the
 * marks costs as much as the wakes.
 */
#ifndef LIBSCHED_ROOM_LINE_H
#define LIBSCHED_ROOM_LINE_H

#include "engine/state/share_tree.h"

/* The bundles of one task shape whose queues have one parent. */
struct room_line {
    uint32_t shape;
    uint32_t parent; /* share_parent() of the queues, or LINE_OTHERS (room_line.c) */
    uint32_t *heap;  /* rows of bundles */
    uint32_t n, cap;
    uint32_t next; /* next line of the shape, NO_ROW if there is none */
};

/* What the lines know of one bundle. The key is a copy, so that a heap changes by one element at a
 * time. */
struct room_place {
    lsched_share_key key;
    uint32_t line; /* 1 + number of the line; 0: the bundle is in no line */
    uint32_t at;   /* index in the heap of the line */
    uint32_t queue;
    uint32_t next, prev; /* bundles of the same queue in lines */
};

/* A shape that is awake in this cycle. */
struct room_awake {
    uint32_t shape;
    uint32_t at; /* the grown nodes before this index have no room for the shape */
    /* 1: no room is left, so the lines make no offers. The shape does not sleep yet, because its
     * bundles can be the first ones of queues whose other bundles are tried */
    uint32_t is_tired;
};

struct room_lines {
    int valid;
    uint64_t structure; /* value of columns.structure when the lines were built */
    /* positions up to which the logs of bundles and of changed keys are read */
    uint64_t bundles_seen, keys_seen;
    uint32_t root; /* share_root() when the lines were built */
    struct room_line *line;
    uint32_t n_lines, cap_lines;
    uint32_t *bucket;         /* hash table of 1 + line number by shape and parent; 0: empty */
    uint32_t n_buckets;       /* a power of two */
    struct room_place *place; /* by row of the bundle */
    uint32_t cap_places;
    uint32_t *of_shape; /* by row of the shape: 1 + its first line, or 0 */
    uint32_t cap_shapes;
    uint32_t *of_queue; /* by row of the queue: 1 + its first bundle in a line, or 0 */
    uint32_t cap_queues;
    /* scratch of one cycle: awake shapes, and the nodes that gained room */
    struct room_awake *awake;
    uint32_t n_awake, cap_awake;
    int open; /* 1 if room_line_open has made the offers; the lines then have no tried bundle */
    uint32_t *grown;
    uint32_t n_grown, cap_grown;
    uint64_t *woken; /* by row of the shape: `stamp` if this cycle woke the shape */
    uint32_t cap_woken;
    uint64_t stamp;        /* number of the cycle, for `woken` */
    uint64_t removed_seen; /* position in the log of bundles up to which bundles were removed */
    uint64_t groups_seen;  /* 1 + latest decision group when room was last looked for; 0: never */
    uint32_t *dirty;       /* parents whose offer can have changed */
    uint32_t n_dirty, cap_dirty;
};

/* Called before bundles are woken in a cycle: no shape is awake. */
void room_line_rest(struct room_lines *l, struct share_tree *s);
/* Records a node that gained room. room_line_wake makes a shape awake that fits the node. Error:
 * LSCHED_E_NOMEM. */
int32_t room_line_grew(struct room_lines *l, struct columns *k, uint32_t node);
int32_t room_line_wake(struct room_lines *l, struct columns *k, uint32_t shape);
/* True if room_line_wake was called for the shape since room_line_rest. */
int room_line_is_awake(const struct room_lines *l, uint32_t shape);
static inline int room_line_any(const struct room_lines *l) {
    return l->n_awake > 0;
}
/* Called after share_begin(): makes the offers of the awake shapes. If memory for the lines is
 * short, or the order of shares would differ, all bundles of the awake shapes really wake. Returns
 * LSCHED_OK, LSCHED_E_NOMEM or an error of the share algorithm, as all functions below do. */
int32_t room_line_open(struct room_lines *l, struct share_tree *s, struct columns *k);
/* Called before the next job is chosen: lets the shapes sleep for which the grown nodes have no
 * room left. */
int32_t room_line_next(struct room_lines *l, struct share_tree *s, struct columns *k);
/* Really wakes the bundles of the queue in awake lines, because the queue is the next one. */
int32_t room_line_pull(struct room_lines *l, struct share_tree *s, struct columns *k,
                       uint32_t queue);
/* Really wakes all bundles of the awake shapes that were not tried in this cycle. */
int32_t room_line_flush(struct room_lines *l, struct share_tree *s, struct columns *k);
void room_line_close(struct room_lines *l, struct columns *k);
/* For checks: True if the lines, brought up to date, have exactly the bundles that they must have,
 * in heaps by the present keys. Also true if there are no lines, or if memory is short. */
int room_line_is_sound(struct room_lines *l, struct share_tree *s, struct columns *k);

#endif
