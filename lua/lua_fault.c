/* lua_fault.c -- see lua_fault.h. */
#include "lua/lua_fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fault_clear(struct fault *fault) {
    *fault = (struct fault){.element = -1};
}

/* Names come from outside: keep one line of whole characters. */
static void fault_clean(char *text, size_t cap) {
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7F) text[i] = ' ';
    }
    if (n + 1 < cap) return;
    while (n > 0 && ((unsigned char)text[n - 1] & 0xC0u) == 0x80u) n--;
    if (n > 0 && (unsigned char)text[n - 1] >= 0xC0u) n--;
    text[n] = '\0';
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
    fault_clean(full.message, sizeof full.message);
    uint32_t size = err->size < sizeof full ? err->size : (uint32_t)sizeof full;
    if (size <= sizeof size) return fault->code;
    memcpy((char *)err + sizeof size, (const char *)&full + sizeof size, size - sizeof size);
    if (size > offsetof(lsched_error, message) && size < sizeof full)
        ((char *)err)[size - 1] = '\0';
    return fault->code;
}
