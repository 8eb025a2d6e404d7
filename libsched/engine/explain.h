/*
 * explain.h -- why a job waits, as text for people, on the live state. The plan holds a code and numbers; here the nodes are looked at, so the
 * answer can say how many could, how many are free, and whose end would help. Cost O(nodes + tasks); nothing is changed.
 */
#ifndef LIBSCHED_EXPLAIN_H
#define LIBSCHED_EXPLAIN_H

#include "engine/cluster.h"

/* Text that grows in a caller's buffer as snprintf does: n counts all of it, also what did not fit. */
struct text_out {
    char *p;
    size_t cap, n;
};
void text_put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

void explain_job(const struct columns *k, uint32_t job, int64_t now, struct text_out *o,
                 lsched_waiting *record);
void explain_waiting(const struct columns *k, const lsched_waiting *w, struct text_out *o);

#endif
