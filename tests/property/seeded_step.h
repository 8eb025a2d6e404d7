/*
 * seeded_step.h -- CHECK(h, that, what) in a random test: if `that` does not hold, the test ends
 * with the seed and the step of the world `h`, with `what`, and with the last message in `h->err`.
 */
#ifndef TESTS_SEEDED_STEP_H
#define TESTS_SEEDED_STEP_H

#define CHECK(h, that, what)                                                                 \
    do {                                                                                     \
        if (!(that)) {                                                                       \
            print_error("seed %llu step %u: %s\n", (unsigned long long)(h)->seed, (h)->step, \
                        #that);                                                              \
            fail_msg("%s: %s", what, (h)->err.message);                                      \
        }                                                                                    \
    } while (0)

#endif
