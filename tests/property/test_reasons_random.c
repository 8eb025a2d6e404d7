/*
 * test_reasons_random.c -- every reason is true and of help: what it names is mended, and the job starts, or waits for something else.
 *
 * Random worlds make waits of every code (reasons_cases.h). For each the record and the text are read, what they advise is done
 * (reasons_advice.h), and the same world is played with it. Helpful: the advice names a number, a name or a time, and it changed something.
 * Unhelpful: nothing is named. Untrue: what is named is mended, and the reason stays as it was; or one unit less than the number would
 * have done, too. LSCHED_TEST_ROUNDS=10000 is the long form (test_reasons_long.c); LSCHED_TEST_SHOW=1 shows the worlds.
 */
#include "support/reasons_trial.h"

int main(void) {
    return reasons_trial(chance_rounds(700), 5, 0);
}
