/*
 * gate_change.h -- sets what a job waits for before its first start, and its expiry.
 *
 * The job must be in no bundle: it was just added, or job_change_leave() has taken it out of its
 * queue. Only the expiry of a job can change in its bundle, because nothing that decides about a
 * start reads it.
 */
#ifndef LIBSCHED_GATE_CHANGE_H
#define LIBSCHED_GATE_CHANGE_H

#include "model/dependencies/gate.h"

/* A dependency on a job that exists, or on an event of which the time is known. */
struct gate_need {
    uint32_t job;            /* NO_ROW: of a job with the name `name`, which need not exist */
    uint8_t kind;            /* LSCHED_AFTER_* */
    int64_t delay, happened; /* happened: time of the event, LSCHED_NEVER_US; 0 with a job */
    lsched_text name;
};

/* Sets the begin of the job; a time that is over is none. Can return LSCHED_E_NOMEM, as all do. */
int32_t gate_change_begin(struct columns *k, uint32_t job, int64_t begin);
/* Sets the time at which the job is removed if it has not started; 0: never. */
int32_t gate_change_expiry(struct columns *k, uint32_t job, int64_t expires);
/* Sets all dependencies of the job. on_never: LSCHED_ON_NEVER_*. */
int32_t gate_change_needs(struct columns *k, uint32_t job, const struct gate_need *needs,
                          uint32_t n, uint8_t on_never);
/* True if the job has these dependencies in this order, in whatever state they are, or if it has
 * none and these are met already: then gate_change_needs() has nothing to do. */
int gate_change_has(const struct columns *k, uint32_t job, const struct gate_need *needs,
                    uint32_t n, uint8_t on_never);

#endif
