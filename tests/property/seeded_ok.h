/*
 * seeded_ok.h -- OK(call) in a random test: a call that fails ends the test with its seed and the
 * message of the library. The test has a `seed_now`, and the function a lsched_error `err`.
 */
#ifndef TESTS_SEEDED_OK_H
#define TESTS_SEEDED_OK_H

#define OK(call)                                                                    \
    do {                                                                            \
        int64_t ok_code = (call);                                                   \
        if (ok_code < 0)                                                            \
            fail_msg("seed %llu: %s: %lld %s", (unsigned long long)seed_now, #call, \
                     (long long)ok_code, err.message);                              \
    } while (0)

#endif
