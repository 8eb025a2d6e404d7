/* offers_trial.h -- random waits, their offers, and what brute force over single changes finds. */
#ifndef TESTS_OFFERS_TRIAL_H
#define TESTS_OFFERS_TRIAL_H

#include <stdint.h>

#include "property/chance.h"

/* Plays the worlds of so many seeds and prints what became of them. Returns 0, or 1 after a message if an offer does not work, is not the
 * best one, or if fewer than 90 % of the jobs that a change lets start get an offer. */
int offers_trial(uint64_t seed, uint32_t rounds);

#endif
