/*
 * assign_slices.h -- assigns the next tasks of a leaf group with task blocks (called slices in
 * code) to domains, and says which task index goes to which domain.
 *
 * The order is: first blocks that have lost tasks, each in its own domain; then blocks of a
 * narrower level that are missing from a block of a wider level that has tasks, inside the domain
 * of the wider block; then whole new blocks of the widest level, by assign_domains.h. The indexes
 * of its tasks say which block a task belongs to (gang_domains.h). Therefore the result is a list
 * of parts and, parallel to it, a list of indexes.
 */
#ifndef LIBSCHED_ASSIGN_SLICES_H
#define LIBSCHED_ASSIGN_SLICES_H

#include "engine/topology/assign_domains.h"
#include "engine/topology/gang_domains.h"

/* Parts in the order of assignment, with numbers of deepest domains. */
struct dealt {
    struct tree_part *part;
    uint32_t n, cap;
};

struct assign_slices {
    struct columns *k;
    struct assign_domains *d;  /* input; d->cap is set to `caps` */
    uint32_t job, group, root; /* root: domain number, NO_ROW for the whole topology */
    /* by domain number: room before rounding to task blocks; assigned tasks are subtracted */
    int64_t *room;
    int64_t *caps;
    /* by domain number at limit_level, NULL if no limit; assigned tasks are subtracted */
    int64_t *limit;
    uint32_t limit_level;
    struct tree_part *parts; /* scratch of n_domains entries */
    struct dealt *out;
    struct gang_slices *slices;
};

/* Assigns `tasks` tasks. Returns 1 with out->part and slices->order filled, 0 if there is no room
 * for all, or LSCHED_E_NOMEM. */
int32_t assign_slices(struct assign_slices *s, uint32_t tasks);
void assign_slices_close(struct dealt *d, struct columns *k);
/* Sets *tasks to the number of tasks by which the leaf group should grow at once: 1 if a block of
 * the narrowest level that has tasks lacks some; else the size of the smallest whole block that
 * can begin. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t assign_slices_step(struct columns *k, const struct gang_slices *s, uint32_t job,
                           uint32_t group, uint32_t *tasks);

#endif
