/*
 * lua_fault.h -- one error of a policy while it travels from where it happened to the caller's
 * record.
 *
 * A fault may be noted inside a Lua error handler or when memory is out, so it is a fixed record,
 * filled without allocation. The message becomes "name:line:column: text", one line of UTF-8, cut
 * at a character.
 */
#ifndef LSCHED_LUA_FAULT_H
#define LSCHED_LUA_FAULT_H

#include <libsched/libsched.h>

enum { FAULT_TEXT_BYTES = 200, FAULT_WORD_BYTES = 48 };

/* lsched_error.sub of a policy's failure that depends on memory or on the host's interrupt,
 * hence on more than the text and its input: a replay takes its effect from the record and does
 * not derive it. */
enum { FAULT_SUB_NONE = 0, FAULT_SUB_NOT_DETERMINISTIC = 1 };

struct fault {
    int32_t code, sub;
    uint32_t line, column; /* 0: unknown */
    int64_t element;       /* of a batch; -1: none */
    char text[FAULT_TEXT_BYTES];
    char word
        [FAULT_WORD_BYTES]; /* what the text complains about, to find its column; "" if nothing */
};

#if defined(__GNUC__)
#define FAULT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define FAULT_PRINTF(text, first)
#endif

void fault_clear(struct fault *fault);
/* Integers and strings only: %f would follow the locale. Returns code. */
int32_t fault_set(struct fault *fault, int32_t code, const char *format, ...) FAULT_PRINTF(3, 4);
int32_t fault_at(struct fault *fault, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) FAULT_PRINTF(5, 6);
void fault_word(struct fault *fault, const char *word, size_t len);
/* Fills *err (may be NULL) as far as its owner declared it. prefix stands between place and
 * text. Returns fault->code. */
int32_t fault_report(const struct fault *fault, const char *name, const char *prefix,
                     lsched_error *err);

#endif
