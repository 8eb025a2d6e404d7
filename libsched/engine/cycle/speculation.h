/*
 * speculation.h -- lets a function change the cluster as a trial, and then restores everything.
 *
 * A speculation has caches of its own. While it is open, the caches of the cluster, the logs of
 * changed rows and the version numbers that caches use as keys are set aside, together with all
 * other members that a cycle writes and that are not columns: the failures of the policy, counts,
 * the machines of nodes, a pending interrupt. The columns are restored by the undo log. Therefore
 * the next cycle finds the same state and the same caches as without the speculation; it even
 * visits the same number of entries (steps.h).
 *
 * Serial numbers of contents that a speculation interns begin at SPECULATION_SERIALS and are never
 * used again in the life of the handle. Therefore no cache outside of the set-aside ones, such as
 * one of a policy, can confuse a content of a speculation with a later one.
 *
 * Why not a clone: a clone copies all columns, and needs their memory a second time. Why not the
 * caches of the cluster: they would have to be restored entry by entry, or be told of each row that
 * the speculation touched, and then the next cycle would do more work than without it.
 */
#ifndef LIBSCHED_SPECULATION_H
#define LIBSCHED_SPECULATION_H

#include "engine/state/cluster.h"

#define SPECULATION_SERIALS ((uint64_t)1 << 60)

struct speculation;

/* Sets the caches of the cluster aside. No undo scope is open. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t speculation_open(struct lsched_cluster *c, struct speculation **out);
/* Drops the caches of the speculation and takes those of the cluster back. */
void speculation_close(struct lsched_cluster *c, struct speculation *s);

/* Each trial is between speculation_begin() and speculation_undo(). The second call restores all
 * columns; the caches of the speculation stay for the next trial. speculation_begin() returns
 * LSCHED_OK or LSCHED_E_NOMEM; after an error, speculation_undo() is not called. */
int32_t speculation_begin(struct lsched_cluster *c, struct speculation *s);
void speculation_undo(struct lsched_cluster *c, struct speculation *s);
/* Returns 1 if lsched_interrupt() was called since speculation_open(). */
int speculation_interrupted(const struct lsched_cluster *c);

#endif
