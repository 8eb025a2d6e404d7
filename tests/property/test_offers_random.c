/*
 * test_offers_random.c -- the cheapest single change that lets a job start, against brute force.
 *
 * Small random worlds in which job "j" waits: full, cordoned or differently labelled nodes, limits, quotas, bounds on jobs, priorities.
 * Brute force tries on clones, through the public calls alone, each single change that docs/what-if.md lists, and notes what works, at what
 * cost, and who loses a start or work by it.
 *   - Where brute force finds a change, at least 90 % of the jobs get an offer.
 *   - Each offer works when it is applied, and names how many others lose by it.
 *   - No change that brute force finds is better than the offer.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; test_offers_long.c is the long form.
 */
#include "support/offers_trial.h"

/* Worlds in which the offer was not the best one. In their order: more values than were tried, twice; a job whose end helps because
 * others move to its room, three times; a limit that is not reached any more after the cycle has stopped work, of an amount and of a
 * number of jobs; a limit that bounds the quota, twice; a job whose end helps because what has not started yet goes elsewhere, twice;
 * a quota or limit above the queue that bounds what is guaranteed, three times; a part of a device as
 * quota, where a whole one lets another job go first. */
static const uint64_t hard_worlds[] = {1000449, 1001088, 1004124, 1004562, 1005840,
                                       1009907, 1015035, 2002134, 2003184, 2002582,
                                       2006978, 3000851, 3001687, 3007194, 7069};

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof hard_worlds / sizeof *hard_worlds; i++)
        failed |= offers_trial(hard_worlds[i], 1);
    return failed | offers_trial(chance_seed(1), chance_rounds(300));
}
