/* reassign_sketch.h -- texts of random problems of machine reassignment. For cmocka tests. */
#ifndef LSCHED_TESTS_REASSIGN_SKETCH_H
#define LSCHED_TESTS_REASSIGN_SKETCH_H

#include <stdio.h>
#include <string.h>

#include "cli/reassign/reassign_read.h"
#include "cli/support/prng.h"

enum { SKETCH_TEXT_MAX = 1 << 16 };

static inline void read_text(const char *text, struct reassign *p) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (reassign_read_model(text, strlen(text), p, &err) < 0)
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
}

struct sketch {
    char text[SKETCH_TEXT_MAX];
    size_t len;
    struct prng prng;
};

static inline uint32_t some(struct sketch *k, uint32_t least, uint32_t most) {
    return least + (uint32_t)prng_below(&k->prng, most - least + 1);
}

static inline void put(struct sketch *k, uint64_t number) {
    k->len += (size_t)snprintf(k->text + k->len, SKETCH_TEXT_MAX - k->len, "%llu ",
                               (unsigned long long)number);
    assert_true(k->len < SKETCH_TEXT_MAX);
}

#endif
