/*
 * policy_log.h -- the lines that a policy says in one try of a cycle. A fixed array, because a
 * policy must not be able to make a plan large: what does not fit is counted. A cycle that begins
 * again forgets what the try before said, so the lines are those of the answers that the plan rests
 * on; a failed hook's words stay out, its error says more.
 */
#ifndef LIBSCHED_POLICY_LOG_H
#define LIBSCHED_POLICY_LOG_H

#include "policy/policy.h"

enum { POLICY_LOG_LINES_MAX = 32 };

struct policy_log {
    uint32_t n, dropped;
    char lines[POLICY_LOG_LINES_MAX][POLICY_LOG_LINE_BYTES];
};

/* What of it a plan keeps: one array of lines, each NUL-terminated; the last says how many were
 * dropped, if any were. */
struct policy_log_copy {
    char (*lines)[POLICY_LOG_LINE_BYTES];
    size_t n;
};

void policy_log_clear(struct policy_log *log);
void policy_log_add(struct policy_log *log, const char *line, size_t len);
/* LSCHED_OK or LSCHED_E_NOMEM. */
int32_t policy_log_take(const struct policy_log *log, struct alloc *alloc,
                        struct policy_log_copy *out);
void policy_log_free(struct policy_log_copy *copy, struct alloc *alloc);

#endif
