/* test_offers_long.c -- test_offers_random.c with more seeds, for a few minutes. */
#include "support/offers_trial.h"

int main(void) {
    return offers_trial(chance_seed(1), chance_rounds(2000));
}
