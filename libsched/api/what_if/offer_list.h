/*
 * offer_list.h -- the changes that can be offered for a waiting job, cheapest first, without trying
 * them.
 *
 * The list is made after the next cycle has left the job waiting, so that it has the amounts and
 * jobs of that moment. A change that cannot help is left out if that is cheap to see. The list of
 * each kind of change is bounded: of the changes of one kind, the cheapest ones are kept, and nodes
 * that can hold a task of the job before other nodes.
 */
#ifndef LIBSCHED_OFFER_LIST_H
#define LIBSCHED_OFFER_LIST_H

#include "engine/state/cluster.h"

/* A change, by rows instead of ids. The rows exist also before the cycle. */
struct candidate_change {
    uint32_t change; /* LSCHED_OFFER_* */
    uint32_t row;    /* of the job, node or queue; NO_ROW: the job that waits */
    uint32_t kind;
    uint32_t selector; /* LABEL: index of the selector of the shape of the job's first leaf */
    /* nodes: 1 if a task does not fit there now, 2 if it never does, so that the change only helps
     * if other jobs go there; tried after those where a task fits. jobs: 2 if the end of the job
     * only helps if tasks that the cycle has just placed go elsewhere */
    uint32_t later;
    /* was: the present value; amount: the value that is tried first; most: the largest value that
     * is worth a try. The least value from `was` to the one that works is sought */
    int64_t was, amount, most;
    /* grain: values are tried at its multiples, at which the cycle can begin to decide differently;
     * not 0 for a limit, a quota and a number of jobs;
     * found: the least value that the search has found so far, 0: none */
    int64_t grain, found;
    int64_t cost;
};

/* The key and the first value of a selector of the job, which its labels on nodes must match. */
struct offer_label {
    char key[LSCHED_OFFER_LABEL_BYTES], value[LSCHED_OFFER_LABEL_BYTES];
};

#define OFFER_PRIORITIES 64u
struct offer_list {
    struct alloc *alloc;
    struct candidate_change *at; /* in the order of kind, cost and name */
    uint32_t n, cap, per_kind;   /* per_kind: most changes of one kind */
    /* values of priorities above the job's that make a difference, ascending */
    int32_t priorities[OFFER_PRIORITIES];
    uint32_t n_priorities;
    struct offer_label *labels; /* by number of the selector */
    uint32_t n_labels;
};

/* Fills *list for the job, which waits for the reason `w`. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t offer_list_make(struct lsched_cluster *c, uint32_t job, const lsched_waiting *w,
                        uint32_t per_kind, struct offer_list *list);
void offer_list_close(struct offer_list *list);

#endif
