/* complain.c -- see complain.h. */
#include "config/read/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <libsched/scenario.h>

#include "base/call_args.h"
#include "base/short_names.h"

int32_t complain_at(const struct complain *c, int32_t code, struct mark mark, const char *format,
                    ...) {
    lsched_error full = LSCHED_ERROR_INIT;
    char text[4 * LSCHED_MESSAGE_BYTES];
    va_list args;
    if (!c->err) return code;
    full.code = code;
    full.line = mark.line;
    full.column = mark.column;
    int n = mark.line ? snprintf(text, sizeof text, "%s:%u:%u: ", c->file, mark.line, mark.column)
                      : snprintf(text, sizeof text, "%s: ", c->file);
    if (n > 0 && (size_t)n < sizeof text) {
        va_start(args, format);
        vsnprintf(text + n, sizeof text - (size_t)n, format, args);
        va_end(args);
    }
    short_names(text, full.message, sizeof full.message);
    err_copy(c->err, &full);
    return code;
}

int32_t complain_pass(const struct complain *c, struct mark mark, const lsched_error *from) {
    lsched_error full = LSCHED_ERROR_INIT;
    if (!c->err) return from->code;
    const char *message = from->message[0] ? from->message : lsched_error_text(from->code);
    char words[LSCHED_MESSAGE_BYTES];
    lsched_scenario_words(lsched_cstr(message), words, sizeof words);
    complain_at(&(struct complain){c->file, &full}, from->code, mark, "%s", words);
    full.sub = from->sub;
    full.index = from->index;
    err_copy(c->err, &full);
    return from->code;
}

int32_t complain_take_opts(const struct complain *c, const void *opts, void *out, uint32_t size) {
    uint32_t given = 0;
    if (!opts) return 0;
    memcpy(&given, opts, sizeof given);
    if (given < 8 || given > 4096)
        return complain_at(c, LSCHED_E_SIZE, (struct mark){0, 0},
                           "expected options of a known size, got %u bytes", given);
    for (uint32_t i = size; i < given; i++)
        if (((const char *)opts)[i])
            return complain_at(c, LSCHED_E_SIZE, (struct mark){0, 0},
                               "expected options with a zero tail, got byte %u", i);
    memcpy(out, opts, given < size ? given : size);
    return 0;
}

struct quote complain_quote(const char *text, size_t len) {
    struct quote q;
    /* six bytes are for two quotation marks, three dots and the NUL */
    size_t room = sizeof q.text - 6, n = len < room ? len : room;
    while (n < len && n > 0 && ((unsigned char)text[n] & 0xC0u) == 0x80u) n--;
    q.text[0] = '"';
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        q.text[1 + i] = (char)(c < 0x20 || c == 0x7F ? '?' : c);
    }
    memcpy(q.text + 1 + n, n < len ? "...\"" : "\"", n < len ? 5 : 2);
    return q;
}
