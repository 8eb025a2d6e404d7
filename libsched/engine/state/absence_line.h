/*
 * absence_line.h -- the nodes that are to leave, in the order in which they leave: tells from which
 * nodes absences keep a job, and which nodes are back, without a look at each node.
 *
 * Absences bar a job that runs for some time from all nodes that leave before that time is over.
 * In the order of the next begin of an absence, these nodes are the first ones of the line. The
 * line is a search tree (base/treap.h) whose nodes have the sum of the marks of the nodes below
 * them, so that a walk from the root finds the hash of the set of barred nodes. They also have the
 * first end of an absence below them, so that a walk finds the nodes that are back.
 *
 * What always holds: each entry is the absence of its node that is next at the time of the line
 * (absence_next()). The line is a cache: the log of nodes (columns.h) tells which nodes changed,
 * and the time tells which entries are over. A cold line and a warm one answer alike. A line that
 * knows nothing, such as one of zeros, is empty.
 *
 * Cost: O(log a) for a job that is tried while a nodes are to leave, for a changed absence, and for
 * one that ends; O(nodes) for a line that knows nothing, for a clock that was set back, and for an
 * absence without a period that was over when it was set.
 * Why not a sorted list that each cycle makes: a cycle would look at all nodes for one job.
 */
#ifndef LIBSCHED_ABSENCE_LINE_H
#define LIBSCHED_ABSENCE_LINE_H

#include "base/treap.h"
#include "model/store/columns.h"

struct absence_entry {
    int64_t leaves, back; /* the next absence */
    int64_t least_back;   /* the first end below the node, of its own absence or another */
    uint64_t sum;         /* of the marks of the nodes below the node, and its own */
    uint32_t count;       /* of these nodes */
    int is_in;            /* 1 if the node is in the line */
};

struct absence_line {
    struct absence_entry *entry; /* by row of NODE */
    struct treap_link *link;     /* by row of NODE */
    uint32_t *ended;             /* scratch */
    uint32_t cap, cap_links, cap_ended;
    uint32_t root;
    uint64_t synced;
    int64_t at; /* the time of the line */
    int known;
};

/* Brings the line up to date for the time `at`. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t absence_line_sync(struct absence_line *l, struct columns *k, int64_t at);
/* Returns a hash of the set of nodes from which absences keep a job that runs from `now`, which is
 * the time of the line, for `length` (LSCHED_NEVER_US: without a known end); 0: none. */
uint64_t absence_line_nodes(const struct absence_line *l, struct columns *k, int64_t now,
                            int64_t length);
/* Lets jobs be tried on the nodes that are back, and forgets absences that are over for ever.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t absence_line_end(struct absence_line *l, struct columns *k, int64_t now);
/* Returns the topmost node of the tree; NO_ROW: the line is empty, or knows nothing. */
static inline uint32_t absence_line_top(const struct absence_line *l) {
    return l->known ? l->root : NO_ROW;
}
/* Return the nodes of the line in its order; NO_ROW: there is none, or no further one. */
static inline uint32_t absence_line_first(const struct absence_line *l) {
    return treap_first(l->link, absence_line_top(l));
}
static inline uint32_t absence_line_next(const struct absence_line *l, uint32_t node) {
    return treap_next(l->link, node);
}
/* Returns the number of nodes in the line. */
static inline uint32_t absence_line_count(const struct absence_line *l) {
    uint32_t top = absence_line_top(l);
    return top == NO_ROW ? 0 : l->entry[top].count;
}
/* Returns the first end of an absence after the time of the line; LSCHED_NEVER_US: there is none.
 */
static inline int64_t absence_line_back(const struct absence_line *l) {
    uint32_t top = absence_line_top(l);
    return top == NO_ROW ? LSCHED_NEVER_US : l->entry[top].least_back;
}
void absence_line_drop(struct absence_line *l, struct columns *k);
/* True if the line is that of the nodes, or if nothing is known. */
int absence_line_is_sound(struct absence_line *l, struct columns *k);

#endif
