/*
 * lua_fault.h -- holds one error of a policy until the error is copied to the caller's error
 * record.
 *
 * A fault can be recorded inside a Lua error handler or when there is no memory left. Therefore a
 * fault is a record of fixed size, filled without allocation. The message has the form
 * "name:line:column: text". It is one line of UTF-8; a longer message is cut off after a whole
 * character.
 */
#ifndef LSCHED_LUA_FAULT_H
#define LSCHED_LUA_FAULT_H

#include <libsched/libsched.h>

enum { FAULT_TEXT_BYTES = 200, FAULT_WORD_BYTES = 48 };

struct fault {
    int32_t code;
    /* LSCHED_SUB_*, as in lsched_error; a replay reads
     * from the recording whether a failure that is not deterministic happened */
    int32_t sub;
    uint32_t line, column; /* 0: unknown */
    int64_t element;       /* index of the element of a batch; -1: none */
    char text[FAULT_TEXT_BYTES];
    /* word in the policy text that the message is about, "" if there is none; the column is found
     * by it */
    char word[FAULT_WORD_BYTES];
};

#if defined(__GNUC__)
#define FAULT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define FAULT_PRINTF(text, first)
#endif

void fault_clear(struct fault *fault);
/* fault_set sets code and message; fault_at also sets line and column. Both return `code`. The
 * format must print only integers and strings, because the output of %f depends on the locale. */
int32_t fault_set(struct fault *fault, int32_t code, const char *format, ...) FAULT_PRINTF(3, 4);
int32_t fault_at(struct fault *fault, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) FAULT_PRINTF(5, 6);
void fault_word(struct fault *fault, const char *word, size_t len);
/* Fills *err, at most as many bytes as its owner declared. `err` can be NULL. `prefix` is written
 * between the position and the text of the message. Returns fault->code. */
int32_t fault_report(const struct fault *fault, const char *name, const char *prefix,
                     lsched_error *err);

#endif
