/* test_reasons_long.c -- test_reasons_random.c with 10,000 waits; every code that can be met has to be among them. */
#include "support/reasons_trial.h"

int main(void) {
    return reasons_trial(chance_rounds(10000), 2, 1);
}
