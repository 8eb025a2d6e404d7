/* test_offers_long.c -- test_offers_random.c with more seeds, for a minute. About 3 of 10 seeds
 * have a job that one change lets start: LSCHED_TEST_ROUNDS=34000 looks at more than 10,000. */
#include "support/offers_trial.h"

int main(void) {
    return offers_trial(chance_seed(1), chance_rounds(1000));
}
