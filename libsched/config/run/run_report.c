/* run_report.c -- see run_report.h. */
#include "config/run/run_report.h"

#include <stdarg.h>
#include <stdio.h>

void run_no_memory_error(const struct runner *r) {
    complain_at(&r->complain, LSCHED_E_NOMEM, (struct mark){0, 0}, "out of memory while running");
}

void run_failed(struct runner *r, struct mark mark, const char *format, ...) {
    char text[LSCHED_MESSAGE_BYTES];
    lsched_error failure = LSCHED_ERROR_INIT;
    va_list args;
    r->report.failures++;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain_at(&(struct complain){r->complain.file, &failure}, 0, mark, "%s", text);
    if (r->opts.on_failure) r->opts.on_failure(r->opts.user, &failure);
}
