/* lua_fault.c -- see lua_fault.h. */
#include "lua/front/lua_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/call_args.h"

void fault_clear(struct fault *fault) {
    *fault = (struct fault){.element = -1};
}

/* Replaces control characters by spaces, so that the message is one line. */
static void fault_flatten(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F) *text = ' ';
}

int32_t fault_set(struct fault *fault, int32_t code, const char *format, ...) {
    va_list args;
    fault->code = code;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return code;
}

int32_t fault_at(struct fault *fault, int32_t code, uint32_t line, uint32_t column,
                 const char *format, ...) {
    va_list args;
    fault->code = code;
    fault->line = line;
    fault->column = column;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return code;
}

void fault_word(struct fault *fault, const char *word, size_t len) {
    if (len >= sizeof fault->word) len = 0;
    memcpy(fault->word, word, len);
    fault->word[len] = '\0';
}

int32_t fault_report(const struct fault *fault, const char *name, const char *prefix,
                     lsched_error *err) {
    lsched_error full = LSCHED_ERROR_INIT;
    if (!err) return fault->code;
    full.code = fault->code;
    full.sub = fault->sub;
    full.line = fault->line;
    full.column = fault->column;
    full.index = fault->element;
    char place[32] = "";
    if (fault->line && fault->column)
        snprintf(place, sizeof place, "%u:%u:", fault->line, fault->column);
    else if (fault->line)
        snprintf(place, sizeof place, "%u:", fault->line);
    snprintf(full.message, sizeof full.message, "%s:%s %s%s", name, place, prefix, fault->text);
    fault_flatten(full.message);
    err_copy(err, &full);
    return fault->code;
}
