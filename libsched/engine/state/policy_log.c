/* policy_log.c -- see policy_log.h. */
#include "engine/state/policy_log.h"

#include <stdio.h>
#include <string.h>

void policy_log_clear(struct policy_log *log) {
    log->n = 0;
    log->dropped = 0;
}

void policy_log_add(struct policy_log *log, const char *line, size_t len) {
    if (log->n == POLICY_LOG_LINES_MAX) {
        if (log->dropped < UINT32_MAX) log->dropped++;
        return;
    }
    if (len >= POLICY_LOG_LINE_BYTES) len = POLICY_LOG_LINE_BYTES - 1;
    memcpy(log->lines[log->n], line, len);
    log->lines[log->n++][len] = '\0';
}

int32_t policy_log_take(const struct policy_log *log, struct alloc *alloc,
                        struct policy_log_copy *out) {
    size_t n = log->n + (log->dropped ? 1u : 0u);
    *out = (struct policy_log_copy){NULL, 0};
    if (n == 0) return LSCHED_OK;
    out->lines = alloc_zero(alloc, n * sizeof *out->lines);
    if (!out->lines) return LSCHED_E_NOMEM;
    out->n = n;
    memcpy(out->lines, log->lines, log->n * sizeof *out->lines);
    if (log->dropped)
        snprintf(out->lines[n - 1], sizeof *out->lines, "%u more line%s dropped", log->dropped,
                 log->dropped == 1 ? " was" : "s were");
    return LSCHED_OK;
}

void policy_log_free(struct policy_log_copy *copy, struct alloc *alloc) {
    alloc_free(alloc, copy->lines, copy->n * sizeof *copy->lines);
    *copy = (struct policy_log_copy){NULL, 0};
}
