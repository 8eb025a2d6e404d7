/* verify_refused.h -- checks what the verifier says about columns. For cmocka tests. */
#ifndef LSCHED_TESTS_VERIFY_REFUSED_H
#define LSCHED_TESTS_VERIFY_REFUSED_H

#include <string.h>

#include "engine/verify/verify.h"

/* Fails if the verifier does not refuse the state with a message that has these words. */
static inline void verify_refused(const struct columns *k, const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(k, &err);
    if (rc != LSCHED_E_VERIFY || !strstr(err.message, part))
        fail_msg("expected \"%s\", found %d, \"%s\"", part, rc, err.message);
}

static inline void verify_sound(const struct columns *k) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (verify_state(k, &err) != LSCHED_OK) fail_msg("%s", err.message);
}

#endif
