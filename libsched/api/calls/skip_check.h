/*
 * skip_check.h -- repeats the searches that a cycle skipped, on clones, and compares the answers.
 *
 * A cycle skips a search if something that is remembered says that the search finds nothing: a
 * bundle is parked and no event has woken it, victims were sought and the state has not changed
 * since, a proof or the costs of an earlier search say it, or moves were sought in vain. Each of
 * these answers must be the answer of a new search. This module makes two comparisons:
 *   searches   Before the cycle, a clone is made whose searches for victims use nothing that an
 *              earlier search found out (cache_check_search_cold). Its cycle makes the same
 *              decisions, and leaves every bundle in the same state with the same wait reason.
 *              If a walk over running work found a node in the cycle (cheapest_node.h), the reasons
 *              why evictions did not help, and the times of these reasons, are not compared. The
 *              cold searches look for that node among all nodes, and tell later jobs of the bundle
 *              what they found before the first job's victims were chosen; after a walk, the later
 *              job searches itself.
 *   wakes      After the cycle, two clones run one more cycle at the same time. In one of them,
 *              all bundles that a search has parked are woken by force, and victims are sought for
 *              all of them. Both make the same decisions.
 *
 * If an answer differs, lsched_schedule returns LSCHED_E_VERIFY, and the message names what
 * differs. The changes of the cycle are kept, because the clones need the state after it; the error
 * says that the library is wrong. Builds with assertions compare one of SKIP_CHECK_ONE_IN cycles; a
 * hash of the state chooses these cycles, so equal calls choose the same ones. In all builds a test
 * can set another number (skip_check_on). lsched_schedule reaches the comparison through a pointer
 * of the cluster, which is NULL as long as no number is set. So the linker drops the comparison
 * from a program that never sets one. The comparison changes no decision, no work unit and no cache
 * of the cluster, and takes no memory from its allocator. If the memory for the clones is short,
 * the cycle is not compared.
 *
 * Cycles that a budget or an interrupt ended, that run algorithms of the host, or in which a hook
 * failed, are not compared. In these cases, a cycle can find more after all bundles woke although
 * every remembered answer was right, so the wakes are not compared:
 *   - The policy has hooks. A hook can read what no event reports.
 *   - Work was stopped or moved, or tasks are leaving or nominated. Room that comes free wakes
 *     nobody until it is free.
 *   - An amount is owed to the guarantee of a waiting job. What is owed is known only after the
 *     bundle was tried.
 *   - A job waits for planned starts, and reservations exist. A job that one of them admits takes
 *     the best node or none, and which node this is changes with each start.
 *   - One of the two cycles starts several tasks of one job at once. Their seats are sought
 *     greedily, and tasks that started after the search can lead it another way.
 *   - One of the two cycles stops or moves work. Starts of the same cycle can entitle a waiting job
 *     to evict; the job looks for victims when the work has started.
 *
 * Cost: two clones and up to three cycles without caches for each cycle that is compared.
 */
#ifndef LIBSCHED_SKIP_CHECK_H
#define LIBSCHED_SKIP_CHECK_H

#include <libsched/libsched.h>

enum { SKIP_CHECK_ONE_IN = 100 };

/* Data of the comparison of one cycle. */
struct skip_check {
    lsched_cluster *cold; /* clone from before the cycle; NULL: the cycle is not compared */
    uint64_t skipped;     /* number of searches that the cluster had skipped before the cycle */
    uint64_t walked;      /* nodes_walked of the cluster before the cycle */
};

/* What lsched_schedule calls. */
struct skip_checks {
    /* Called before the cycle. Chooses whether the cycle is compared. */
    void (*begin)(const lsched_cluster *c, const lsched_schedule_opts *opts, struct skip_check *s);
    /* Called after the cycle. plan: the plan of the cycle, NULL if the cycle failed. Returns
     * LSCHED_OK, or LSCHED_E_VERIFY with *err filled. */
    int32_t (*end)(lsched_cluster *c, const lsched_schedule_opts *opts, const lsched_plan *plan,
                   struct skip_check *s, lsched_error *err);
};

/* Compares one in this many cycles of the cluster; 0: none. A clone needs its own call. */
void skip_check_on(lsched_cluster *c, uint32_t one_in);
/* Returns how many skipped searches the calls for this cluster have repeated. */
uint64_t skip_check_compared(const lsched_cluster *c);

#endif
