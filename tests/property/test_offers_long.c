/* test_offers_long.c -- test_offers_random.c until 10,000 random waits are found that a single change ends. */
#include "support/offers_trial.h"

int main(void) {
    return offers_trial(chance_seed(1), chance_rounds(13000));
}
