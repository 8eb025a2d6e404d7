/*
 * heard.c -- what the verifier says in a test program, for tests/checks/check_damage.py: every test
 * is linked with --wrap=check_fail, so each finding comes by here before it is made, also one whose
 * text nobody asks for.
 *
 * With LSCHED_HEARD=FILE each message is appended to the file, one a line and each kind of message
 * once: messages that differ in digits and in quoted names alone are one kind. Without it nothing
 * happens. The set of kinds is a table of hashes; when it is full, further messages are written
 * each time, which costs time and loses nothing.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/check/check.h"

int32_t __real_check_fail(struct check *c, const char *format, ...);
CHECK_PRINTF int32_t __wrap_check_fail(struct check *c, const char *format, ...);

enum { KINDS = 1 << 16, TRIES = 64 };

/* FNV-1a of the text without digits and without what stands in quotes. */
static uint64_t kind_of(const char *text) {
    uint64_t h = UINT64_C(14695981039346656037);
    int quoted = 0;
    for (; *text; text++) {
        if (*text == '"') quoted = !quoted;
        if (quoted || (*text >= '0' && *text <= '9')) continue;
        h = (h ^ (uint8_t)*text) * UINT64_C(1099511628211);
    }
    return h | 1;
}

static int is_new(uint64_t kind) {
    static uint64_t seen[KINDS];
    for (uint32_t i = 0; i < TRIES; i++) {
        uint64_t *at = &seen[(kind + i) % KINDS];
        if (*at == kind) return 0;
        if (*at) continue;
        *at = kind;
        return 1;
    }
    return 1;
}

static void hear(const char *text) {
    static FILE *out;
    const char *path = getenv("LSCHED_HEARD");
    if (!path || !is_new(kind_of(text))) return;
    if (!out) out = fopen(path, "a");
    if (!out) abort();
    fprintf(out, "%s\n", text);
    fflush(out);
}

int32_t __wrap_check_fail(struct check *c, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (getenv("LSCHED_HEARD")) hear(text);
    return __real_check_fail(c, "%s", text);
}
