/*
 * policy_log.h -- the lines that a policy's hooks log in one attempt of a cycle.
 *
 * The lines are in an array of fixed size, because a policy must not be able to make a plan large.
 * When the array is full, further lines are dropped and counted. After a hook failed, the cycle
 * begins again, and the lines of the previous attempt are cleared. Therefore all lines come from
 * the hook calls on which the plan is based. The lines of the failed hook are lost, too; its error
 * message says more.
 */
#ifndef LIBSCHED_POLICY_LOG_H
#define LIBSCHED_POLICY_LOG_H

#include "policy/policy.h"

enum { POLICY_LOG_LINES_MAX = 32 };

struct policy_log {
    uint32_t n, dropped;
    char lines[POLICY_LOG_LINES_MAX][POLICY_LOG_LINE_BYTES];
};

/* The copy of the log that a plan owns: one array of NUL-terminated lines. If lines were dropped,
 * an additional last line says how many. */
struct policy_log_copy {
    char (*lines)[POLICY_LOG_LINE_BYTES];
    size_t n;
};

void policy_log_clear(struct policy_log *log);
void policy_log_add(struct policy_log *log, const char *line, size_t len);
/* Copies the lines of a log into *out. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t policy_log_take(const struct policy_log *log, struct alloc *alloc,
                        struct policy_log_copy *out);
void policy_log_free(struct policy_log_copy *copy, struct alloc *alloc);

#endif
