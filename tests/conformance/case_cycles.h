/*
 * case_cycles.h -- play a case: cycles, and the host's part between them.
 */
#ifndef CONFORMANCE_CASE_CYCLES_H
#define CONFORMANCE_CASE_CYCLES_H

#include "case_cluster.h"

struct play_choice {
    int explain; /* what was decided and why the rest waits, on stderr */
    int keep;    /* in rounds: nominations are confirmed and hold, as with most hosts */
};

/* Leaves the outcome in c: states of tasks, evictions, flapping. Returns 0 and says why on stderr if a call fails or
 * the library's state is not what its decisions say. */
int case_play(struct case_form *c, struct pool *pool, lsched_cluster *cluster,
              struct play_choice choice);

#endif
