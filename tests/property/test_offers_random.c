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

int main(void) {
    return offers_trial(chance_seed(1), chance_rounds(300));
}
