/* explain_gate.h -- writes what a job waits for before its first start, and when it expires. */
#ifndef LIBSCHED_EXPLAIN_GATE_H
#define LIBSCHED_EXPLAIN_GATE_H

#include "engine/state/object_words.h"

/* Writes why the gate of the job is closed (model/dependencies/gate.h). */
void explain_gate_put(const struct columns *k, uint32_t job, int64_t now, struct text_out *o);

#endif
