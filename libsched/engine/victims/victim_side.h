/*
 * victim_side.h -- the job's own side in reclaim: what each queue on its path would hold with the
 * job.
 *
 * Work of another branch may go only if every queue of the path below the common ancestor keeps
 * within its right when all is done. Victims below a queue of the path give back what that queue
 * holds, so the question is asked with them gone and not before anybody is chosen: who takes from
 * its own siblings what they borrow, and the rest from elsewhere, is within its right.
 *
 * A set of victims is right as a whole iff it is right in the order of the common ancestors, lowest
 * first: a victim asks only the queues below its common ancestor, and only victims with a lower one
 * change these. So a search that takes what is allowed by now, again and again, loses nothing by
 * not looking ahead; only where each node has a little of both it may: a gang that finds no seats
 * looks again on credit, those first that give something back; when the gang is seated, more of
 * what runs below the queues that are beyond their right is stopped. That also serves a job whose
 * siblings hold what they borrowed where it makes no room for it. The guarantee is lent likewise,
 * where it alone kept a unit from the job and siblings hold enough to bring its side there.
 *
 * On which ground a unit went is kept with it (enum side_ground of victim_search.h): what was taken
 * because the side is within its guarantee needs the victims that brought it there for as long as
 * it is gone.
 *
 * Cost: a look O(depth x kinds); a question a branch where the side is within its right without any
 * victims, else O(depth x kinds x units of the set).
 */
#ifndef LIBSCHED_VICTIM_SIDE_H
#define LIBSCHED_VICTIM_SIDE_H

#include "engine/victims/victim_search.h"

/* What the job still lacks and what its queues hold may have changed. A heap of nodes is dropped if
 * more may be taken now than before. */
void hunt_side_look(struct lsched_cycle *y);
/* True if the queues of the path below level `at` keep within their right once the chosen units of
 * the set are gone. */
int hunt_side_within(const struct lsched_cycle *y, uint32_t at, const struct hunt_set *set);
/* True if the highest queue of the path below level `at` keeps within its guarantee once the chosen
 * units of the set are gone. */
int hunt_side_guaranteed(const struct lsched_cycle *y, uint32_t at, const struct hunt_set *set);
/* Dominant share of the highest queue of the path below level `at`, with the job and without the
 * chosen units of the set. */
int64_t hunt_side_dominant(const struct lsched_cycle *y, uint32_t at, const struct hunt_set *set);
/* True if the unit, when it goes, brings a queue of the path nearer to its right that is beyond
 * it. */
int hunt_side_helps(const struct lsched_cycle *y, const struct hunt_unit *u);
/* True if sets are sought on credit: the job's side is asked when the job is seated. */
int hunt_side_lends(const struct lsched_cycle *y);
/* What the job's side is beyond its right, or beyond its guarantee where that is lent, once the
 * chosen units of the set are gone: over all levels and kinds, in parts of what the job needs. */
int64_t hunt_side_beyond(const struct lsched_cycle *y, const struct hunt_set *set);
/* Thousandths of what the job still needs, over all kinds that count. */
int64_t hunt_side_part(const struct lsched_cycle *y, uint32_t kind, int64_t amount);
/* True if each chosen unit of the set still has the ground on which it was allowed. */
int hunt_side_stands(const struct lsched_cycle *y, const struct hunt_set *set);

/* A task of the queue was stopped on this ground (1), or runs on after all (-1). */
void hunt_side_count(struct lsched_cycle *y, uint32_t queue, uint32_t ground, int sign);
/* The job is seated: the lowest queue of its path that is beyond what something that was stopped
 * has its ground in, NO_ROW if all has its ground. O(depth x (kinds + grounds)), however many were
 * stopped. */
uint32_t hunt_side_short(struct lsched_cycle *y);

/* The lowest queue of the path that holds more than its right, and more than before the
 * transaction; NO_ROW: none does. */
uint32_t hunt_side_grown(const struct lsched_cycle *y);

#endif
