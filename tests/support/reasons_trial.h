/* reasons_trial.h -- so many random waits and what became of their advice, as a table. */
#ifndef TESTS_REASONS_TRIAL_H
#define TESTS_REASONS_TRIAL_H

#include "support/reasons_cases.h"

/* 0 if no reason was untrue, and at most so many in a hundred unhelpful; all: every code has to be met. */
int reasons_trial(uint32_t waits, uint32_t unhelpful_percent, int all);

#endif
