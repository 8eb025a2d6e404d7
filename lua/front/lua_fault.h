/*
 * lua_fault.h -- one error of a policy, on its way from the place where it happens to the caller's
 * error record.
 *
 * A fault can be recorded inside a Lua error handler or when there is no memory left. Therefore it
 * is a record of fixed size, filled without allocation. The message becomes "name:line:column:
 * text": one line of UTF-8, cut at the end of a character.
 */
#ifndef LSCHED_LUA_FAULT_H
#define LSCHED_LUA_FAULT_H

#include <libsched/libsched.h>

enum { FAULT_TEXT_BYTES = 200, FAULT_WORD_BYTES = 48 };

/* lsched_error.sub of a policy's failure. NOT_DETERMINISTIC: the failure depends on memory or on
 * the orchestrator's interrupt, and not only on the text and its input. Therefore a replay takes
 * the effect of the failure from the record and does not derive it. */
enum { FAULT_SUB_NONE = 0, FAULT_SUB_NOT_DETERMINISTIC = 1 };

struct fault {
    int32_t code, sub;
    uint32_t line, column; /* 0: unknown */
    int64_t element;       /* element of a batch; -1: none */
    char text[FAULT_TEXT_BYTES];
    /* word that the message is about, to find its column; "" if none */
    char word[FAULT_WORD_BYTES];
};

#if defined(__GNUC__)
#define FAULT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define FAULT_PRINTF(text, first)
#endif

void fault_clear(struct fault *fault);
/* Set code and message (and place); return `code`. The format must use only integers and strings,
 * because %f would follow the locale. */
int32_t fault_set(struct fault *fault, int32_t code, const char *format, ...) FAULT_PRINTF(3, 4);
int32_t fault_at(struct fault *fault, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) FAULT_PRINTF(5, 6);
void fault_word(struct fault *fault, const char *word, size_t len);
/* Fills *err (may be NULL), up to the size that its owner declared. `prefix` is put between place
 * and text. Returns fault->code. */
int32_t fault_report(const struct fault *fault, const char *name, const char *prefix,
                     lsched_error *err);

#endif
